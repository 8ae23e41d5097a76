"""The courier: keeps the agent's clock, answers its validations, takes snapshots, and collects what it leaves.

It lives beside the agent and out of its reach. From the launcher's `ready` on, everything follows from its own clock:

    ready ──► clock starts, go ──► running ──► the agent ended            ──► collect ──► collected
                                      ├──────► the budget is spent: freeze the submission, stop
                                      └──────► somebody ended us (TERM, or in a pod the platform's notice): stop

Where no time is left to begin with (a run that goes on after its budget was spent), the agent is not started: what its
earlier attempt had saved is collected. In a pod the courier stays until it is ended, as a sidecar should.

What it must not forget is on file (`journal.py`, `clock.py`), so it may be killed anywhere and started again.
"""

from __future__ import annotations

import json
import logging
import shutil
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from orchestrator.core.failures import Reason
from orchestrator.worker.clock import Clock
from orchestrator.worker.collect import send_files, send_record, to_json
from orchestrator.worker.control import STAGED, Control
from orchestrator.worker.desk_client import DeskClient, Refused, pod_nonce
from orchestrator.worker.endpoint import serve_agent
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.files import read_plain
from orchestrator.worker.forward import ValidationClient
from orchestrator.worker.journal import Journal
from orchestrator.worker.notice import heed_notice
from orchestrator.worker.orders import CourierOrder
from orchestrator.worker.snapshots import Snapshots
from orchestrator.worker.submission import Copied, copy_submission
from orchestrator.worker.upload_urls import UploadUrls
from orchestrator.worker.uploads import Uploads

log = logging.getLogger("mlectl.courier")

POLL_SECONDS = 0.1
LATE_SECONDS = 2.0
"""Later than this after the budget's end, a file is no proof of what was there at the end."""
SILENCE_SECONDS = 5.0
"""A launcher that is asked to stop and shows no sign of life for so long is gone."""
KILL_SECONDS = 35.0
"""After the grace, for the launcher to kill and to say so."""
DESK_SECONDS = 600.0
"""How long an agent may wait for our URLs before it is started."""
WRITTEN = "The submission was being written when the budget ended."
NO_DESK = "The validation service gave no URLs, so the agent was not started; the courier's log says why."
TOUCHED = "The courier was away when the budget ended, and the submission may have been changed before it was back."


def main(order: CourierOrder) -> int:
    courier = Courier(order)
    signal.signal(signal.SIGTERM, courier.on_signal)
    signal.signal(signal.SIGINT, courier.on_signal)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # whoever started us may have held one back
    courier.run()
    return ExitCode.DONE


