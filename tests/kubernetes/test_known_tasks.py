"""What is remembered of a task is what reading it again would tell, whenever that is."""

from datetime import timedelta
from random import Random

import pytest

from orchestrator.cluster.kubernetes import known_tasks
from orchestrator.cluster.kubernetes.known_tasks import KnownTasks
from orchestrator.cluster.kubernetes.tasks import task_of
from tests.kubernetes.recordings import ENDINGS, heard, states, time_of

STEPS = [timedelta(seconds=seconds) for seconds in (0, 1, 5, 29, 31, 119, 121, 300, 599, 601, 899, 901, 7200)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", sorted(path.stem for path in ENDINGS.glob("*.json")))
def test_at_any_time_it_tells_what_reading_again_would(name, seed):
    random, known = Random(seed), KnownTasks()
    for job, pods in states(heard(name)):
        now = time_of(job)
        for _ in range(6):
            assert known.task_of(job, pods, now) == task_of(job, pods, now)
            now += random.choice(STEPS)


def test_nothing_is_read_again_while_nothing_happens(monkeypatch):
    read = []
    monkeypatch.setattr(known_tasks, "task_of", lambda *seen: read.append(seen) or task_of(*seen))
    job, pods = list(states(heard("an_agent_that_ends_well")))[-1]
    known, now = KnownTasks(), time_of(job) + timedelta(minutes=11)
    for minutes in range(100):
        known.task_of(job, pods, now + timedelta(minutes=minutes))
    assert len(read) == 1


def test_a_job_that_is_gone_is_forgotten(monkeypatch):
    read = []
    monkeypatch.setattr(known_tasks, "task_of", lambda *seen: read.append(seen) or task_of(*seen))
    job, pods = list(states(heard("an_agent_that_ends_well")))[-1]
    known, now = KnownTasks(), time_of(job) + timedelta(minutes=11)
    for others in ({job["metadata"]["uid"]}, set()):
        known.task_of(job, pods, now)
        known.forget_others(others)
    known.task_of(job, pods, now)
    assert len(read) == 2
