"""What the two identities may do in the three stores, and how long data takes on its way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.pods import Saw
from orchestrator.cli.doctor.trouble import advice
from orchestrator.report.words import duration

MAY: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "controller": dict.fromkeys(("public", "private", "runs"), ("read", "write", "delete")),
    "grader": {"public": ("read",), "private": ("read",), "runs": ("read", "write")},
}
"""As the page on installing gives them."""
MUST_NOT = {"controller": (), "grader": ("public", "private")}
"""Where an identity must not write: whoever took the validation service over could change the answers."""
LONG_SECONDS = 2 * 3600.0
"""Staging does not count against an agent's time, but its node is paid for."""


def judge_identity(identity: str, saw: Saw) -> Check:
    name = f"store as {identity}"
    if saw.trouble:
        return Check(name, "problem", f"its pod did not get to look: {saw.trouble}", advice(saw.trouble))
    deeds: Mapping[str, Mapping[str, str]] = saw.told["stores"]
    failed = [
        (store, deed, deeds[store][deed])
        for store, wanted in MAY[identity].items()
        for deed in wanted
        if deeds[store].get(deed)
    ]
    if failed:
        store, deed, why = failed[0]
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        advised = f"give the {identity}'s Secret the keys of an identity that may (store.{identity}Secret)"
        return Check(name, "problem", f"it can't {deed} in {store}{more}: {why}", advice(why, advised))
    if loose := [store for store in MUST_NOT[identity] if not deeds[store]["write"]]:
        told = f"it may write to {' and '.join(loose)}: whoever takes over the validation service could change answers"
        return Check(name, "problem", told, "take that right from it, or give it keys of its own (store.graderSecret)")
    rights = ", ".join(f"{store}: {' '.join(wanted)}" for store, wanted in MAY[identity].items())
    return Check(name, "ok", rights)


def judge_speed(told: Mapping[str, Any], largest_gb: float) -> Check:
    """`largest_gb`: of the data sets that are to be staged; 0: nobody knows."""
    if "trouble" in told:
        why = str(told["trouble"])
        return Check("store's speed", "problem", why, advice(why, "see to the store; then look again"))
    found = f"{told['up']:g} MB/s up, {told['down']:g} MB/s down (one stream, {told['bytes'] / 1e6:.0f} MB)"
    if not largest_gb:
        return Check("store's speed", "ok", found)
    seconds = largest_gb * 1000 / told["down"]
    found = f"{found}: {duration(seconds)} to stage the largest data set, {largest_gb:g} GB"
    if seconds > LONG_SECONDS:
        return Check("store's speed", "warning", found, "a node that stages is paid for; move the store nearer to it")
    return Check("store's speed", "ok", found)
