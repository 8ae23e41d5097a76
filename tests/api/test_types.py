from datetime import timedelta

import pytest
from pydantic import ValidationError

from orchestrator.api.types import (
    Agent,
    Competitions,
    EnvVar,
    ExperimentRun,
    ExperimentRunSpec,
    ExperimentRunStatus,
    Figure,
    Phase,
    ResultRow,
    RunCounts,
    RunState,
    SplitFigures,
)

FIGURE = Figure(mean=36.36, sem=1.52, low95=33.4, high95=39.3)


def spec(**fields):
    return ExperimentRunSpec(
        competitions=Competitions(split="lite"), agent=Agent(name="aide", image="registry.example/aide:1.2"), **fields
    )


def test_what_is_left_out_is_the_published_setting():
    assert spec().to_dict() == {
        "benchmark": "v1",
        "competitions": {"split": "lite", "exclude": []},
        "seeds": 3,
        "agent": {
            "name": "aide",
            "image": "registry.example/aide:1.2",
            "args": [],
            "env": [],
            "envFrom": [],
            "resume": False,
        },
        "budget": {"wallClock": "24h"},
        "resources": {
            "cpu": "36",
            "memory": "440Gi",
            "gpu": {"count": 1, "resource": "nvidia.com/gpu"},
            "storage": "500Gi",
        },
        "placement": {"nodeSelector": {}, "tolerations": []},
        "parallelism": 32,
        "retries": {"infrastructure": 3, "agent": 0},
        "snapshots": {"every": "1h", "grade": True},
        "network": {"mode": "restricted", "allow": []},
        "suspend": False,
        "ttlAfterFinished": "168h",
    }


def test_a_spec_that_is_written_is_read_back(written):
    run = ExperimentRun.model_validate(
        written(
            competitions={"ids": ["AI4Code", "spaceship-titanic"], "exclude": ["AI4Code"]},
            models={"allow": ["gpt-x"], "maxCostPerRun": 50},
            budget={"wallClock": "1h30m"},
            resources={"cpu": 2, "memory": "1.5Gi"},
            network={"allow": [{"cidr": "10.0.0.0/8", "ports": [443]}]},
            placement={"tolerations": [{"operator": "Exists"}], "queue": "gpu"},
        )
    )
    assert ExperimentRun.model_validate(run.to_dict()) == run
    assert run.spec.resources.cpu == "2"
    assert run.spec.models.max_cost_per_run == "50"
    assert run.spec.budget.wall_clock == timedelta(hours=1, minutes=30)


def test_names_of_python_and_of_yaml_both_fill_a_field():
    assert spec(ttl_after_finished="1h") == spec(ttlAfterFinished=timedelta(hours=1))


def test_nothing_changes_once_it_is_made():
    with pytest.raises(ValidationError, match="frozen"):
        spec().seeds = 4


@pytest.mark.parametrize(
    "part",
    [
        pytest.param({"seeds": "3"}, id="text for a number"),
        pytest.param({"seeds": 2.0}, id="a fraction for a whole number"),
        pytest.param({"suspend": "yes"}, id="text for a flag"),
        pytest.param({"competitions": {"ids": ["a", "b", "a"]}}, id="an id twice"),
        pytest.param({"competitions": {"ids": []}}, id="no ids"),
        pytest.param({"resources": {"memory": "440"}}, id="memory without its unit"),
        pytest.param({"resources": {"cpu": "0"}}, id="no CPU"),
        pytest.param({"budget": {"wallClock": "0s"}}, id="no time"),
        pytest.param({"network": {"allow": [{"cidr": "10.0.0.1/8"}]}}, id="an address with a mask is no range"),
        pytest.param({"network": {"allow": [{"cidr": "10.0.0.1"}]}}, id="an address is no range"),
        pytest.param({"unknown": 1}, id="an unknown key"),
    ],
)
def test_a_spec_does_not_guess(written, part):
    with pytest.raises(ValidationError):
        ExperimentRun.model_validate(written(**part))


def test_an_argument_may_have_several_lines():
    agent = Agent(name="a", image="b", command=("bash", "-c", "set -e\nrun\n"), args=("",))
    assert agent.command[2] == "set -e\nrun\n"


def test_an_environment_variable_is_named_once():
    with pytest.raises(ValidationError, match="A listed more than once"):
        Agent(name="a", image="b", env=(EnvVar(name="A", value="1"), EnvVar(name="A", value="2")))


def test_a_status_says_what_a_column_shows():
    status = ExperimentRunStatus(
        phase=Phase.RUNNING,
        runs=RunCounts(total=66, graded=41),
        summary={
            "low": SplitFigures(complete_seeds=1),
            "all": SplitFigures(complete_seeds=1, any_medal_percent=FIGURE),
        },
    )
    written = status.to_dict()
    assert (written["phase"], written["progress"], written["anyMedal"]) == ("Running", "41/66", "36.4 ± 1.5")
    assert ExperimentRunStatus.model_validate(written) == status


def test_a_status_without_figures_has_no_headline():
    assert "anyMedal" not in ExperimentRunStatus().to_dict()


def test_a_status_of_a_newer_controller_can_be_read():
    status = ExperimentRunStatus.model_validate({"phase": "Running", "invented": 1, "runs": {"total": 2, "later": 3}})
    assert status.runs.total == 2


def test_a_row_leaves_out_what_is_not_known():
    row = ResultRow(competition="a", seed=0, state=RunState.QUEUED)
    assert row.to_dict() == {"competition": "a", "seed": 0, "state": "Queued", "attempt": 0}


@pytest.mark.parametrize("phase", Phase)
def test_a_finished_experiment_is_one_that_has_an_outcome(phase):
    assert phase.is_finished == (phase in ("Succeeded", "Degraded", "Failed"))
