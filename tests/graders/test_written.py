"""Free text is read as it stands or as pandas reads it, and columns that are taken apart into words are bounded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import catalog
from graders import InvalidSubmission
from graders.toolkit import Answers, Entry, as_text, cells, pair_texts, words

ID = "bms-molecular-translation"


def entry(folder: Path, submission: str) -> Entry:
    (folder / "test.csv").write_text("image_id,InChI,note\na,7,x\nb,NA,x\nc,,x\n")
    (folder / "submission.csv").write_text(submission)
    return Entry(catalog.load(ID), "v1", folder / "submission.csv", Answers(folder))


@pytest.mark.parametrize("plain, want", [(True, ["7", "NA", ""]), (False, ["7.0", "nan", "nan"])])
def test_cells_are_read_as_they_stand_or_as_pandas_reads_them(tmp_path: Path, plain: bool, want: list[str]) -> None:
    predicted, truth = pair_texts(
        entry(tmp_path, "InChI,image_id\n,c\n7,a\nNA,b\n"), "InChI", on="image_id", plain=plain
    )

    assert as_text(predicted).tolist() == want
    assert as_text(truth).tolist() == want


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("header, reason", [("image_id,inchi", "MissingColumns"), ("id,InChI", "MissingColumns")])
def test_missing_columns_are_told(tmp_path: Path, plain: bool, header: str, reason: str) -> None:
    with pytest.raises(InvalidSubmission) as rejected:
        pair_texts(entry(tmp_path, f"{header}\na,7\nb,7\nc,7\n"), "InChI", on="image_id", plain=plain)

    assert rejected.value.reason == reason


@pytest.mark.parametrize(
    "column, want",
    [
        ([7, 8], ["7", "8"]),
        ([7, None], ["7.0", ""]),
        ([2.5, 1e20], ["2.5", "1e+20"]),
        ([True, False], ["True", "False"]),
        (["x", np.nan], ["x", ""]),
        ([np.nan, np.nan], ["", ""]),
    ],
)
def test_numbers_become_the_text_that_python_makes_of_them(column: list[object], want: list[str]) -> None:
    assert as_text(pd.Series(column), missing="").tolist() == want


def test_only_the_columns_asked_for_are_read_of_a_table_of_ours(tmp_path: Path) -> None:
    entry(tmp_path, "")

    assert list(Answers(tmp_path).csv("test.csv", "InChI", columns=["image_id", "InChI"])) == ["image_id", "InChI"]


def test_a_column_with_too_many_characters_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MAX_CHARACTERS", 10)

    assert words(pd.Series(["1 2 3", "4 5", None])) == [["1", "2", "3"], ["4", "5"], []]
    with pytest.raises(InvalidSubmission, match="characters in a column"):
        words(pd.Series(["1 2 3", "4 5 6 7"]))
