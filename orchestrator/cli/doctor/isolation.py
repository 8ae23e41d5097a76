"""Whether the network plug-in does what policies say, from two pods that differ in nothing but a policy."""

from __future__ import annotations

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.pods import Saw
from orchestrator.cli.doctor.trouble import advice

NAME, WAYS = "network policies", "agents' network"
PLUG_IN = "install a network plug-in that enforces NetworkPolicy, such as Calico or Cilium, or switch that on in yours"


def judge_isolation(held: Saw, free: Saw) -> Check:
    """The pod under a policy must not reach the canary, and the other must, or nothing is proved."""
    for saw in (held, free):
        if saw.trouble:
            return Check(NAME, "problem", f"a pod of the probe did not get to look: {saw.trouble}", advice(saw.trouble))
    under, without = held.told["network"]["canary"], free.told["network"]["canary"]
    if under["reached"]:
        told = f"a pod under a policy reached the canary ({under['heard']}): nothing holds agents back on {held.node}"
        return Check(NAME, "problem", told, PLUG_IN)
    if not without["reached"]:
        told = f"a pod without a policy of ours did not reach the canary either ({without['heard']}): nothing is proved"
        advised = "see to it that the canary runs, and that no other policy of this namespace holds every pod back"
        return Check(NAME, "problem", told, advised)
    return Check(NAME, "ok", f"held back with a policy ({under['heard']}), let through without, on {held.node}")


def judge_ways(held: Saw) -> Check:
    """What an agent's pod needs under its policy: the store, whom it trusts, and the validation service."""
    if held.trouble:
        return Check(WAYS, "skipped", "a pod of the probe did not get to look")
    shut = {address: why for address, why in held.told["network"]["must_reach"].items() if why}
    why = held.told["network"].get("trust")
    if not shut and why:
        return Check(WAYS, "problem", f"a pod reaches the store and does not trust it: {why}", advice(why))
    if not shut:
        return Check(WAYS, "ok", f"under its policy a pod reaches {', '.join(held.told['network']['must_reach'])}")
    told = "; ".join(f"{address} ({why})" for address, why in shut.items())
    unnamed = any("name" in why for why in shut.values())
    advised = "check network.dns" if unnamed else "check store.peers and store.ports against where the store really is"
    return Check(WAYS, "problem", f"under its policy a pod does not reach {told}", f"{advised}; then helm upgrade")