class Courier:
    """One attempt, from `ready` to `collected`."""

    def __init__(self, order: CourierOrder) -> None:
        self.order = order
        self.scratch = order.scratch or order.control.with_name("courier")
        self.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.control = Control(order.control)
        self.clock = Clock(self.scratch / "clock.json", order.budget_seconds, order.consumed_seconds)
        self.journal = Journal(self.scratch / "journal.json")
        self.urls = self.desk_urls()
        self.uploads = Uploads(self.urls or order.uploads, order.patience_seconds)
        self.snapshots = Snapshots(order, self.clock, self.journal, self.uploads, self.scratch)
        self.publisher = ClockPublisher(self.clock, self.uploads, self.staged)
        self.is_told_to_end = False
        self.terminated = threading.Event()
        self.stop_said_at: float | None = None

    def desk_urls(self) -> UploadUrls | None:
        """In a pod, URLs from the desk."""
        if self.order.desk is None:
            return None
        if self.order.private is None:
            raise WorkerFailure(Reason.FILES_LOST, "An order with a desk needs a private folder too; name both.")
        desk = DeskClient(self.order.desk, "courier", pod_nonce(self.order.private), Reason.FILES_LOST)
        return UploadUrls(desk, self.scratch / "urls.json")

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        self.is_told_to_end = True
        self.terminated.set()

    def on_notice(self) -> None:
        """The platform is about to take the pod away. Written down before it goes on to end the agent.

        An agent that has ended by itself is collected as one that did.
        """
        if not self.is_told_to_end:
            log.info("the platform says that this pod is about to go")
        self.is_told_to_end = True
        if self.clock.has_started and self.control.said("ended") is None:
            with self.journal.change() as pages:
                pages.noticed = True
            self.interrupt()

    def run(self) -> None:
        with heed_notice(self.order.notice, self.order.token, self.on_notice):
            try:
                self.carry_out()
            except Refused:
                log.warning("the attempt is not ours any more: ending the agent without collecting")
                self.control.say_stop(0)
                self.control.say_collected()
                raise
            if self.order.notice is not None:
                self.terminated.wait()

    def carry_out(self) -> None:
        if not self.journal.pages.collected:
            client = ValidationClient(self.order.validation, self.order.token)
            with serve_agent(self.order.listen, client, self.journal, self.scratch):
                if not self.begin():
                    log.info("told to end before the agent began: there is nothing to collect")
                    self.control.say_stop(0)
                    return
                self.watch()
            self.finish()
        self.control.say_collected()
        for name in ("final.csv", "latest.csv"):
            (self.scratch / name).unlink(missing_ok=True)

    def begin(self) -> bool:
        """Wait for the launcher, start the clock and give the word. False if we are told to end before that."""
        give_up = time.monotonic() + DESK_SECONDS
        while not self.clock.has_started:
            seen = self.control.said("ready")
            if self.is_told_to_end:
                return False
            if seen is not None and (self.urls is None or self.urls.are_there):
                with self.journal.change() as pages:
                    pages.seen = seen
                self.clock.start()
            elif seen is not None and time.monotonic() > give_up:
                self.control.say_stop(0)
                raise WorkerFailure(Reason.STORE_UNAVAILABLE, NO_DESK, try_again=True)
            else:
                time.sleep(POLL_SECONDS / 2)
        if self.has_time:
            self.control.say_go(self.order.grace_seconds)
            self.snapshots.start()
        self.publisher.start()
        return True

    @property
    def has_time(self) -> bool:
        """Whether there is an agent to start."""
        return self.order.budget_seconds > 0

    def watch(self) -> None:
        """Until the agent has ended, or there is no hope of hearing so."""
        if not self.has_time:
            self.skip_agent()
            return
        while not self.has_ended():
            self.publisher.check()
            if not self.journal.pages.deadline_reached and self.clock.left_seconds <= 0:
                self.reach_deadline()
            elif self.is_told_to_end and not self.journal.pages.interrupted:
                self.interrupt()
            if self.journal.pages.deadline_reached or self.journal.pages.interrupted:
                if self.launcher_is_lost():
                    log.warning("the launcher does not answer; collecting what is there")
                    return
                if not self.control.stop_is_said:
                    self.control.say_stop(self.order.grace_seconds)
            time.sleep(max(0.01, min(POLL_SECONDS, self.clock.left_seconds)))

    def skip_agent(self) -> None:
        """There is no time left: what was restored counts."""
        if not self.journal.pages.deadline_reached:
            self.reach_deadline()
        with self.journal.change() as pages:
            pages.ended = {}

    def has_ended(self) -> bool:
        """Whether the launcher says so. The agent could have written whatever it says, so that is the agent's own end.

        A launcher that finds our last word may go without a word. If we have not said it, the agent has.
        """
        ended = self.control.said("ended")
        if ended is None and not self.control.collected_is_said:
            return False
        with self.journal.change() as pages:
            pages.ended = ended or {}
        return True

    def reach_deadline(self) -> None:
        """The budget is spent: what is there now is what counts, and only then is the agent told."""
        late_seconds = -self.clock.left_seconds
        self.freeze(late_seconds, budget_ended_at=time.time() - late_seconds)
        log.info("the budget of %.1f s is spent", self.order.budget_seconds)

    def freeze(self, late_seconds: float, budget_ended_at: float) -> None:
        """Settle what counts, once and for all.

        A copy counts if it is what was there when the budget ended. One that was being written, or was touched after
        we came too late (we were killed and started again), is no proof; then the last snapshot counts.
        """
        final = self.scratch / "final.csv"
        copied = copy_submission(self.order.submission, final)
        is_late = late_seconds > LATE_SECONDS
        is_proof = not is_late or (copied is not None and copied.changed_at <= budget_ended_at)
        is_torn = copied is not None and copied.is_torn
        with self.journal.change() as pages:
            pages.deadline_reached = pages.is_frozen = True
            pages.frozen = copied
            if is_proof and not is_torn:
                return
            if pages.snapshots:
                last = pages.snapshots[-1]
                shutil.copyfile(self.snapshots.latest, final)
                pages.frozen = Copied(last.bytes, last.sha256)
                pages.notes.append(f"{WRITTEN if is_torn else TOUCHED} The copy of minute {last.minutes:g} counts.")
            elif is_proof:
                pages.notes.append(f"{WRITTEN} There is no earlier copy, so it counts as it was.")
            else:
                pages.interrupted = True
                pages.notes.append(f"{TOUCHED} There is no earlier copy, so the attempt does not count.")

    def interrupt(self) -> None:
        with self.journal.change() as pages:
            if not pages.deadline_reached and pages.ended is None:
                pages.interrupted = True

    def launcher_is_lost(self) -> bool:
        if self.stop_said_at is None:
            self.stop_said_at = time.monotonic()
        waited = time.monotonic() - self.stop_said_at
        if waited < SILENCE_SECONDS:
            return False
        return self.control.seconds_since_alive() > SILENCE_SECONDS or waited > self.order.grace_seconds + KILL_SECONDS

    def finish(self) -> None:
        """The agent is gone: put everything into the store. The clock counts no further, and is published all the same:
        it shows that we are alive."""
        self.clock.stop()
        self.snapshots.stop()
        files = send_files(self.order, self.journal, self.uploads, self.scratch)
        self.publisher.stop()
        send_record(self.order, self.clock, self.journal, self.uploads, self.staged(), files)
        with self.journal.change() as pages:
            pages.collected = True
        log.info("collected after %.1f s of the agent's time", self.clock.counted_seconds)

    def staged(self) -> dict[str, Any]:
        """When the dataset was in place and how large it is, as `stage` noted before the agent began."""
        text = read_plain((self.order.private or self.control.path) / STAGED)
        try:
            noted = json.loads(text or "{}")
            size = {"staged_bytes": int(noted["staged_bytes"])} if "staged_bytes" in noted else {}
            return {"staged_at": str(noted["staged_at"]), **size}
        except (ValueError, LookupError, TypeError):
            return {}


class ClockPublisher(threading.Thread):
    """Sends the clock to the store every few seconds, so that little is lost when the machine is, and everybody can see
    that the courier is alive.

    What `stage` noted goes with it.
    """

    def __init__(self, clock: Clock, uploads: Uploads, staged: Callable[[], dict[str, Any]]) -> None:
        super().__init__(name="clock", daemon=True)
        self.clock = clock
        self.uploads = uploads
        self.staged = staged
        self.stopping = threading.Event()
        self.refused: Refused | None = None

    def check(self) -> None:
        """Raise what the desk said, if it said that the attempt is over."""
        if self.refused is not None:
            raise self.refused

    def run(self) -> None:
        staged = self.staged()
        while True:
            self.clock.save()
            try:
                self.uploads.try_put("clock.json", to_json(self.clock.published() | staged))
            except Refused as refused:
                self.refused = refused
                return
            if self.stopping.wait(self.clock.interval_seconds):
                return

    def stop(self) -> None:
        self.stopping.set()
        if self.is_alive():
            self.join()
