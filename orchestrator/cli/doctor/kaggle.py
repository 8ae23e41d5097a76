"""Whether prepare Jobs can have what is on Kaggle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.cli.doctor.check import Check
from orchestrator.report.words import count
from orchestrator.worker.kaggle.errors import rules_page

CREATE_IT = (
    "create a Secret with KAGGLE_USERNAME and KAGGLE_KEY in the controller's namespace and name it: kaggle.secret"
)
JOIN = "join each with the account of kaggle.secret:"


def judge_kaggle(told: Mapping[str, Any], competitions: Sequence[str]) -> Check:
    """From what a pod with the prepare Jobs' Secrets found about these competitions."""
    asked, trouble = told["asked"], told["trouble"]
    if not told["source"]:
        if asked:
            words = f"{count(asked, 'competition')} not prepared yet, and prepare Jobs have no credentials"
            return Check("kaggle", "problem", words, CREATE_IT)
        words = "prepare Jobs have no credentials: only demo competitions, and what is prepared already, can be run"
        return Check("kaggle", "warning", words, CREATE_IT)
    if told["refused"]:
        words = f"the rules of {len(told['refused'])} of {count(asked, 'competition')} are not accepted"
        pages = "\n".join(rules_page(competitions[place]) for place in told["refused"])
        return Check("kaggle", "problem", f"{words}. {trouble}".strip(), f"{JOIN}\n{pages}")
    if trouble:
        return Check("kaggle", "problem", trouble, "see to that; prepare Jobs would fail for the same reason")
    if not asked:
        words = f"nothing has to be fetched, so nobody tried the credentials in {told['source']}"
        return Check("kaggle", "skipped", words, "-f FILE with a competition that is not prepared yet has them tried")
    return Check("kaggle", "ok", f"rules of {count(asked, 'competition')} are accepted")
