"""run.json and clock.json: what an attempt had and how it ended, written by the courier, read by the controller."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from orchestrator.core.model import AttemptRecord


def build_record(
    facts: Mapping[str, Any], pages: Mapping[str, Any], clock: Mapping[str, Any], submission: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What run.json says: the facts known before the start, and what the courier saw."""
    ended = pages["ended"]
    last_words = ended or {}
    return {
        **facts,
        "clock": dict(clock),
        "exit_code": _number(last_words, "exit_code"),
        "deadline_reached": pages["deadline_reached"],
        "interrupted": pages["interrupted"],
        "platform_notice": pages["noticed"],
        "launcher_terminated": _signal(last_words),
        "launcher_lost": ended is None or "lost" in last_words,
        "has_submission": submission is not None,
        "submission": submission,
        "snapshots": [snapshot for snapshot in pages["snapshots"] if snapshot["uploaded"]],
        "validations": pages["validations"],
        "out_of_memory": _oom_kills(last_words) > 0,
        "memory_events": {"oom_kills": _oom_kills(last_words)},
        "hardware": hardware(pages["seen"]),
        "notes": pages["notes"],
    }


def hardware(seen: Mapping[str, list[str]]) -> dict[str, Any]:
    """CPUs, memory and GPUs as the agent's container saw them, in plain units; None where it could not tell."""
    return {
        "cpus": _cpus(_first(seen, "cpus_allowed")),
        "cpu_quota": _first(seen, "cpu_quota"),
        "memory_limit_bytes": _limit(_number(seen, "memory_limit")),
        "memory_bytes": _kilobytes(_first(seen, "memory_total")),
        "gpus": seen.get("gpu", []),
    }


def read_record(data: bytes) -> AttemptRecord:
    """What decisions need of run.json."""
    record = json.loads(data)
    return AttemptRecord(
        exit_code=record["exit_code"],
        deadline_reached=record["deadline_reached"],
        interrupted=record["interrupted"],
        has_submission=record["has_submission"],
        consumed_seconds=record["clock"]["consumed_seconds"],
        out_of_memory=record["out_of_memory"],
        model_budget_spent=bool(record.get("model_budget_spent")),
    )


def read_clock(data: bytes) -> float:
    """Consumed seconds of the run's budget, as of clock.json."""
    return float(json.loads(data)["consumed_seconds"])


def _first(said: Mapping[str, list[str]], key: str) -> str | None:
    return said[key][0] if said.get(key) else None


def _number(said: Mapping[str, list[str]], key: str) -> int | None:
    text = _first(said, key) or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _signal(said: Mapping[str, list[str]]) -> str | None:
    """The signal that ended the launcher. The agent could have written this file, so only what we know is repeated."""
    word = _first(said, "terminated")
    return word if word in ("TERM", "INT", "HUP") else None


def _oom_kills(said: Mapping[str, list[str]]) -> int:
    before, after = _number(said, "oom_kills_before"), _number(said, "oom_kills_after")
    return max(0, (after or 0) - (before or 0))


def _cpus(allowed: str | None) -> int | None:
    """How many CPUs a list such as `0-3,8` names."""
    try:
        ends = [part.split("-") for part in (allowed or "").split(",")]
        return sum(int(end[-1]) - int(end[0]) + 1 for end in ends)
    except ValueError:
        return None


def _limit(number: int | None) -> int | None:
    """Version 1 of the control groups says "no limit" with a number that no machine has."""
    return None if number is None or number >= 1 << 60 else number


def _kilobytes(text: str | None) -> int | None:
    number = (text or "").removesuffix(" kB")
    return int(number) * 1024 if number.isdigit() else None
