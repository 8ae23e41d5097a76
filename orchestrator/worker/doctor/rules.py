"""Whether Kaggle knows who asks, and whether the rules of what is not prepared yet are accepted."""

from __future__ import annotations

from typing import Any

import catalog
from orchestrator.storage.layout import MANIFEST, answers_prefix, dataset_prefix
from orchestrator.storage.open import open_store
from orchestrator.storage.store import StoreError
from orchestrator.worker.kaggle.credentials import find_credentials
from orchestrator.worker.kaggle.errors import CompetitionNotFound, KaggleError
from orchestrator.worker.kaggle.rules import find_refused
from orchestrator.worker.orders import DoctorOrder

WAITS = (1.0,)


def look(order: DoctorOrder) -> dict[str, Any]:
    """What Kaggle says of all that has to be fetched.

    `asked`: how many that are; `refused`: whose rules are not accepted, as places in the order's list, because last
    words are short; `trouble`: what else stands in the way.
    """
    missing = _missing(order)
    try:
        source = find_credentials().source
    except KaggleError as error:
        return {"source": "", "asked": len(missing), "refused": [], "trouble": str(error)}
    told = {"source": source, "asked": len(missing), "refused": [], "trouble": ""}
    try:
        refused, unknown = find_refused(missing, waits=WAITS)
    except KaggleError as error:
        return {**told, "trouble": str(error)}
    places = [(order.kaggle or ()).index(one) for one in refused]
    return {**told, "refused": places, "trouble": str(CompetitionNotFound(unknown)) if unknown else ""}


def _missing(order: DoctorOrder) -> list[str]:
    """Those that have to be fetched from Kaggle."""
    return [one for one in order.kaggle or () if catalog.load(one).fetch is None and not _is_prepared(one, order)]


def _is_prepared(competition: str, order: DoctorOrder) -> bool:
    if order.stores is None:
        return False
    try:
        public, private = open_store(order.stores.public), open_store(order.stores.private)
        dataset, answers = dataset_prefix(order.version, competition), answers_prefix(order.version, competition)
        return public.stat(f"{dataset}/{MANIFEST}") is not None and private.stat(f"{answers}/{MANIFEST}") is not None
    except StoreError:
        return False
