"""The demo competitions: real data, the same bytes everywhere, medals within reach of a real model, not given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import catalog
import graders
import preparers
from mlectl_demo.leaderboards import CONTESTS, as_csv

IDS = ("demo-diabetes", "demo-digits", "demo-tumours", "demo-wine")
Folders = tuple[Path, Path, Path]


def digest(folder: Path) -> str:
    """One digest of the names and bytes of all files below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = [f"{path.relative_to(folder).as_posix()} {sha256(path.read_bytes()).hexdigest()}" for path in files]
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Folders]:
    made: dict[str, Folders] = {}

    def make(competition_id: str) -> Folders:
        if competition_id not in made:
            folder = tmp_path_factory.mktemp(competition_id)
            raw, public, private = folder / "raw", folder / "public", folder / "private"
            resolve_name(str(catalog.load(competition_id).fetch))(raw)
            preparers.prepare(competition_id, raw, public, private)
            made[competition_id] = raw, public, private
        return made[competition_id]

    return make


def test_the_demo_split_has_these_four() -> None:
    assert catalog.ids("demo") == IDS
    assert catalog.problems() == ()


@pytest.mark.parametrize("competition_id", IDS)
def test_it_is_marked_as_a_demo_wherever_it_shows(competition_id: str) -> None:
    competition = catalog.load(competition_id)

    assert competition.is_demo
    assert "(demo)" in competition.name
    assert "made-up leaderboard" in competition.description


@pytest.mark.parametrize("competition_id", IDS)
def test_the_leaderboard_is_the_one_that_was_drawn(competition_id: str) -> None:
    leaderboard = catalog.load(competition_id).folder / "leaderboard.csv"

    assert leaderboard.read_text() == as_csv(CONTESTS[competition_id])


@pytest.mark.parametrize(
    ("competition_id", "raw", "public", "private"),
    [
        ("demo-diabetes", "69e46c98d5f9de4e", "f1f8d71c79af947b", "2a97476962f3ca3b"),
        ("demo-digits", "8b2369f5e85d6f00", "c80d81503dd3b37c", "f9abe6de87f0fc0b"),
        ("demo-tumours", "d398c3a5f0f2014f", "efa988efb4114f42", "3735ac476f5cbbb9"),
        ("demo-wine", "2368914a381ec017", "d2b72f008a9a1bda", "c5e530d243149a28"),
    ],
)
def test_raw_and_prepared_files_are_always_the_same(
    competition_id: str, raw: str, public: str, private: str, demo: Callable[[str], Folders]
) -> None:
    assert [digest(folder) for folder in demo(competition_id)] == [raw, public, private]


@pytest.mark.parametrize("competition_id", IDS)
def test_the_task_text_tells_the_true_numbers_of_rows(competition_id: str, demo: Callable[[str], Folders]) -> None:
    _, public, private = demo(competition_id)
    text = catalog.load(competition_id).description

    assert f"{len(pd.read_csv(public / 'train.csv')):,} rows" in text
    assert f"{len(pd.read_csv(private / 'answers.csv'))} " in text


@pytest.mark.parametrize("competition_id", IDS)
def test_the_sample_is_valid_and_wins_nothing(competition_id: str, demo: Callable[[str], Folders]) -> None:
    _, public, private = demo(competition_id)

    report = graders.grade(competition_id, public / "sample_submission.csv", private)

    assert report.valid
    assert report.medal is None
    assert not report.above_median


@pytest.mark.parametrize("competition_id", IDS)
def test_the_truth_wins_gold(competition_id: str, demo: Callable[[str], Folders]) -> None:
    _, _, private = demo(competition_id)

    report = graders.grade(competition_id, private / "answers.csv", private)

    assert report.medal == "gold"
    assert report.percentile is not None
    assert report.percentile >= 98  # teams with the same score are not beaten


def test_a_real_model_wins_medals_in_some_and_none_in_others(demo: Callable[[str], Folders], tmp_path: Path) -> None:
    medals = {}
    for competition_id in IDS:
        _, public, private = demo(competition_id)
        submission = tmp_path / f"{competition_id}.csv"
        fit_and_predict(public).to_csv(submission, index=False)
        report = graders.grade(competition_id, submission, private)
        assert report.above_median
        medals[competition_id] = report.medal

    assert medals == {"demo-diabetes": "silver", "demo-digits": None, "demo-tumours": "bronze", "demo-wine": "silver"}


def fit_and_predict(public: Path) -> pd.DataFrame:
    """What a first serious attempt with scikit-learn gives: a linear or a kernel model on scaled features."""
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    train, sample = pd.read_csv(public / "train.csv"), pd.read_csv(public / "sample_submission.csv")
    target = train.columns[-1]
    if (public / "test").is_dir():
        known, asked = (pixels(public / part, table["id"]) for part, table in (("train", train), ("test", sample)))
    else:
        known, asked = train.iloc[:, 1:-1].to_numpy(), pd.read_csv(public / "test.csv").iloc[:, 1:].to_numpy()
    scaler = StandardScaler()
    if target == "progression":
        return sample.assign(progression=make_pipeline(scaler, RidgeCV()).fit(known, train[target]).predict(asked))
    if target == "cultivar":
        model = make_pipeline(scaler, LogisticRegression(max_iter=1000)).fit(known, train[target])
        return sample[["id"]].join(pd.DataFrame(model.predict_proba(asked), columns=list(model.classes_)))
    kernel = make_pipeline(scaler, SVC(C=10, probability=target == "malignant", random_state=0))
    kernel.fit(known, train[target])
    if target == "malignant":
        return sample.assign(malignant=kernel.predict_proba(asked)[:, 1])
    return sample.assign(digit=kernel.predict(asked))


def pixels(folder: Path, names: pd.Series) -> np.ndarray:
    return np.array([np.asarray(Image.open(folder / f"{name}.png")).ravel() for name in names])


def test_listing_the_competitions_imports_neither_pandas_nor_scikit_learn() -> None:
    code = (
        "import sys, mlectl_demo; mlectl_demo.competitions(); print({'pandas', 'sklearn'} & set(sys.modules) or 'none')"
    )

    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert listed.stdout.strip() == "none"
