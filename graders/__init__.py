"""Submission + answers -> score, medal and report; one module a competition.

`grade` and `validate` are the ways in. The modules of `graders.competitions` say what is particular to a competition in
the words of `graders.toolkit` and `graders.metrics`.
"""

from __future__ import annotations

from pathlib import Path

from graders.errors import GraderError, InvalidSubmission, Reason
from graders.report import Report

__all__ = ["GraderError", "InvalidSubmission", "Reason", "Report", "grade", "validate"]


def grade(competition_id: str, submission: Path, answers_dir: Path, version: str = "v1") -> Report:
    """Grade a submission against the answers in the competition's private folder.

    A submission that is missing or breaks a rule gets a report that says so. What is not the submission's fault raises
    `GraderError`.
    """
    from graders import grading  # pandas is imported only when there is something to grade

    return grading.grade(competition_id, submission, answers_dir, version)


def validate(competition_id: str, submission: Path, answers_dir: Path, version: str = "v1") -> InvalidSubmission | None:
    """Why a submission would be rejected, or None if it is valid; never anything about its score."""
    from graders import grading

    return grading.validate(competition_id, submission, answers_dir, version)
