"""ExperimentRuns as files: submitted once, gone on with by the same spec, never mixed up."""

import pytest

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun, ExperimentRunStatus, Phase
from orchestrator.cluster.local.experiments import ExperimentFolder, SpecChanged


def wanted(name: str = "trial", **spec: object) -> ExperimentRun:
    basics = {"competitions": {"split": "demo"}, "agent": {"name": "dummy", "image": "mlectl/agent-dummy:0.1.0"}}
    return ExperimentRun.model_validate({"metadata": {"name": name}, "spec": basics | spec})


def test_a_new_one_gets_a_uid_and_the_same_spec_finds_it_again(tmp_path):
    folder = ExperimentFolder(tmp_path)
    first = folder.submit(wanted())
    assert first.metadata.uid
    assert folder.submit(wanted()) == first
    assert folder.get(Key("default", "trial")) == first
    assert [one.metadata.name for one in folder.list()] == ["trial"]


def test_another_spec_under_the_same_name_is_refused_and_changes_nothing(tmp_path):
    folder = ExperimentFolder(tmp_path)
    first = folder.submit(wanted(seeds=3))
    with pytest.raises(SpecChanged, match=r"spec\.seeds cannot change.*another name"):
        folder.submit(wanted(seeds=4))
    assert folder.get(Key("default", "trial")) == first


def test_parallelism_may_change_on_the_way(tmp_path):
    folder = ExperimentFolder(tmp_path)
    first = folder.submit(wanted(parallelism=2))
    second = folder.submit(wanted(parallelism=4))
    assert second.metadata.uid == first.metadata.uid
    assert (second.metadata.generation, second.spec.parallelism) == (2, 4)


def test_a_status_is_kept_beside_the_spec(tmp_path):
    folder = ExperimentFolder(tmp_path)
    first = folder.submit(wanted())
    folder.write_status(Key("default", "trial"), ExperimentRunStatus(phase=Phase.RUNNING))
    found = folder.get(Key("default", "trial"))
    assert found is not None
    assert found.status.phase is Phase.RUNNING
    assert found.spec == first.spec


def test_what_is_not_there_is_none(tmp_path):
    assert ExperimentFolder(tmp_path).get(Key("default", "nothing")) is None
