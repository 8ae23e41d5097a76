"""vinbigdata-chest-xray: v2 compares boxes by their corners, keeps every finding, and nonsense wins nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd

import preparers

ID = "vinbigdata-chest-xray-abnormalities-detection"
CORNERS = ["x_min", "y_min", "x_max", "y_max"]


def boxes(made: Any, text: Callable[[Any], str]) -> pd.DataFrame:
    """A submission with a text made from each row of the answers."""
    answers = pd.read_csv(made.private / "answers.csv")
    answers["PredictionString"] = [text(row) for row in answers.itertuples()]
    return answers.groupby("image_id")["PredictionString"].agg(" ".join).reset_index()


def test_a_box_of_other_corners_but_like_size_scores_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    def beside(row: Any) -> str:
        """Half its width to the left, where it hardly overlaps: its far corner, taken for a size, changes little."""
        step = (row.x_max - row.x_min) * 0.6
        return f"{row.class_id} 1 {row.x_min - step} {row.y_min} {row.x_max - step} {row.y_max}"

    assert v1.grade(boxes(v1, beside), tmp_path / "s.csv").score > 0.5
    assert v2.grade(boxes(v2, beside), tmp_path / "s.csv").score == 0


def test_nan_corners_win_with_a_warning_in_v1_and_are_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    everywhere = boxes(v1, lambda row: f"{row.class_id} 1 0 0 nan nan")
    report = v1.grade(everywhere, tmp_path / "s.csv")

    assert report.score > 0.9
    assert any("nan" in warning for warning in report.warnings)
    assert v2.grade(everywhere, tmp_path / "s.csv").rejection["reason"] == "NotFinite"


def test_swapped_corners_cost_nothing_with_a_warning_in_v1_and_as_any_miss_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    def beside_itself(row: Any) -> str:
        exact = f"{row.class_id} 0.5 {row.x_min} {row.y_min} {row.x_max} {row.y_max}"
        return f"{row.class_id} 1 9000 0 10 5 {exact}"

    v1, v2 = prepared(ID), prepared(ID, version="v2")
    gold = v1.grade(v1.submissions()["gold"], tmp_path / "s.csv")
    report = v1.grade(boxes(v1, beside_itself), tmp_path / "s.csv")

    assert report.score == gold.score
    assert not gold.suspect
    assert report.suspect
    assert v2.grade(boxes(v2, beside_itself), tmp_path / "s.csv").score < 0.6


def test_the_perfect_submission_is_perfect_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.grade(pd.read_csv(v1.private / "gold_submission.csv"), tmp_path / "s.csv").score < 1
    assert v2.grade(pd.read_csv(v2.private / "gold_submission.csv"), tmp_path / "s.csv").score == 1


def test_an_overlap_of_exactly_two_fifths_is_a_hit_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    """Against the box 0 0 1 1 of pictures without a finding, 0 0 2.5 1 has an IoU of 1 / 2.5."""
    for version, hits in (("v1", True), ("v2", False)):
        made = prepared(ID, version=version)
        wide = made.submissions()["sample"].assign(PredictionString="14 1 0 0 2.5 1")
        assert (made.grade(wide, tmp_path / "s.csv").score > 0) == hits


def test_a_blank_prediction_is_no_box_in_v2_and_rejected_in_v1(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    blank = v1.submissions()["bad_blank"]

    assert v1.grade(blank, tmp_path / "s.csv").rejection["reason"] == "MissingValues"
    assert v2.grade(blank, tmp_path / "s.csv").valid


def test_one_box_of_a_class_and_picture_stays_in_v1_and_each_separate_finding_in_v2(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    kit.make_raw(ID, raw, seed=0, n=30)
    preparers.prepare(ID, raw, tmp_path / "v1/public", tmp_path / "v1/private")
    image = pd.read_csv(tmp_path / "v1/private/answers.csv")["image_id"][0]
    table = pd.read_csv(raw / "train.csv")
    seen = [  # two radiologists on one nodule, and a third on another
        [100, 100, 200, 200],
        [110, 100, 210, 200],
        [900, 900, 950, 950],
    ]
    rows = [{"image_id": image, "class_name": "Nodule/Mass", "class_id": 8, "rad_id": "R1"} for _ in seen]
    own = pd.DataFrame(rows).assign(**dict(zip(CORNERS, zip(*seen, strict=True), strict=True)))
    first = table.index[table["image_id"] == image][0]  # where it stands, its picture stays in the test part
    before, after = (part[part["image_id"] != image] for part in (table[:first], table[first:]))
    pd.concat([before, own, after]).to_csv(raw / "train.csv", index=False)

    kept = {}
    for version in ("v1", "v2"):
        public, private = tmp_path / version / "public-2", tmp_path / version / "private-2"
        preparers.prepare(ID, raw, public, private, version)
        answers = pd.read_csv(private / "answers.csv")
        kept[version] = answers.loc[answers["image_id"] == image, CORNERS].to_numpy().tolist()

    assert kept["v1"] == [[100, 100, 200, 200]]
    assert kept["v2"] == [[105, 100, 205, 200], [900, 900, 950, 950]]
