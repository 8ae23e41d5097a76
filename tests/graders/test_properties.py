"""Properties that every grader is held to, in both versions; exceptions are listed with the specification's reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd
import pytest

import catalog
import graders

ORDER_MATTERS = {
    "hms-harmful-brain-activity-classification": "ids repeat, and the k-th row of an id belongs to its k-th answer",
    "nomad2018-predict-transparent-conductors": "v1 matches rows by position",
    "smartphone-decimeter-2022": "v1 matches the rows of a trip by position",
    "stanford-covid-vaccine": "v1 takes the rows that count by their number in the file",
    "uw-madison-gi-tract-image-segmentation": "v1 matches rows by position",
    "vinbigdata-chest-xray-abnormalities-detection": "boxes of equal confidence count in the order of the file",
}
"""Competitions in which the order of a submission's rows may change its score."""

EXTRA_COLUMNS_REJECT = {
    "freesound-audio-tagging-2019": "v1 wants exactly the sample's columns in their order",
    "google-quest-challenge": "exactly 31 columns",
    "h-and-m-personalized-fashion-recommendations": "exactly two columns",
    "hms-harmful-brain-activity-classification": "v1 takes every further column for a vote",
    "icecube-neutrinos-in-deep-ice": "exactly three columns",
    "jigsaw-toxic-comment-classification-challenge": "v1 compares all columns by position",
    "leaf-classification": "exactly the id and 99 classes",
    "plant-pathology-2020-fgvc7": "exactly five columns",
    "spooky-author-identification": "exactly four columns",
    "tgs-salt-identification-challenge": "exactly two columns",
    "vesuvius-challenge-ink-detection": "exactly two columns",
    "whale-categorization-playground": "exactly two columns",
}
"""Competitions that may reject a submission with a column of its own; all others must ignore it."""

GOLD_IS_BEATEN = {
    "kuzushiji-recognition": "boxes one pixel wide or high have no point inside, which the gold submission needs",
}
"""Competitions whose gold submission, made by v1's preparation, is not the best there is."""

PERFECT_HAS_NO_NUMBER = {("champs-scalar-coupling", "v1"): "no floor under the error: its logarithm is minus infinity"}
SAMPLE_HAS_NO_NUMBER = {("us-patent-phrase-to-phrase-matching", "v1"): "a constant has no correlation"}

every_grader = pytest.mark.parametrize("competition_id", kit.implemented())
both_versions = pytest.mark.parametrize("version", ["v1", "v2"])


def sample_of(made: Any) -> pd.DataFrame:
    competition = catalog.load(made.id)
    folder = made.private if competition.sample_is_private else made.public
    return pd.read_csv(folder / competition.sample_submission, float_precision="round_trip")


def perfect_of(made: Any) -> pd.DataFrame:
    """The kit's perfect submission, unless v2 asks for more columns; else the answers in the shape of the sample."""
    wanted = sample_of(made).columns
    named = [frame for name, frame in made.submissions().items() if name in ("perfect", "gold")]
    if named and (made.version == "v1" or set(wanted) <= set(named[0].columns)):
        return named[0]
    answers = pd.read_csv(made.private / catalog.load(made.id).answers, float_precision="round_trip")
    return answers[wanted]


def honest_of(made: Any) -> list[str]:
    """Submissions in which rows differ, so that a mix-up shows."""
    return [name for name in made.submissions() if name == "noisy" or name.startswith("good")]


def verdict(report: graders.Report) -> Any:
    return report.score if report.valid else "rejected"


@both_versions
@every_grader
def test_the_sample_is_valid(competition_id: str, version: str, prepared: Callable[..., Any], tmp_path: Path) -> None:
    made = prepared(competition_id, version=version)

    report = made.grade(sample_of(made), tmp_path / "sample.csv")

    assert report.valid, report.reason
    assert (report.score is None) == ((competition_id, version) in SAMPLE_HAS_NO_NUMBER)


@both_versions
@every_grader
def test_the_perfect_submission_wins_gold_and_nothing_beats_it(
    competition_id: str, version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(competition_id, version=version)
    report = made.grade(perfect_of(made), tmp_path / "perfect.csv")

    assert report.valid, report.reason
    if (competition_id, version) in PERFECT_HAS_NO_NUMBER:
        assert report.score is None
        return
    assert report.gold_medal
    lower = catalog.load(competition_id).lower_is_better
    scores = {name: made.report(name).score for name in made.submissions() if made.report(name).score is not None}
    better = [name for name, score in scores.items() if (score < report.score if lower else score > report.score)]
    assert not better or competition_id in GOLD_IS_BEATEN


@both_versions
@every_grader
def test_the_order_of_rows_does_not_matter(
    competition_id: str, version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    if competition_id in ORDER_MATTERS:
        return
    made = prepared(competition_id, version=version)
    for name in honest_of(made):
        shuffled = made.submissions()[name].sample(frac=1, random_state=1)

        assert verdict(made.grade(shuffled, tmp_path / "s.csv")) == verdict(made.report(name))


@both_versions
@every_grader
def test_a_column_of_one_s_own_is_ignored_or_rejected_as_the_rules_say(
    competition_id: str, version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(competition_id, version=version)
    for name in honest_of(made):
        report = made.grade(made.submissions()[name].assign(note="x"), tmp_path / "s.csv")

        if competition_id in EXTRA_COLUMNS_REJECT and not report.valid and made.report(name).valid:
            assert report.rejection["reason"] in {"UnexpectedColumns", "NotNumbers"}
        else:
            assert verdict(report) == verdict(made.report(name))


@every_grader
def test_validation_agrees_with_grading_and_tells_no_score(
    competition_id: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(competition_id)
    for name, frame in made.submissions().items():
        path = kit.write_submission(frame, tmp_path / "s.csv")

        rejected = graders.validate(competition_id, path, made.private)

        assert (rejected.as_data() if rejected else None) == made.report(name).rejection
