"""run.json from what the courier saw, and back to what decisions need."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.model import AttemptRecord
from orchestrator.worker.journal import PAGES, Pages
from orchestrator.worker.record import build_record, hardware, read_clock, read_record

CLOCK = {"consumed_seconds": 12.5}


def record(
    submission: dict[str, Any] | None = None, facts: dict[str, Any] | None = None, **pages: Any
) -> dict[str, Any]:
    return build_record(facts or {}, PAGES.dump_python(Pages(**pages), mode="json"), CLOCK, submission)


@pytest.mark.parametrize(
    "ended, want",
    [
        pytest.param({"exit_code": ["0"]}, (0, False, False), id="an ordinary end"),
        pytest.param({"exit_code": ["137"]}, (137, False, False), id="killed"),
        pytest.param(
            {"exit_code": ["0"], "oom_kills_before": ["1"], "oom_kills_after": ["2"]}, (0, True, False), id="oom"
        ),
        pytest.param(
            {"exit_code": ["0"], "oom_kills_before": ["2"], "oom_kills_after": ["2"]}, (0, False, False), id="old oom"
        ),
        pytest.param(None, (None, False, True), id="no word from the launcher"),
        pytest.param({"lost": ["1"]}, (None, False, True), id="a launcher that died"),
        pytest.param({"exit_code": ["-1"], "oom_kills_after": ["many"]}, (None, False, False), id="forged"),
        pytest.param({"exit_code": ["9" * 5000]}, (None, False, False), id="forged and long"),
    ],
)
def test_how_an_attempt_ended(ended: dict[str, list[str]] | None, want: tuple[int | None, bool, bool]) -> None:
    found = record(ended=ended)
    assert (found["exit_code"], found["out_of_memory"], found["launcher_lost"]) == want


@given(
    st.dictionaries(st.sampled_from(["exit_code", "terminated", "oom_kills_after"]), st.lists(st.text(), min_size=1))
)
def test_nothing_an_agent_can_write_is_repeated(ended: dict[str, list[str]]) -> None:
    found = record(ended=ended)
    assert found["launcher_terminated"] in (None, "TERM", "INT", "HUP")
    assert found["exit_code"] is None or isinstance(found["exit_code"], int)
    json.dumps(found)


def test_facts_known_before_the_start_are_kept() -> None:
    assert record(facts={"image": "x@sha256:1"})["image"] == "x@sha256:1"


def test_decisions_read_what_was_recorded() -> None:
    data = json.dumps(record({"sha256": "1"}, deadline_reached=True, ended={"exit_code": ["143"]})).encode()
    want = AttemptRecord(
        exit_code=143, deadline_reached=True, interrupted=False, has_submission=True, consumed_seconds=12.5
    )
    assert read_record(data) == want


def test_a_clock_is_read_alone() -> None:
    assert read_clock(b'{"consumed_seconds": 3, "budget_seconds": 60}') == 3.0


@pytest.mark.parametrize("allowed, want", [("0-3,8", 5), ("0", 1), ("0-1", 2), ("", None), ("?", None)])
def test_cpus_are_counted(allowed: str, want: int | None) -> None:
    assert hardware({"cpus_allowed": [allowed]})["cpus"] == want


def test_memory_is_in_bytes_and_unlimited_is_none() -> None:
    found = hardware({"memory_limit": ["max"], "memory_total": ["1024 kB"]})
    assert (found["memory_limit_bytes"], found["memory_bytes"], found["gpus"]) == (None, 1 << 20, [])


def test_a_limit_that_no_machine_has_is_none() -> None:
    assert hardware({"memory_limit": ["9223372036854771712"]})["memory_limit_bytes"] is None
    assert hardware({"memory_limit": ["472446402560"]})["memory_limit_bytes"] == 440 << 30


def test_every_graphics_card_is_named() -> None:
    assert (
        hardware({"gpu": ["NVIDIA A10, 23028 MiB", "NVIDIA A10, 23028 MiB"]})["gpus"] == ["NVIDIA A10, 23028 MiB"] * 2
    )
