"""The task text that an agent finds at /home/instructions.txt, from the template beside this file."""

from __future__ import annotations

from pathlib import Path
from string import Template

import catalog
from orchestrator.worker.orders import StageOrder

TEMPLATE = Path(__file__).with_name("instructions.txt")


def write_instructions(order: StageOrder) -> str:
    """The text for one attempt of one competition."""
    competition = catalog.load(order.competition)
    time = "see TIME_LIMIT_SECS" if order.time_limit_seconds is None else in_words(order.time_limit_seconds)
    hardware = order.hardware or "see HARDWARE"
    limit = (
        "The environment variable TIME_LIMIT_SECS says how many seconds you have."
        if order.time_limit_seconds is None
        else f"You have {time} ({order.time_limit_seconds:.0f} seconds) from the moment you are started."
    )
    return Template(TEMPLATE.read_text()).substitute(
        name=competition.name,
        competition=competition.id,
        home=order.home.rstrip("/"),
        time=time,
        hardware=hardware,
        validation_url=order.validation_url.rstrip("/"),
        time_and_hardware=f"{limit} Hardware: {hardware}.",
    )


def in_words(seconds: float) -> str:
    """A span of time as people say it: `24 hours`, `1 hour 30 minutes`, `40 seconds`."""
    left = max(0, round(seconds))
    parts = []
    for name, size in (("hour", 3600), ("minute", 60), ("second", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts) or "0 seconds"
