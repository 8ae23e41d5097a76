"""An agent at work, and the courier beside it that counts its time, copies its folders and collects."""

from __future__ import annotations

from orchestrator.core.model import AttemptKey, AttemptRecord, Ending, TaskPhase
from tests.core.simulator.agents import script_of
from tests.core.simulator.cluster import Pod
from tests.core.simulator.engine import Interrupted, Life
from tests.core.simulator.journal import Worked, Written
from tests.core.simulator.scenario import CLOCK_EVERY, HOUR, SNAPSHOT_EVERY, Trouble
from tests.core.simulator.surroundings import Surroundings

SHORTEST_STEP = 1e-3
"""Seconds. Less could be lost in rounding, and time would stand still."""


class Attempt:
    def __init__(self, around: Surroundings, pod: Pod, key: AttemptKey) -> None:
        self.around = around
        self.pod = pod
        self.key = key
        self.script = script_of(around.scenario, key)
        resume_from = pod.start.resume_from
        self.restored = around.store.saved[key.run.attempt(resume_from)] if resume_from else 0.0
        self.done = self.restored
        """Work so far, that of earlier attempts included where it was restored."""
        self.ticks = 0
        self.interrupted = False

    @property
    def own_seconds(self) -> float:
        return self.done - self.restored

    @property
    def consumed_seconds(self) -> float:
        return self.pod.start.consumed_seconds + self.own_seconds

    @property
    def seconds_left(self) -> float:
        return self.pod.start.budget_seconds - self.own_seconds

    def live(self) -> Life:
        self.pod.change(TaskPhase.RUNNING)
        yield from self._work()
        if not self.interrupted and self.seconds_left > 0 and self.done >= self.script.fills_disk_after:
            self.pod.end(137, Ending.DISK_FULL)
            return
        self.pod.change(TaskPhase.COLLECTING)
        yield from self._collect()

    def _work(self) -> Life:
        """Until the agent ends, its budget is spent, or somebody interrupts it."""
        self._write_clock()
        while self.seconds_left > 0 and self.done < self.script.ends_after and not self.interrupted:
            tick_in = (self.ticks + 1) * CLOCK_EVERY - self.own_seconds
            step = min(self.seconds_left, self.script.ends_after - self.done, tick_in)
            yield from self._count(max(step, SHORTEST_STEP))
            if step == tick_in and not self.interrupted:
                self._tick()

    def _count(self, seconds: float) -> Life:
        began = self.around.engine.seconds
        try:
            yield seconds
        except Interrupted:
            self.interrupted = True
        finally:
            ended = self.around.engine.seconds
            self.done += ended - began
            self.around.journal.worked[self.key].append(Worked(began, ended))

    def _tick(self) -> None:
        self.ticks += 1
        self._write_clock()
        if self.ticks * CLOCK_EVERY % SNAPSHOT_EVERY == 0 and self.around.reaches_store(self.pod):
            self.around.store.saved[self.key] = self.done

    def _write_clock(self) -> None:
        if self.around.reaches_store(self.pod):
            self.around.store.clocks[self.key] = self.consumed_seconds
            self.around.store.heard[self.key] = self.around.engine.now

    def _collect(self) -> Life:
        """Not to be interrupted any more. A store that stays out for too long ends it without a record."""
        engine, store, chance = self.around.engine, self.around.store, self.around.chance
        given_up_at = engine.seconds + HOUR
        self._write_clock()
        if self.around.scenario.has(Trouble.NODE_CUT_OFF):
            for _ in range(chance.choice([0, 0, 20])):  # a long collection shows that it goes on
                yield from self._undisturbed(CLOCK_EVERY)
                self._write_clock()
        yield from self._undisturbed(chance.uniform(1, 60))
        while not self.around.reaches_store(self.pod):
            if engine.seconds > given_up_at:
                self.pod.end(1, self.pod.doom or Ending.STORE_UNAVAILABLE)
                return
            yield from self._undisturbed(30)
        store.saved[self.key] = self.done
        self._write_clock()
        record = store.records[self.key] = self._record()
        self.around.journal.records.setdefault(self.key, Written(engine.seconds, record))
        yield from self._undisturbed(chance.uniform(1, 30))
        self.pod.end(record.exit_code or 0, self.pod.doom)

    def _undisturbed(self, seconds: float) -> Life:
        until = self.around.engine.seconds + seconds
        while (wait := until - self.around.engine.seconds) > SHORTEST_STEP:
            try:
                yield wait
            except Interrupted:
                continue

    def _record(self) -> AttemptRecord:
        ended_by_itself = not self.interrupted and self.done >= self.script.ends_after
        return AttemptRecord(
            exit_code=1 if ended_by_itself and self.script.crashes_after <= self.done else 0,
            deadline_reached=not self.interrupted and not ended_by_itself,
            interrupted=self.interrupted,
            has_submission=self.done >= self.script.submits_after,
            consumed_seconds=self.consumed_seconds,
            out_of_memory=self.done >= self.script.child_killed_after,
        )
