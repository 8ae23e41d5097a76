"""Names of tasks. A name derives from what the task is, so that creating it twice is harmless.

    agent-spooky-author-identificatio-s0-a1-85823340114b
    grade-spooky-author-identifica-s0-a1-t1-a9f1671dd94b
    prepare-spooky-author-identification-t1-0d3237c99296

The words are for people, cut to fit; the digits at the end stand for all that the name derives from, so that two tasks
never share one, whatever was cut off and however their ids are spelt (AI4Code and ai4code are two).
"""

from __future__ import annotations

import json
import re
from hashlib import sha256

from orchestrator.core.model import AttemptKey, Role, RunKey

LONGEST = 52
"""A Job's name becomes its pods' with a suffix of 11 characters, and a pod's name may have 63."""


def agent_task(uid: str, key: AttemptKey) -> str:
    """The agent task that carries out an attempt."""
    return task_name(uid, key.competition, key.seed, Role.AGENT, key.attempt)


def grade_task(uid: str, key: AttemptKey, attempt: int) -> str:
    """The `attempt`-th try at grading an attempt of a run."""
    return task_name(uid, key.competition, key.seed, Role.GRADE, attempt, grades_attempt=key.attempt)


def prepare_task(version: str, competition: str, attempt: int) -> str:
    """The `attempt`-th try at preparing a competition's dataset: one task for all experiments that need it."""
    return task_name(version, competition, None, Role.PREPARE, attempt)


def task_name(
    owner: str, competition: str, seed: int | None, role: Role, attempt: int, *, grades_attempt: int | None = None
) -> str:
    """A DNS label of at most 52 characters, the same for the same arguments and for no others.

    The owner is an experiment's uid, or the benchmark's version for what all of its experiments share.
    """
    identity = json.dumps([owner, competition, seed, role, attempt, grades_attempt])
    digest = sha256(identity.encode()).hexdigest()[:12]
    tail = "".join(
        [
            "" if seed is None else f"-s{seed}",
            "" if grades_attempt is None else f"-a{grades_attempt}",
            f"-a{attempt}" if role is Role.AGENT else f"-t{attempt}",
            f"-{digest}",
        ]
    )
    return _fit(f"{role}-{_plain(competition)}", LONGEST - len(tail)) + tail


def describe(run: RunKey) -> str:
    """How sentences name a run."""
    return f"{run.competition}, seed {run.seed}"


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _fit(text: str, longest: int) -> str:
    return text[:longest].rstrip("-")
