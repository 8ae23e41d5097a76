"""A controller on a real control plane; a player stands in for what containers do."""

from contextlib import ExitStack

import pytest

from tests.cluster.lab import COMPETITIONS, Lab


@pytest.fixture
def lab(control_plane, tmp_path, namespaces):
    with ExitStack() as stack:
        yield Lab.open(control_plane, tmp_path, namespaces, stack)


def test_an_experiment_goes_from_apply_to_succeeded(lab):
    experiment = lab.submit(seeds=2)
    controller = lab.controller()
    status = lab.wait_for_phase("Succeeded", "Degraded", "Failed")
    assert status["phase"] == "Succeeded"
    assert status["runs"]["graded"] == status["runs"]["total"] == 4
    assert {row["medal"] for row in status["results"]} == {"bronze"}
    assert len(lab.player.reports) == 4
    keys = lab.keys(experiment)
    lab.wait(lambda: lab.status().get("report"), "the status says where the report is")
    assert lab.stores.runs.read(keys.report) is not None
    assert controller.stop() == 0
    assert {c.competition for c in lab.player.played} == set(COMPETITIONS)
