"""Whether prepare Jobs can have what is on Kaggle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.cli.doctor.check import Check
from orchestrator.report.words import count

CREATE_IT = (
    "create a Secret with KAGGLE_USERNAME and KAGGLE_KEY in the controller's namespace and name it: kaggle.secret"
)


def judge_kaggle(told: Mapping[str, Any]) -> Check:
    """From what a pod with the prepare Jobs' Secrets found."""
    if not told["source"]:
        if missing := told.get("missing"):
            words = f"{count(len(missing), 'competition')} not prepared yet, and prepare Jobs have no credentials"
            return Check("kaggle", "problem", words, CREATE_IT)
        words = "prepare Jobs have no credentials: only demo competitions, and what is prepared already, can be run"
        return Check("kaggle", "warning", words, CREATE_IT)
    if told["trouble"]:
        return Check("kaggle", "problem", told["trouble"], "accept the rules as that account, or correct kaggle.secret")
    if not told["asked"]:
        return Check("kaggle", "ok", f"credentials in {told['source']}; nothing has to be fetched")
    return Check("kaggle", "ok", f"rules of {count(told['asked'], 'competition')} are accepted")
