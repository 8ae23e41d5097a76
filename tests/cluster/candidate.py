"""A candidate for leadership as a process: `python -m tests.cluster.candidate KUBECONFIG NAMESPACE IDENTITY`.

It writes a line for every turn, and one every hundredth of a second while it believes in its leadership; the times are
those of the machine's clock, so those of two candidates can be compared. TERM stops it gracefully.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.lease import Leadership, Terms

TERMS = Terms(lease_seconds=4, renew_seconds=2.0, retry_seconds=0.3)
LEASE = "leader"


def say(what: str) -> None:
    os.write(1, f"{time.clock_gettime(time.CLOCK_BOOTTIME):.4f} {what}\n".encode())  # at once, so lines don't mix


def main() -> None:
    kubeconfig, namespace, identity = sys.argv[1:]
    leadership = Leadership(
        Api.connect(Path(kubeconfig)),
        namespace,
        LEASE,
        identity=identity,
        terms=TERMS,
        on_started=lambda: say("started"),
        on_stopped=lambda: say("stopped"),
    )
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ending.set())
    leadership.start()
    say("runs")
    while not ending.wait(0.01):
        if leadership.is_leader:
            say("leads")
    leadership.stop()
    say("ended")


if __name__ == "__main__":
    main()
