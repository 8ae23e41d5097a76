"""How the baseline reads a task from its files: keys, targets, the kind of prediction and where it goes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("baseline")

ROWS = 40
METRICS = {
    "area": "Area under the ROC curve.",
    "log loss": "Log loss.",
    "accuracy": "Accuracy.",
    "rmse": "RMSE.",
    "unknown": "By eye.",
}


def lay_out(data: Path, metric: str, **tables: str) -> Path:
    data.mkdir()
    for name, content in tables.items():
        (data / f"{name}.csv").write_text(content)
    (data / "description.md").write_text(f"## Evaluation\n{METRICS[metric]}\n")
    return data


def table(header: str, row, rows: int = ROWS) -> str:
    return "\n".join([header, *(row(k) for k in range(rows))]) + "\n"


def read(data: Path):
    from baseline.task import read_task

    return read_task(data)


@pytest.mark.parametrize(
    "metric, answer, sample, want",
    [
        pytest.param("area", lambda k: k % 2, "0.5", "a probability", id="yes or no for a ranking"),
        pytest.param("area", lambda k: (k % 5) / 5, "0", "a probability", id="shares of yes for a ranking"),
        pytest.param("accuracy", lambda k: bool(k % 2), "False", "a label", id="yes or no to be hit"),
        pytest.param("accuracy", lambda k: "abc"[k % 3], "a", "a label", id="words to be hit"),
        pytest.param("rmse", lambda k: k % 3, "1", "a number", id="few whole numbers under a metric of distance"),
        pytest.param("unknown", lambda k: k * 1.5, "1.5", "a number", id="many numbers and no metric"),
        pytest.param("unknown", lambda k: "ab"[k % 2], "a", "a label", id="words and no metric"),
        pytest.param("unknown", lambda k: k % 2, "0.5", "a probability", id="yes or no, a sample of shares, no metric"),
    ],
)
def test_one_column_is_read_by_metric_answers_and_sample(tmp_path: Path, metric, answer, sample, want):
    data = lay_out(
        tmp_path / "data",
        metric,
        train=table("id,x,y", lambda k: f"{k},{k % 7},{answer(k)}"),
        test=table("id,x", lambda k: f"{k + ROWS},{k % 7}"),
        sample_submission=table("id,y", lambda k: f"{k + ROWS},{sample}"),
    )

    task = read(data)

    assert task.question.form == want
    assert (task.roles.keys, task.roles.targets) == (["id"], ["y"])


@pytest.mark.parametrize("prefix", ["", "class_", "p ", "c"])
def test_a_column_for_each_class_finds_the_answers_by_their_values(tmp_path: Path, prefix: str):
    names = ["2", "0", "1"]
    data = lay_out(
        tmp_path / "data",
        "log loss",
        train=table("id,x,noise,kind", lambda k: f"{k},{k % 7},{k},{k % 3}"),
        test=table("id,x", lambda k: f"{k},{k % 7}"),
        sample_submission=table("id," + ",".join(prefix + name for name in names), lambda k: f"{k},0.2,0.3,0.5"),
    )

    task = read(data)

    assert task.roles.answers == ["kind"]
    assert task.question.classes == (0, 1, 2)
    assert task.question.columns == (f"{prefix}0", f"{prefix}1", f"{prefix}2")


def test_answers_with_one_yes_in_each_row_are_classes(tmp_path: Path):
    data = lay_out(
        tmp_path / "data",
        "area",
        train=table("id,x,rust,scab", lambda k: f"{k},{k},{k % 2},{1 - k % 2}"),
        test=table("id,x", lambda k: f"{k},{k}"),
        sample_submission=table("id,rust,scab", lambda k: f"{k},0.5,0.5"),
    )

    assert read(data).question.kind == "classes"


@pytest.fixture
def insults(tmp_path: Path) -> Path:
    """A task whose rows are known by their text, and whose target is the first column."""
    return lay_out(
        tmp_path / "data",
        "area",
        train=table("Insult,Date,Comment", lambda k: f"{k % 2},2012,you are number {k} of them all"),
        test=table("Date,Comment", lambda k: f"2012,they are number {k} of us all"),
        sample_submission=table("Insult,Date,Comment", lambda k: f"0,2012,they are number {k} of us all"),
    )


def test_keys_are_what_sample_and_test_share_even_when_the_target_comes_first(insults: Path):
    task = read(insults)

    assert task.roles.keys == ["Date", "Comment"]
    assert task.roles.targets == ["Insult"]


def test_a_key_that_is_text_is_learnt_from(insults: Path):
    from baseline.features import make_features

    task = read(insults)

    assert make_features(task.roles, task.album, 0).summary == "1 texts"


def test_answers_in_a_table_of_their_own_are_joined_with_the_features(tmp_path: Path):
    data = lay_out(
        tmp_path / "data",
        "rmse",
        train=table("id,x", lambda k: f"{k},{k * 10}"),
        train_labels=table("id,y", lambda k: f"{ROWS - 1 - k},{ROWS - 1 - k}"),
        test=table("id,x", lambda k: f"{k},{k * 10}"),
        sample_submission=table("id,y", lambda k: f"{k},0"),
    )

    task = read(data)

    assert (task.roles.train["x"] == task.roles.train["y"] * 10).all()
    assert len(task.roles.train) == ROWS


def test_predictions_go_to_the_sample_s_rows_whatever_the_order_of_the_test_table(tmp_path: Path):
    from baseline.submission import fill_sample

    data = lay_out(
        tmp_path / "data",
        "rmse",
        train=table("id,x,y", lambda k: f"{k},{k},{k}"),
        test=table("id,x", lambda k: f"{ROWS - 1 - k},{ROWS - 1 - k}"),
        sample_submission=table("id,y", lambda k: f"{k},0"),
    )
    task = read(data)

    written = fill_sample(task, task.roles.test[["x"]].to_numpy(dtype=np.float64)).decode()

    assert written == table("id,y", lambda k: f"{k},{k}.0")


def test_training_pictures_in_a_folder_for_each_class_are_the_training_table(tmp_path: Path):
    from PIL import Image

    data = lay_out(tmp_path / "data", "accuracy", sample_submission="file,species\nt0.png,ash\nt1.png,ash\n")
    for name in ["train/ash/a0", "train/ash/a1", "train/oak/o0", "train/oak/o1", "test/t0", "test/t1"]:
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4)).save(data / f"{name}.png")

    task = read(data)

    assert task.question.classes == ("ash", "oak")
    assert task.roles.train["file"].tolist() == ["a0.png", "a1.png", "o0.png", "o1.png"]


def test_answers_that_are_nearly_all_different_words_are_beyond_it(tmp_path: Path):
    from baseline.roles import CannotSolve

    data = lay_out(
        tmp_path / "data",
        "unknown",
        train=table("id,x,mask", lambda k: f"{k},{k},1 {k}"),
        test=table("id,x", lambda k: f"{k},{k}"),
        sample_submission=table("id,mask", lambda k: f"{k},1 1"),
    )

    with pytest.raises(CannotSolve, match="mask has 40 different answers in 40 rows"):
        read(data)


def test_a_picture_that_can_t_be_read_is_a_row_of_gaps(tmp_path: Path):
    from baseline.pictures import as_pixels
    from PIL import Image

    Image.new("L", (4, 4), 255).save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(b"no picture")

    pixels = as_pixels([tmp_path / "bad.png", tmp_path / "good.png"])

    assert np.isnan(pixels[0]).all()
    assert (pixels[1] == 1).all()
    assert as_pixels([tmp_path / "bad.png"]) is None


def test_a_sample_row_that_is_not_in_the_test_table_is_beyond_it(tmp_path: Path):
    from baseline.roles import CannotSolve

    data = lay_out(
        tmp_path / "data",
        "rmse",
        train=table("id,x,y", lambda k: f"{k},{k},{k}"),
        test=table("id,x", lambda k: f"{k},{k}"),
        sample_submission=table("id,y", lambda k: f"{k + 1},0"),
    )

    with pytest.raises(CannotSolve, match="1 rows of the sample are not in the test table"):
        read(data)
