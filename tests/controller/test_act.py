"""How a plan is carried out: kinds in order, actions of a kind at once."""

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cluster.kubernetes.errors import Forbidden, Invalid, Unavailable
from orchestrator.controller.act import Actor, NotLeading
from orchestrator.core.model import AttemptKey, Judge, Note, Outcome, Plan, Remove, Role, Start, Stop, Verdict
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.store import StoreError

STARTS = tuple(Start(f"agent-{number}", Role.AGENT, "birds", seed=number) for number in range(6))


@dataclass
class Slow:
    """A cluster that takes note of who is there at the same time."""

    done: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    together: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    gate: threading.Barrier | None = None
    fails: dict[str, Exception] = field(default_factory=dict)

    def start(self, experiment, task):
        with self.lock:
            self.asked.append(task.name)
            self.together += 1
            self.most = max(self.most, self.together)
        if self.gate:
            self.gate.wait(10)
        with self.lock:
            self.together -= 1
            if task.name in self.fails:
                raise self.fails[task.name]
            self.done.append(task.name)

    def stop(self, experiment, name, why):
        self.done.append(f"stop {name}")

    def remove(self, experiment, name):
        self.done.append(f"remove {name}")

    def note(self, experiment, note):
        self.done.append(f"note {note.name}")

    def record(self, experiment, events):
        self.done += [f"told {event.reason}" for event in events]


def carry_out(cluster, *actions, at_once=3, may_write=lambda: True):
    plan = Plan(actions, ExperimentRunStatus())
    return Actor(cluster, SimpleNamespace(), SimpleNamespace(), at_once, may_write).carry_out(SimpleNamespace(), plan)


def test_actions_of_a_kind_go_at_once_but_not_all_of_them():
    cluster = Slow(gate=threading.Barrier(3))
    carry_out(cluster, *STARTS)
    assert sorted(cluster.done) == [start.name for start in STARTS]
    assert cluster.most == 3


def test_a_kind_waits_for_the_one_before():
    cluster = Slow()
    noted = Note("oldest", None, "accept the rules", try_again=False)
    carry_out(cluster, noted, Stop("old", "given up"), *STARTS, Remove("older"))
    assert cluster.done[:2] == ["note oldest", "stop old"]
    assert cluster.done[-1] == "remove older"


@pytest.mark.parametrize("error", [Invalid(422, "Invalid", "no such toleration"), Forbidden(403, "", "by a webhook")])
def test_one_that_is_refused_holds_nothing_up(error):
    cluster = Slow(fails={"agent-0": error})
    assert carry_out(cluster, *STARTS, Remove("older")) == (error,)
    assert sorted(cluster.done) == [*(start.name for start in STARTS[1:]), "remove older"]


def test_once_a_quota_is_full_the_others_that_it_is_for_are_not_tried():
    full = Forbidden(403, "Forbidden", 'jobs.batch "agent-2" is forbidden: exceeded quota: few, used: 2, limited: 2')
    cluster = Slow(fails={start.name: full for start in STARTS[2:]})
    grade = Start("grade-0", Role.GRADE, "birds", seed=0)
    assert carry_out(cluster, *STARTS, grade, Remove("older"), at_once=1) == (full,) * 4
    assert cluster.done == ["agent-0", "agent-1", "grade-0", "remove older"]
    assert cluster.asked == ["agent-0", "agent-1", "agent-2", "grade-0"]


def test_a_webhook_that_does_not_answer_holds_up_nothing_but_what_it_has_to_agree_to():
    unasked = Unavailable(
        500, "InternalError", 'Internal error occurred: failed calling webhook "mjob.kb.io": no route'
    )
    cluster = Slow(fails={start.name: unasked for start in STARTS})
    grade = Start("grade-0", Role.GRADE, "birds", seed=0)
    assert carry_out(cluster, *STARTS, grade, Remove("older"), at_once=1) == (unasked,) * 6
    assert cluster.done == ["grade-0", "remove older"]
    assert cluster.asked == ["agent-0", "grade-0"]


def test_when_the_server_is_away_the_rest_is_left_for_later():
    cluster = Slow(fails={"agent-0": Unavailable(0, "NoAnswer", "away")})
    with pytest.raises(Unavailable):
        carry_out(cluster, *STARTS, at_once=1)
    assert cluster.done == []


def test_who_leads_no_more_writes_nothing():
    cluster = Slow()
    with pytest.raises(NotLeading):
        carry_out(cluster, *STARTS, may_write=lambda: False)
    assert cluster.done == []


def test_a_judgement_counts_once_it_is_written_whatever_becomes_of_the_others(tmp_path):
    """A plan that is cut short is made anew without what was judged: nobody would count that later."""

    class Failing(FileStore):
        def write_new(self, key, data):
            if "/seed-1/" in key:
                raise StoreError("away")
            return super().write_new(key, data)

    experiment = SimpleNamespace(namespace="team", name="trial", uid="0" * 36, status=None)
    stores = SimpleNamespace(runs=Failing(tmp_path))
    judgements = [Judge(AttemptKey("birds", seed, 1), Outcome(Verdict.GRADE)) for seed in range(3)]
    told = []
    observer = SimpleNamespace(judged=lambda *_: None)
    actor = Actor(Slow(), stores, observer, at_once=1, on_judged=told.append)
    with pytest.raises(StoreError):
        actor.carry_out(experiment, Plan(tuple(judgements), ExperimentRunStatus()))
    assert told == [Outcome(Verdict.GRADE)]


def test_a_judgement_is_told_before_it_is_written(tmp_path):
    """Whoever is stopped in between tells it again; the other way round nobody ever would."""

    class Failing(FileStore):
        def write_new(self, key, data):
            raise StoreError("away")

    experiment = SimpleNamespace(namespace="team", name="trial", uid="0" * 36, status=None)
    judgement = Judge(AttemptKey("birds", 0, 1), Outcome(Verdict.RETRY, "NodeLost"))
    cluster = Slow()
    actor = Actor(cluster, SimpleNamespace(runs=Failing(tmp_path)), SimpleNamespace())
    with pytest.raises(StoreError):
        actor.carry_out(experiment, Plan((judgement,), ExperimentRunStatus()))
    assert cluster.done == ["told NodeLost"]
