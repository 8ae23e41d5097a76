"""The fuzz tests notice a grader that raises, dies, or takes more time or memory than it may."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from bounded import BoundedGrader, Failure

from graders.reading import read_submission

PATIENCE_SECONDS = {"take_forever": 1}


@pytest.mark.parametrize(
    "deed, told",
    [
        ("raise_an_error", "ZeroDivisionError"),
        ("take_too_much_memory", "MemoryError"),
        ("take_forever", "took more than 1 s"),
        ("die", "ended with -6"),
    ],
)
def test_what_a_grader_may_not_do_is_a_failure(deed: str, told: str) -> None:
    with (
        BoundedGrader(f"misbehaving:{deed}", PATIENCE_SECONDS.get(deed, 120)) as grader,
        pytest.raises(Failure, match=told),
    ):
        grader.grade("any", Path("submission.csv"), Path("private"), "v1")


@pytest.mark.parametrize("error", [MemoryError("no more"), pd.errors.ParserError("C error: out of memory")])
def test_want_of_memory_is_no_verdict_on_a_file(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    file = tmp_path / "submission.csv"
    file.write_text("id\n1\n")
    monkeypatch.setattr(pd, "read_csv", fail)

    with pytest.raises(MemoryError):
        read_submission(file)
