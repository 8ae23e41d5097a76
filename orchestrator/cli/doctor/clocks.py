"""Whether clocks agree: stores refuse requests, and signed URLs, of somebody whose clock is far off."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.pods import Saw

SLIGHT_SECONDS = 5.0
MUCH_SECONDS = 60.0


def judge_clocks(ahead: Mapping[str, float | str], name: str = "clocks", whose: str = "a pod's") -> Check:
    """From the seconds by which a pod's clock is ahead of each other clock, or why that is not known."""
    known = {other: seconds for other, seconds in ahead.items() if isinstance(seconds, int | float)}
    unknown = {other: why for other, why in ahead.items() if isinstance(why, str)}
    told = ", ".join(f"{seconds:+.1f} s against the {other}'s" for other, seconds in known.items())
    worst = max(map(abs, known.values()), default=0.0)
    if worst > MUCH_SECONDS:
        return Check(name, "problem", f"{whose} clock is off: {told}", "run NTP on every node")
    if worst > SLIGHT_SECONDS:
        return Check(name, "warning", f"{whose} clock is off: {told}", "run NTP on every node")
    if unknown:
        words = ", ".join(f"{other} ({why})" for other, why in unknown.items())
        return Check(name, "warning", f"could not be compared with: {words}{'; ' if told else ''}{told}")
    return Check(name, "ok", told)


def judge_agents_clock(saw: Saw) -> Check:
    """Of a pod where agents run: URLs signed elsewhere are used there. Others may keep it off the API server."""
    name, ahead = "agents' clock", saw.told.get("clocks", {}).get("API server", saw.trouble)
    if isinstance(ahead, str):
        return Check(name, "skipped", f"not compared with the API server's: {ahead or 'nobody looked'}")
    return judge_clocks({"API server": ahead}, name, f"on {saw.node} a pod's")
