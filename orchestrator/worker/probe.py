"""The probe: proves, in the agent's pod and before the clock starts, that what must be blocked is blocked.

Network plug-ins enforce a policy some time after a pod has started, so the probe tries again and again until nothing
was reached for `hold_seconds` on end. If that never happens within its patience, the run is refused.

The canary is the witness. It stands where the agent must not get to and answers everybody, which the validation service
confirms before and after: an address that nobody reaches proves nothing. A canary that is away is waited for; if it
went away in the middle, all is tried again, because its silence was its own. Its banner can come from nobody else, so

    the canary is reached     by its banner, or by a connection in which nothing is said (to be on the safe side); a
                              connection that is refused or hung up was refused by the plug-in, as the canary never does
    another address is reached     by a connection, a DNS answer, or a refusal (the packet got to the host, which
                              refused it), unless the plug-in was just seen to refuse the canary: then a refusal is the
                              plug-in's own word

Silence and "no route" are what a policy looks like. What was tried and seen goes into the run's record.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from orchestrator.core.failures import Reason
from orchestrator.worker.addresses import BadAddress, split_address
from orchestrator.worker.desk_client import DeskClient, Refused, persist, pod_nonce
from orchestrator.worker.dial import DNS_PORT, PROTOCOLS, Address, Heard, Protocol, dial, dial_canary, resolve
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.files import replace_file
from orchestrator.worker.orders import ProbeOrder
from orchestrator.worker.pod_facts import PROOF

log = logging.getLogger("mlectl.probe")

DIAL_SECONDS = 2.5
"""A packet that got lost is sent again after one second, so silence for longer is no accident."""
PAUSE_SECONDS = 0.5
CANARY_PAUSE_SECONDS = 2.0
"""Between questions about a canary that is away; the service takes sixty a minute from an attempt."""
CANARY_IS_REACHED = (Heard.ANSWER, Heard.CONNECTION)
OTHER_IS_REACHED = (Heard.ANSWER, Heard.CONNECTION, Heard.HANG_UP)


def main(order: ProbeOrder) -> int:
    probe = Probe(order)
    proof = probe.prove()
    order.private.mkdir(parents=True, exist_ok=True)
    replace_file(order.private / PROOF, json.dumps(proof, indent=1))
    log.info("nothing was reached for %.1f s", proof["held_seconds"])
    return ExitCode.DONE


@dataclass(frozen=True)
class Target:
    """An address that must not be reached."""

    name: str
    """As the operator wrote it."""
    protocol: Protocol
    address: Address | None
    """None: its name is not known here, so it can't be reached by it."""
    is_canary: bool = False

    def __str__(self) -> str:
        return f"{self.protocol} {self.name}"

    def try_it(self) -> Heard | None:
        if self.address is None:
            return None
        return (dial_canary if self.is_canary else dial)(self.address, self.protocol, DIAL_SECONDS)


@dataclass
class Tally:
    """What was seen at one target, over all rounds."""

    tries: int = 0
    reached: int = 0
    last: Heard | None = None


