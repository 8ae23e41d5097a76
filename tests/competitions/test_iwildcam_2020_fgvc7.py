"""iwildcam-2020-fgvc7: v2's test part is the share that was meant, has one row a picture, and words are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd

import preparers

ID = "iwildcam-2020-fgvc7"
RAW = "iwildcam2020_train_annotations.json"


def share(made: Any) -> float:
    train = len(json.loads((made.public / RAW).read_text())["images"])
    test = len(json.loads((made.public / "iwildcam2020_test_information.json").read_text())["images"])
    return test / (train + test)


def test_the_test_part_is_too_large_in_v1_and_not_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert share(v1) > 0.22
    assert 0.15 < share(v2) <= 0.22


def test_places_are_on_one_side_in_both(prepared: Callable[..., Any]) -> None:
    for version in ("v1", "v2"):
        public = prepared(ID, version=version).public
        train, test = (
            {image["location"] for image in json.loads((public / name).read_text())["images"]}
            for name in (RAW, "iwildcam2020_test_information.json")
        )
        assert not train & test


def test_a_picture_with_two_annotations_has_two_rows_in_v1_and_one_in_v2(tmp_path: Path) -> None:
    kit.make_raw(ID, tmp_path / "raw", seed=0)
    document = json.loads((tmp_path / "raw" / RAW).read_text())
    document["annotations"] += [{**one, "category_id": 3} for one in document["annotations"]]
    (tmp_path / "raw" / RAW).write_text(json.dumps(document))
    repeats, first = {}, {one["image_id"]: one["category_id"] for one in reversed(document["annotations"])}
    for version in ("v1", "v2"):
        private = tmp_path / version / "private"
        preparers.prepare(ID, tmp_path / "raw", tmp_path / version / "public", private, version)
        answers = pd.read_csv(private / "answers.csv")
        repeats[version] = answers["Id"].duplicated().sum()

    assert repeats["v1"] > 0
    assert repeats["v2"] == 0
    assert answers["Category"].tolist() == [first[name] for name in answers["Id"]]


def test_words_score_nothing_in_v1_and_are_rejected_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_text_scores_zero").score == 0
    assert v2.report("quirk_text_scores_zero").rejection["reason"] == "NotNumbers"
    assert v2.report("whole_floats").score > 0.5
