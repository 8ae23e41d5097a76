"""Rules that nobody has accepted, of competitions whose turn to be prepared is still to come.

Preparing them all takes days, and a person can accept rules in minutes: so a preparation asks for those that wait
behind it, before it fetches anything, and tells the public store. That is for the status alone; each competition is
asked for again when its turn comes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from pydantic import TypeAdapter, ValidationError

import catalog
from orchestrator.storage.layout import RULES
from orchestrator.storage.store import Store, StoreError

log = logging.getLogger("mlectl.prepare")

REFUSAL = "Its rules were not accepted on {when:%-d %B, %H:%M} UTC: join it at {page} before its turn comes."
REFUSED = TypeAdapter(dict[str, str])


def ask_ahead(competitions: Iterable[str], public: Store) -> None:
    """Note which of these are refused, and why. Whatever goes wrong here is no reason not to prepare."""
    asked = [one for one in competitions if catalog.load(one).fetch is None]
    if not asked:
        return
    from orchestrator.worker import kaggle

    try:
        refused, _ = kaggle.find_refused(asked)
        known = read_refused(public.read(RULES))
        still = {one: why for one, why in known.items() if one not in asked}
        still |= {one: REFUSAL.format(when=datetime.now(UTC), page=kaggle.rules_page(one)) for one in refused}
        public.write(RULES, REFUSED.dump_json(still))
    except (kaggle.KaggleError, StoreError) as error:
        log.warning("the rules of those that come later can't be asked for: %s", error)


def read_refused(data: bytes | None) -> Mapping[str, str]:
    """What was told last, by competition; nothing if this version does not understand it."""
    if data is None:
        return {}
    try:
        return REFUSED.validate_json(data)
    except ValidationError:
        return {}