@dataclass
class Probe:
    """One pod's probe."""

    order: ProbeOrder
    tallies: dict[Target, Tally] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def prove(self) -> dict[str, Any]:
        """The proof; a failure if there is none."""
        while (proof := self.try_to_prove()) is None:
            log.info("the canary went away in the middle, so that its silence proves nothing; trying again")
        return proof

    def try_to_prove(self) -> dict[str, Any] | None:
        """The proof; None if the canary was there before and not after."""
        self.tallies.clear()
        confirmed = [self.wait_for_canary()] if self.order.canary else []
        targets = [*self.canary_targets(confirmed[0] if confirmed else {}), *self.other_targets()]
        if not targets:
            raise refusal("There is nothing to try: name a canary, or addresses that must be blocked, in the settings.")
        rounds, held_seconds = self.wait_until_blocked(targets)
        if self.order.canary:
            confirmed.append(self.ask_for_canary())
            if not confirmed[-1]["tcp"]:
                return None
        return {
            "proved_at": datetime.now(UTC).isoformat(),
            "waited_seconds": round(time.monotonic() - self.began, 3),
            "held_seconds": round(held_seconds, 3),
            "rounds": rounds,
            "canary": self.order.canary,
            "canary_answered_service_at": [one["at"] for one in confirmed],
            "tried": [self.describe(target) for target in targets],
        }

    def wait_for_canary(self) -> Mapping[str, Any]:
        """The service's word that the canary answers; a failure if it does not within our patience."""
        while not (said := self.ask_for_canary())["tcp"]:
            if time.monotonic() + CANARY_PAUSE_SECONDS - self.began > self.order.patience_seconds:
                raise refusal(
                    f"The canary {self.order.canary} does not answer the validation service, so this probe would prove "
                    "nothing; see to it that the canary runs and that the service may reach it, then retry."
                )
            log.info("the canary does not answer the validation service; asking again in %.1f s", CANARY_PAUSE_SECONDS)
            time.sleep(CANARY_PAUSE_SECONDS)
        return said

    def ask_for_canary(self) -> Mapping[str, Any]:
        """The service's word whether the canary answers."""
        desk = DeskClient(self.order.desk, "probe", pod_nonce(self.order.private), Reason.NETWORK_NOT_ISOLATED)
        try:
            said = persist(desk.canary, self.order.patience_seconds, Reason.NETWORK_NOT_ISOLATED)
        except Refused as refused:
            raise refusal(f"The validation service does not vouch for the canary: {refused.message}") from refused
        if said["canary"] != self.order.canary:
            raise refusal(
                f"The validation service knows the canary at {said['canary']} and this pod at {self.order.canary}; "
                "give both the same address."
            )
        return {**said, "at": datetime.now(UTC).isoformat()}

    def canary_targets(self, said: Mapping[str, Any]) -> list[Target]:
        """At the address where the service found it; over UDP only if it answers there."""
        name = self.order.canary or ""
        address = (str(said["address"][0]), int(said["address"][1])) if said else None
        return [Target(name, protocol, address, is_canary=True) for protocol in PROTOCOLS if said.get(protocol)]

    def other_targets(self) -> list[Target]:
        targets = []
        for name in self.order.blocked:
            try:
                host, port = split_address(name)
            except BadAddress as error:
                raise refusal(str(error)) from error
            address = resolve(host, port)
            targets += [Target(name, each, address) for each in PROTOCOLS if each == "tcp" or port == DNS_PORT]
        return targets

    def wait_until_blocked(self, targets: Sequence[Target]) -> tuple[int, float]:
        """Try all until none was reached for long enough; the number of rounds, and how long."""
        first = time.monotonic()
        blocked_since: float | None = None
        rounds = 0
        with ThreadPoolExecutor(min(32, len(targets))) as pool:
            while True:
                begun = time.monotonic()
                reached = self.try_all(targets, pool.map)
                rounds += 1
                now = time.monotonic()
                if reached:
                    blocked_since = None
                elif blocked_since is None:
                    blocked_since = begun
                if blocked_since is not None and now - blocked_since >= self.order.hold_seconds:
                    return rounds, now - blocked_since
                if now - first > self.order.patience_seconds:
                    raise not_isolated(reached, now - first)
                time.sleep(max(0.0, begun + PAUSE_SECONDS - now))

    def try_all(self, targets: Sequence[Target], mapped: Callable[..., Any]) -> list[Target]:
        """One round; the targets that were reached."""
        heard: dict[Target, Heard | None] = dict(zip(targets, mapped(Target.try_it, targets), strict=True))
        plug_in_refuses = any(heard[each] in (Heard.REFUSAL, Heard.HANG_UP) for each in targets if each.is_canary)
        reached = [each for each in targets if is_reached(each, heard[each], plug_in_refuses)]
        for target in targets:
            tally = self.tallies.setdefault(target, Tally())
            tally.tries += 1
            tally.reached += target in reached
            tally.last = heard[target]
        return reached

    def describe(self, target: Target) -> dict[str, Any]:
        tally = self.tallies[target]
        return {
            "address": target.name,
            "resolved": None if target.address is None else target.address[0],
            "protocol": target.protocol,
            "tries": tally.tries,
            "reached": tally.reached,
            "found": "its name is not known" if tally.last is None else tally.last.value,
        }


def is_reached(target: Target, heard: Heard | None, plug_in_refuses: bool) -> bool:
    """Whether what came back says that the packet went through."""
    if target.is_canary:
        return heard in CANARY_IS_REACHED
    return heard in OTHER_IS_REACHED or (heard is Heard.REFUSAL and not plug_in_refuses)


def not_isolated(reached: Sequence[Target], seconds: float) -> WorkerFailure:
    reachable = ", ".join(map(str, reached)) or "nothing at the last try, but something shortly before"
    return refusal(
        f"After {seconds:.0f} s this pod still reached what must be blocked: {reachable}. "
        "Check that the network plug-in enforces NetworkPolicy; the agent was not started."
    )


def refusal(message: str) -> WorkerFailure:
    return WorkerFailure(Reason.NETWORK_NOT_ISOLATED, message)
