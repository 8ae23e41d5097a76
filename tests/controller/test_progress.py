"""What the figures say of an experiment's progress and results."""

from datetime import UTC, datetime

import pytest

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus
from orchestrator.controller.metrics import Metrics, Standing

KEY = Key("team", "trial")
SPEC = ExperimentRunSpec.model_validate(
    {"competitions": {"ids": ["birds"]}, "seeds": 2, "agent": {"name": "a", "image": "a:1"}}
)
STARTED = datetime(2026, 1, 1, tzinfo=UTC)
FIGURE = {"mean": 50.0, "sem": 1.0, "low95": 48.04, "high95": 51.96}
STATUS = {
    "phase": "Running",
    "runs": {"total": 3, "running": 1, "graded": 2},
    "results": [
        {"competition": "birds", "seed": 0, "state": "Running"},
        {"competition": "birds", "seed": 1, "state": "Graded", "medal": "gold"},
        {"competition": "dogs", "seed": 0, "state": "Graded"},
    ],
    "summary": {"all": {"anyMedalPercent": FIGURE}, "lite": {}},
    "startedAt": STARTED.isoformat(),
}


def shown(**changes):
    metrics = Metrics()
    metrics.experiments.show(KEY, Standing(SPEC, ExperimentRunStatus.model_validate({**STATUS, **changes})))
    return lambda name, **labels: metrics.registry.get_sample_value(
        f"mlectl_{name}", {"namespace": "team", "experiment": "trial", **labels}
    )


def test_an_experiment_tells_its_phase_and_when_it_began():
    value = shown()
    assert value("experiment_phase", phase="Running") == 1
    assert value("experiment_phase", phase="Pending") is None
    assert value("experiment_started_timestamp_seconds") == STARTED.timestamp()
    assert shown(startedAt=None)("experiment_started_timestamp_seconds") is None


def test_medals_are_counted_and_a_count_that_would_be_too_low_is_not_shown():
    assert [shown()("medals", medal=medal) for medal in ("gold", "silver", "bronze")] == [1, 0, 0]
    assert shown(runs={"total": 4})("medals", medal="gold") is None


@pytest.mark.parametrize(("figure", "want"), [("mean", 50.0), ("low95", 48.04), ("high95", 51.96)])
def test_a_split_with_a_complete_seed_has_its_figure_and_interval(figure, want):
    assert shown()("any_medal_percent", split="all", figure=figure) == want
    assert shown()("any_medal_percent", split="lite", figure=figure) is None


def test_each_run_tells_its_state_as_long_as_the_experiment_goes_on():
    assert shown()("run_state", competition="birds", seed="0") == 4
    assert shown()("run_state", competition="birds", seed="1") == 7
    assert shown(phase="Succeeded")("run_state", competition="birds", seed="1") is None
