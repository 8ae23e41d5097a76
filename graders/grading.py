"""From a file to a report: run the competition's grader and hold the score against the medal lines."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

import catalog
from catalog import Competition
from graders.errors import GraderError, InvalidSubmission
from graders.report import Report
from graders.standing import is_above_median, medal_of, percent_beaten
from graders.toolkit.entry import Answers, Entry, Version

DECIMALS = 5


def grade(competition_id: str, submission: Path, answers_dir: Path, version: str) -> Report:
    """See `graders.grade`."""
    competition = catalog.load(competition_id)
    if not was_submitted(submission):
        return _report(competition, submission, version, submission_exists=False, reason=_why_not_submitted(submission))
    entry = _entry(competition, submission, answers_dir, version)
    try:
        score = _score(entry)
    except InvalidSubmission as rejected:
        return _report(competition, submission, version, reason=rejected.sentence, rejection=rejected.as_data())
    return _scored(entry, score)


def validate(competition_id: str, submission: Path, answers_dir: Path, version: str) -> InvalidSubmission | None:
    """See `graders.validate`."""
    competition = catalog.load(competition_id)
    try:
        _score(_entry(competition, submission, answers_dir, version))
    except InvalidSubmission as rejected:
        return rejected
    return None


def was_submitted(submission: Path) -> bool:
    """Whether there is anything to judge: a file, or a link in its place, whose name ends in .csv."""
    return submission.name.endswith(".csv") and os.path.lexists(submission)


def _why_not_submitted(submission: Path) -> str:
    if os.path.lexists(submission):
        return f"Nothing was submitted: {submission.name} does not end in .csv."
    return f"Nothing was submitted: there is no file {submission.name}."


def _entry(competition: Competition, submission: Path, answers_dir: Path, version: str) -> Entry:
    return Entry(competition, _known(version), submission, Answers(answers_dir))


def _known(version: str) -> Version:
    if version == "v1":
        return "v1"
    if version == "v2":
        return "v2"
    raise ValueError(f"There is no version {version!r} of the benchmark: write v1 or v2.")


def _score(entry: Entry) -> float:
    """The score as the competition's grader gives it, not rounded; may be infinite or not a number."""
    score = _grader(entry.competition)
    try:
        with np.errstate(all="ignore"):  # absurd numbers give absurd scores, and no noise
            return float(score(entry))
    except (InvalidSubmission, GraderError):
        raise
    except Exception as error:
        raise GraderError(
            f"The grader of {entry.competition.id} ({entry.version}) failed with {type(error).__name__}: {error}. "
            "This is a defect of the grader and no verdict on the submission."
        ) from error


def _grader(competition: Competition) -> Callable[[Entry], float]:
    try:
        grader: Callable[[Entry], float] = resolve_name(competition.grader)
    except (ImportError, AttributeError) as error:
        raise GraderError(
            f"{competition.id} has no grader: {competition.grader} can't be imported ({error})."
        ) from error
    return grader


def _scored(entry: Entry, exact: float) -> Report:
    competition, better_low = entry.competition, entry.competition.lower_is_better
    warnings = tuple(entry.warnings)
    if not isfinite(exact):
        reason = f"The submission is valid, but its score is not a finite number ({exact}): it wins nothing."
        return _report(competition, entry.path, entry.version, valid=True, reason=reason, warnings=warnings)
    score = round(exact, DECIMALS)
    return _report(
        competition,
        entry.path,
        entry.version,
        valid=True,
        score=score,
        medal=medal_of(score, competition.medals, lower_is_better=better_low),
        above_median=is_above_median(score, competition.medals, lower_is_better=better_low),
        percentile=percent_beaten(score, competition.percentiles, lower_is_better=better_low),
        warnings=warnings,
    )


def _report(competition: Competition, submission: Path, version: str, **found: Any) -> Report:
    facts: dict[str, Any] = {
        "competition_id": competition.id,
        "score": None,
        "valid": False,
        "medal": None,
        "above_median": False,
        "gold_threshold": competition.medals.gold,
        "silver_threshold": competition.medals.silver,
        "bronze_threshold": competition.medals.bronze,
        "median_threshold": competition.medals.median,
        "lower_is_better": competition.lower_is_better,
        "submission_exists": True,
        "submission_path": str(submission),
        "created_at": datetime.now(UTC),
        "version": version,
    }
    return Report(**(facts | found))
