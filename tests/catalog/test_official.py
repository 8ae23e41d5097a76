"""The facts of the 82 official competitions, checked against figures written out here and against each other."""

from datetime import date
from pathlib import Path

import pytest

import catalog
from catalog import index
from catalog.medals import medal_lines, medal_positions, percentiles

OFFICIAL = [*catalog.ids("all"), *catalog.ids("dev")]
FOLDERS = Path(catalog.__file__).parent / "competitions"


@pytest.fixture(params=OFFICIAL)
def competition(request: pytest.FixtureRequest) -> catalog.Competition:
    return catalog.load(request.param)


@pytest.mark.parametrize(
    "split, size", [("lite", 22), ("low", 22), ("medium", 38), ("high", 15), ("all", 75), ("dev", 7)]
)
def test_a_split_has_its_published_size(split: str, size: int) -> None:
    assert len(set(catalog.ids(split))) == size


def test_all_is_low_medium_and_high_together() -> None:
    parts = [*catalog.ids("low"), *catalog.ids("medium"), *catalog.ids("high")]
    assert sorted(parts, key=str.lower) == list(catalog.ids("all"))


def test_the_index_names_exactly_the_folders_there_are() -> None:
    assert sorted(index.official()) == sorted(folder.name for folder in FOLDERS.iterdir())


def test_the_index_agrees_with_the_facts(competition: catalog.Competition) -> None:
    assert index.official()[competition.id] == competition.complexity
    assert {split for split in catalog.splits() if competition.id in catalog.ids(split)} == competition.splits


GOLDEN = {
    # id: gold, silver, bronze, median, teams, lower is better, answers, sample, deadline, size in GB
    "dog-breed-identification": (
        (0.0005, 0.00539, 0.04598, 0.47205, 1281),
        (True, "test.csv", "sample_submission.csv", date(2018, 2, 26), 0.75),
    ),
    "champs-scalar-coupling": (
        (-2.87509, -2.03119, -1.90122, -0.9529, 2739),
        (True, "answers.csv", "sample_submission.csv", date(2019, 8, 28), 1.22),
    ),
    "AI4Code": (
        (0.9006, 0.8598, 0.8534, 0.8257, 1025),
        (False, "test_orders.csv", "sample_submission.csv", date(2022, 11, 10), 2.16),
    ),
    "tensorflow2-question-answering": (
        (0.68578, 0.62872, 0.61913, 0.59639, 1234),
        (False, "test.jsonl", "sample_submission.csv", date(2020, 1, 22), 17.47),
    ),
    "multi-modal-gesture-recognition": (
        (0.13304, 0.1769, 0.24926, 0.322, 19),
        (True, "test.csv", "randomPredictions.csv", date(2013, 8, 25), 23.23),
    ),
    "invasive-species-monitoring": (
        (0.99505, 0.99237, 0.98979, 0.9699850000000001, 512),
        (False, "answers.csv", "sample_submission.csv", None, 0.0),
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_facts_are_the_published_ones(name: str) -> None:
    medals, rest = GOLDEN[name]
    competition = catalog.load(name)
    assert competition.medals == catalog.MedalLines(*medals)
    assert rest == (
        competition.lower_is_better,
        competition.answers,
        competition.sample_submission,
        competition.deadline,
        competition.size_gb,
    )


def test_medal_lines_stand_where_kaggles_rule_puts_them(competition: catalog.Competition) -> None:
    """A line's score lies between the two percentiles around its position, so a slip in either shows."""
    at = medal_positions(competition.medals.teams)
    positions = [round(percent * (competition.medals.teams - 1) / 100) + 1 for percent in range(101)]
    for medal in ("gold", "silver", "bronze"):
        position = getattr(at, medal)
        before = competition.percentiles[max(i for i, p in enumerate(positions) if p <= position)]
        behind = competition.percentiles[min(i for i, p in enumerate(positions) if p >= position)]
        assert min(before, behind) <= getattr(competition.medals, medal) <= max(before, behind), medal


@pytest.mark.parametrize("name", [name for name in OFFICIAL if catalog.load(name).medals.teams <= 101])
def test_a_small_leaderboard_gives_the_published_lines_again(name: str) -> None:
    """With at most 101 teams the percentiles are the whole leaderboard."""
    competition = catalog.load(name)
    last = competition.medals.teams - 1
    board = {round(percent * last / 100): competition.percentiles[percent] for percent in range(101)}
    scores = [board[position] for position in range(last + 1)]
    assert medal_lines(scores, competition.lower_is_better) == competition.medals
    assert percentiles(scores, competition.lower_is_better) == competition.percentiles


def test_checksums_cover_the_answers(competition: catalog.Competition) -> None:
    assert competition.checksums.zip is not None
    assert competition.answers in competition.checksums.private
    if competition.sample_is_private:
        assert competition.sample_submission in competition.checksums.private
    else:
        assert competition.sample_submission in competition.checksums.public


def test_no_checksum_is_written_down_for_two_archives() -> None:
    archives = [catalog.load(name).checksums.zip for name in OFFICIAL]
    assert len(set(archives)) == len(archives)


def test_the_task_text_says_how_to_submit(competition: catalog.Competition) -> None:
    text = competition.description
    assert text.startswith("# ")
    for part in ("## Task", "## Data", "## Evaluation", "## Submission"):
        assert f"\n{part}\n" in text
    assert "sample" in text
    direction = "lower" if competition.lower_is_better else "higher"
    assert f"{direction} is better" in text.lower()


def test_class_tables_have_their_classes() -> None:
    sizes = {name: len(catalog.load(name).data["classes"]) for name in OFFICIAL if "classes" in catalog.load(name).data}
    assert sizes == {
        "dog-breed-identification": 120,
        "freesound-audio-tagging-2019": 80,
        "google-quest-challenge": 30,
        "leaf-classification": 99,
        "plant-seedlings-classification": 12,
        "tensorflow-speech-recognition-challenge": 12,
        "vinbigdata-chest-xray-abnormalities-detection": 15,
    }
    assert len(catalog.load("ranzcr-clip-catheter-line-classification").data["scored"]) == 9
    assert catalog.load("random-acts-of-pizza").data["train_fields"]
    assert dict(catalog.load("AI4Code").data) == {}


@pytest.mark.parametrize(
    "name, module",
    [
        ("dog-breed-identification", "dog_breed_identification"),
        ("AI4Code", "ai4code"),
        ("3d-object-detection-for-autonomous-vehicles", "_3d_object_detection_for_autonomous_vehicles"),
    ],
)
def test_code_is_named_by_the_id(name: str, module: str) -> None:
    competition = catalog.load(name)
    assert competition.preparer == f"preparers.competitions.{module}:prepare"
    assert competition.grader == f"graders.competitions.{module}:score"
    assert competition.fetch is None
    assert competition.is_official
    assert not competition.is_demo


def test_every_import_path_is_its_own() -> None:
    assert len({catalog.load(name).grader for name in OFFICIAL}) == len(OFFICIAL)


def test_five_samples_are_kept_beside_the_answers() -> None:
    assert [name for name in sorted(OFFICIAL, key=str.lower) if catalog.load(name).sample_is_private] == [
        "billion-word-imputation",
        "invasive-species-monitoring",
        "statoil-iceberg-classifier-challenge",
        "text-normalization-challenge-english-language",
        "text-normalization-challenge-russian-language",
    ]
