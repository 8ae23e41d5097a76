"""The check before the first byte: may this account download every chosen competition?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.worker.kaggle.client import WAITS, Kaggle
from orchestrator.worker.kaggle.errors import CompetitionNotFound, RulesNotAccepted


def check_rules(competition_ids: Iterable[str], *, waits: Sequence[float] = WAITS) -> None:
    """Return if all these competitions may be downloaded; else one error that names every one that may not, with links.

    Asks about all of them before it complains, and fetches nothing.
    """
    chosen = list(dict.fromkeys(competition_ids))
    refused, missing = find_refused(chosen, waits=waits)
    if refused:
        raise RulesNotAccepted(refused, len(chosen), also=str(CompetitionNotFound(missing)) if missing else "")
    if missing:
        raise CompetitionNotFound(missing)


def find_refused(competitions: Sequence[str], *, waits: Sequence[float] = WAITS) -> tuple[list[str], list[str]]:
    """Those whose rules are not accepted, and those that Kaggle does not have."""
    refused: list[str] = []
    missing: list[str] = []
    if not competitions:
        return refused, missing
    with Kaggle(waits) as kaggle:
        for competition in competitions:
            try:
                kaggle.require_access(competition)
            except RulesNotAccepted:
                refused.append(competition)
            except CompetitionNotFound:
                missing.append(competition)
    return refused, missing
