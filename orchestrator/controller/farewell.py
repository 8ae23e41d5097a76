"""What is left to do for experiments that are deleted.

An agent's Job goes with its ExperimentRun by itself (garbage collection). Prepare and grade Jobs live in another
namespace, which no owner reference reaches, and results live outside the cluster: both are seen to here. A prepare Job
belongs to nobody, and goes when no experiment asks for what it prepares any more.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.cluster import KubernetesCluster
from orchestrator.cluster.kubernetes.errors import NotFound
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, Object
from orchestrator.cluster.kubernetes.shared import is_shared, needs
from orchestrator.controller.reading import at_once
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store

log = logging.getLogger("mlectl.controller")

LOOK_AGAIN = timedelta(seconds=5)


class Farewell:
    """Harmless when repeated, and safe to stop anywhere."""

    def __init__(self, cluster: KubernetesCluster, runs: Store) -> None:
        self.cluster = cluster
        self.runs = runs

    def sweep(self) -> int:
        """Delete the Jobs beside the controller whose ExperimentRun is gone, and prepare Jobs that nobody needs; how
        many there were.

        What is watched may be a moment behind, so the API server itself is asked before anything of an experiment is
        deleted. A prepare Job that is deleted a moment too early is made again.
        """
        watched, settings = self.cluster.watched, self.cluster.settings
        known = watched.uids()
        jobs = watched.jobs.list(settings.namespace)
        orphans = [
            job
            for job in jobs
            if not is_shared(job)
            and _label(job, labels.EXPERIMENT_UID) not in known
            and (not settings.watch or _label(job, labels.EXPERIMENT_NAMESPACE) in settings.watch)
        ]
        for namespace in {_label(job, labels.EXPERIMENT_NAMESPACE) for job in orphans}:
            there = self.cluster.api.list(EXPERIMENTS, namespace, trim=lambda item: {"metadata": item["metadata"]})
            known |= {item["metadata"]["uid"] for item in there.items}
        gone = [job for job in orphans if _label(job, labels.EXPERIMENT_UID) not in known]
        for job in gone:
            self.cluster.delete(job)
            log.info("removed %s, whose experiment is gone", job["metadata"]["name"])
        unneeded = self._unneeded([job for job in jobs if is_shared(job)])
        for job in unneeded:
            self.cluster.delete(job)
            log.info("removed %s, which nobody needs any more", job["metadata"]["name"])
        return len(gone) + len(unneeded)

    def _unneeded(self, shared: list[Object]) -> list[Object]:
        experiments = list(self.cluster.experiments()) if shared else []
        return [job for job in shared if not needs(job, experiments, self.cluster.facts)]

    def end(self, item: Object, now: datetime) -> timedelta | None:
        """Bring the deletion of an ExperimentRun forward; when to look again, if something is still to be waited for.

        Only one whose results go with it (`mlectl delete --results`) waits for us, by its finalizer.
        """
        metadata = item["metadata"]
        finalizers = metadata.get("finalizers") or []
        if labels.RESULTS_FINALIZER not in finalizers:
            return None
        if (metadata.get("annotations") or {}).get(labels.DELETE_RESULTS) == "true":
            if self._is_writing(metadata, now):
                return LOOK_AGAIN
            self._delete_results(ExperimentKeys(metadata["namespace"], metadata["name"], metadata["uid"]))
        left = [one for one in finalizers if one != labels.RESULTS_FINALIZER]
        change = {"metadata": {"finalizers": left, "resourceVersion": metadata["resourceVersion"]}}
        try:
            written = self.cluster.api.patch(EXPERIMENTS, metadata["namespace"], metadata["name"], change)
        except NotFound:
            return None
        if left:
            self.cluster.watched.experiments.observe(written)
        return None

    def _is_writing(self, metadata: Object, now: datetime) -> bool:
        """Whether a pod of it may still write results. Its Jobs go first; a pod that can't be heard is not waited for
        longer than elsewhere."""
        watched, uid = self.cluster.watched, metadata["uid"]
        for job in watched.jobs_of(uid):
            self.cluster.delete(job)
        waited = now - datetime.fromisoformat(metadata["deletionTimestamp"])
        return bool(watched.pods_of(uid)) and waited < self.cluster.settings.patience

    def _delete_results(self, keys: ExperimentKeys) -> None:
        names = list(self.runs.keys(f"{keys.prefix}/"))
        at_once(self.runs, self.runs.delete, names)
        log.info("deleted its results, %d objects", len(names))


def _label(item: Object, name: str) -> str:
    return str(item["metadata"]["labels"].get(name, ""))
