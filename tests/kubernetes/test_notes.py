"""What a failed try said, written on its Job: once, and told from then on."""

import json
from pathlib import Path

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.cluster import KubernetesCluster
from orchestrator.cluster.kubernetes.jobs import prepare_job
from orchestrator.cluster.kubernetes.watched import Watched
from orchestrator.core.model import Ending, Note
from tests.kubernetes.build import experiment, prepare_start, settings
from tests.kubernetes.server import Exchange, troubled

FAILED = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
NAME = prepare_start().name


def test_a_note_is_written_once_and_believed(tmp_path: Path) -> None:
    job = prepare_job(prepare_start(), settings())
    job["metadata"] |= {"uid": "1234", "resourceVersion": "7", "creationTimestamp": "2026-05-01T12:00:00Z"}
    job["status"] = {"conditions": [FAILED]}
    bodies = []

    def answer(exchange: Exchange) -> None:
        bodies.append(json.loads(exchange.body))
        annotations = {**job["metadata"]["annotations"], **bodies[-1]["metadata"]["annotations"]}
        exchange.say(200, {**job, "metadata": {**job["metadata"], "annotations": annotations, "resourceVersion": "8"}})

    with troubled(tmp_path, answer) as (api, _):
        cluster = KubernetesCluster(api, Watched(api, settings()), settings(), {})
        cluster.watched.jobs.observe(job)
        (before,) = cluster.preparations("v1", ["birds"])
        assert (before.ending, before.is_noted) == (Ending.DELETED, False)
        for _ in range(2):
            cluster.note(experiment(), Note(NAME, None, "accept the rules", try_again=False))
        (after,) = cluster.preparations("v1", ["birds"])
        assert (after.message, after.try_again, after.is_noted) == ("accept the rules", False, True)
        cluster.note(experiment(), Note("long-gone", None, "", try_again=True))
    (body,) = bodies
    assert body["metadata"]["uid"] == "1234", "not another Job of that name"
    assert set(body["metadata"]["annotations"]) == {labels.ENDED}
