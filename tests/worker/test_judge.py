"""The process that opens submissions: what it survives, and what it does not pass on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.open import open_store
from orchestrator.worker.judging import Judge, NotJudged, available_memory, environment
from orchestrator.worker.limits import SUBMISSION_BYTES
from orchestrator.worker.orders import Stores


@pytest.fixture(scope="module")
def answers(prepared: Stores, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("answers")
    stage(DatasetSource.from_store(open_store(prepared.private), "answers/v1/demo-wine"), target)
    return target


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(memory_bytes=1 << 30, seconds=60) as one:
        yield one


def test_a_submission_that_keeps_the_rules_is_valid(judge: Judge, answers: Path) -> None:
    assert judge.validate("demo-wine", "v1", answers / "answers.csv", answers) is None


def test_one_that_breaks_a_rule_gets_a_sentence(judge: Judge, answers: Path, tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id\n1\n")
    rejection = judge.validate("demo-wine", "v1", tmp_path / "submission.csv", answers)
    assert rejection is not None
    assert "cultivar_1" in rejection


def test_what_ends_the_reading_process_does_not_end_the_judge(judge: Judge, answers: Path, tmp_path: Path) -> None:
    bomb = tmp_path / "submission.csv"
    with bomb.open("wb") as file:
        file.write(b"id,cultivar_1,cultivar_2,cultivar_3\n")
        file.write(b'a,"' + b"x" * (200 << 20))
    tight = Judge(memory_bytes=32 << 20, seconds=60)
    with tight:
        with pytest.raises(NotJudged, match="memory"):
            tight.validate("demo-wine", "v1", bomb, answers)
        assert tight.validate("demo-wine", "v1", answers / "answers.csv", answers) is None


def test_an_unknown_competition_is_no_verdict(judge: Judge, answers: Path) -> None:
    with pytest.raises(NotJudged, match="demo-vine"):
        judge.validate("demo-vine", "v1", answers / "answers.csv", answers)


def test_a_judge_that_was_killed_is_replaced(answers: Path) -> None:
    with Judge(memory_bytes=1 << 30) as judge:
        assert judge.validate("demo-wine", "v1", answers / "answers.csv", answers) is None
        assert judge.process is not None
        judge.process.kill()
        judge.process.wait()
        assert judge.validate("demo-wine", "v1", answers / "answers.csv", answers) is None


def test_no_credentials_reach_the_process_that_opens_submissions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("KAGGLE_KEY", "secret")
    assert "secret" not in environment().values()
    assert environment()["PATH"] == os.environ["PATH"]


def test_memory_is_what_this_machine_has_at_most() -> None:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < available_memory() <= pages


def test_what_is_taken_is_what_is_read() -> None:
    from graders.bulk import MAX_BYTES

    assert SUBMISSION_BYTES == MAX_BYTES
