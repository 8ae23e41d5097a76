"""Datasets are counted once, however many experiments wait for them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry

from orchestrator.api.types import DatasetRow, ExperimentRunStatus, Phase
from orchestrator.controller.preparations import Preparations, waiting_for
from orchestrator.core.model import TaskPhase
from tests.core.build import NOW, agent, prepare


@pytest.fixture
def registry():
    return CollectorRegistry()


def status(*rows, phase=Phase.PREPARING):
    return ExperimentRunStatus(phase=phase, datasets=rows)


def values(metrics):
    return {(one.name, *sample.labels.values()): sample.value for one in metrics for sample in one.samples}


def test_a_task_is_counted_when_it_ends_and_once_for_all_experiments(registry):
    seen = Preparations(registry)
    going = prepare(created_at=NOW)
    done = replace(going, phase=TaskPhase.SUCCEEDED, finished_at=NOW + timedelta(minutes=7))
    for tasks in ([going], [going, agent()], [done], [done]):
        seen.look(tasks)
    assert registry.get_sample_value("mlectl_prepare_tries_total", {"result": "succeeded"}) == 1
    assert registry.get_sample_value("mlectl_prepare_seconds_sum") == 420


@pytest.mark.parametrize("try_again, result", [(True, "failed"), (False, "refused")])
def test_a_refusal_is_told_from_a_failure(registry, try_again, result):
    seen = Preparations(registry)
    seen.look([prepare()])
    seen.look([prepare(phase=TaskPhase.FAILED, try_again=try_again)])
    assert registry.get_sample_value("mlectl_prepare_tries_total", {"result": result}) == 1
    assert registry.get_sample_value("mlectl_prepare_tries_total", {"result": "succeeded"}) == 0


def test_what_ended_before_this_controller_began_is_not_counted(registry):
    seen = Preparations(registry)
    seen.look([prepare(phase=TaskPhase.SUCCEEDED, finished_at=NOW)])
    assert registry.get_sample_value("mlectl_prepare_tries_total", {"result": "succeeded"}) == 0


def test_a_dataset_that_two_wait_for_is_one_dataset():
    birds = DatasetRow(competition="birds", state="Preparing", step="download", done_bytes=3, total_bytes=7)
    ants = DatasetRow(competition="ants", state="Waiting")
    found = values(waiting_for([status(ants, birds), status(replace_state(birds)), status(ants)]))
    assert found[("mlectl_prepare_datasets", "Preparing")] == 1
    assert found[("mlectl_prepare_datasets", "Waiting")] == 1
    assert found[("mlectl_prepare_datasets", "Unavailable")] == 0
    assert (found[("mlectl_prepare_bytes", "done")], found[("mlectl_prepare_bytes", "total")]) == (3, 7)


def test_of_finished_experiments_nothing_is_shown():
    lost = DatasetRow(competition="birds", state="Unavailable")
    assert values(waiting_for([status(lost, phase=Phase.FAILED)]))[("mlectl_prepare_datasets", "Unavailable")] == 0


def replace_state(row):
    return row.model_copy(update={"state": "Waiting", "done_bytes": None, "total_bytes": None})
