import pytest

from orchestrator.api.types import ExperimentRun, departures


def departures_of(mapping):
    return departures(ExperimentRun.model_validate(mapping).spec)


def test_the_defaults_depart_in_nothing(written):
    assert departures_of(written()) == []


def test_the_published_setting_may_be_written_in_other_units(written):
    same = written(budget={"wallClock": "1440m"}, resources={"cpu": "36000m", "memory": "450560Mi"}, seeds=5)
    assert departures_of(same) == []


def test_a_single_address_may_be_that_of_its_model(written):
    models = [{"cidr": "10.20.0.5/32", "ports": [443]}, {"cidr": "fd00::5/128"}]
    assert departures_of(written(network={"allow": models})) == []


@pytest.mark.parametrize(
    "part, want",
    [
        ({"benchmark": "v2"}, "benchmark v2, known defects fixed (published: v1)"),
        ({"competitions": {"split": "all", "exclude": ["AI4Code"]}}, "1 competition excluded (published: none)"),
        ({"seeds": 1}, "1 seed (published: 3 or more)"),
        ({"budget": {"wallClock": "8s"}}, "8s a run (published: 24h)"),
        ({"resources": {"cpu": 2}}, "2 CPU (published: 36)"),
        ({"resources": {"memory": "1Gi"}}, "1Gi memory (published: 440Gi)"),
        ({"resources": {"gpu": {"count": 0}}}, "no GPU (published: one A10)"),
        ({"resources": {"gpu": {"count": 8}}}, "8 x nvidia.com/gpu (published: one A10)"),
        ({"network": {"mode": "none"}}, "no network (published: the agent can reach its model)"),
        (
            {"network": {"allow": [{"cidr": "128.0.0.0/1"}, {"cidr": "10.20.0.0/16", "ports": [443, 8443]}]}},
            "network allows 128.0.0.0/1 at all ports and 10.20.0.0/16 at ports 443, 8443 "
            "(published: the agent can reach its model)",
        ),
        ({"retries": {"agent": 2}}, "a failed agent is tried again up to 2 times (published: never)"),
    ],
)
def test_a_departure_is_told_as_found_and_published(written, part, want):
    assert departures_of(written(**part)) == [want]
