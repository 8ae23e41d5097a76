"""A controller that starts with thousands of Jobs on the API server, and what it takes when nothing happens."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime

from benchmarks.controller.figures import Figure
from benchmarks.controller.processes import cpu_seconds, peak_mb
from benchmarks.controller.world import COMPETITIONS, open_lab, quiet
from orchestrator.cluster.kubernetes.experiments import ExperimentReader
from orchestrator.cluster.kubernetes.jobs import agent_job, grade_job
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS, Object
from orchestrator.cluster.kubernetes.settings import load_settings
from orchestrator.controller.observe import OUTCOME
from orchestrator.core.model import Outcome, Role, RunKey, Start, Verdict
from orchestrator.core.names import agent_task, grade_task
from tests.cluster.lab import ControllerProcess, Lab, total
from tests.cluster.player import ended
from tests.cluster.rig.handle import ControlPlane

SMALL_SEEDS, LARGE_SEEDS = 17, 52
"""An agent's and a grader's Job for each run that is graded, an agent's for each of the last seed: first 2,475, then
7,725 more."""
MOST_SECONDS, MOST_MB, MOST_IDLE = 10.0, 300.0, 1.0
IDLE_SECONDS = 30.0
SETTLE_SECONDS = 5.0
PATIENCE_SECONDS = 300.0
LOOK_SECONDS = 0.25
"""Between two looks at the metrics: to tell them takes the controller some of the time that is measured."""
BUDGET = 86400.0
AT_ONCE = 16


def measure(control_plane: ControlPlane) -> Iterator[Figure]:
    with ExitStack() as stack:
        lab = stack.enter_context(open_lab(control_plane))
        for namespace in (lab.agents, lab.system):  # no pod is made without its account
            control_plane.kubectl("wait", "--for=create", "serviceaccount/default", f"--namespace={namespace}")
        stack.enter_context(quiet(control_plane))
        graded = 0
        for seeds in (SMALL_SEEDS, LARGE_SEEDS):
            graded += make_history(lab, f"seeds-{seeds}", seeds)
            jobs, is_large = len(lab.jobs()), seeds == LARGE_SEEDS
            for notes in ("first", "with notes"):
                what = f"starting with {jobs:,} Jobs, {notes}"
                controller, seconds = start(lab, graded)
                pid, cpu = controller.process.pid, f"{cpu_seconds(controller.process.pid):.1f} s of CPU"
                yield Figure(what, seconds, "s", MOST_SECONDS if is_large else None, cpu)
                yield Figure(f"{what}: memory", peak_mb(pid), "MB", MOST_MB if is_large else None)
                if is_large and notes == "with notes":
                    yield idle(controller, jobs)
                controller.stop()


def start(lab: Lab, graded: int) -> tuple[ControllerProcess, float]:
    """A controller, and the seconds until it had looked at everything."""
    began = time.monotonic()
    controller = lab.controller(wait=False)
    lab.wait(lambda: knows(controller, graded), "the controller knows every run", PATIENCE_SECONDS, pause=LOOK_SECONDS)
    return controller, time.monotonic() - began


def idle(controller: ControllerProcess, jobs: int) -> Figure:
    time.sleep(SETTLE_SECONDS)
    before, began = cpu_seconds(controller.process.pid), time.monotonic()
    time.sleep(IDLE_SECONDS)
    used = cpu_seconds(controller.process.pid) - before
    share = 100 * used / (time.monotonic() - began)
    return Figure(f"idle with {jobs:,} Jobs: CPU", share, "%", MOST_IDLE, f"{used:.2f} s in {IDLE_SECONDS:g} s")


def knows(controller: ControllerProcess, graded: int) -> bool:
    """Whether the metrics show so many runs as graded."""
    assert controller.process.poll() is None, controller.log.read_text()[-3000:]
    try:
        return total(controller.get("/metrics"), r'mlectl_runs\{.*state="Graded"\}') == graded
    except OSError:
        return False


def make_history(lab: Lab, name: str, seeds: int) -> int:
    """An experiment in the middle: all seeds are graded but the last, whose agents wait in a queue. How many are."""
    item = lab.submit(name, competitions={"split": "all"}, seeds=seeds, parallelism=0)
    settings = load_settings(lab.config)
    experiment = ExperimentReader(settings.namespace, has_gateway=False).read(item)
    keys = lab.keys(item)
    outcome = OUTCOME.dump_json(Outcome(Verdict.GRADE, consumed_seconds=BUDGET))

    def make(run: RunKey) -> None:
        attempt = run.attempt(1)
        start = Start(agent_task(experiment.uid, attempt), Role.AGENT, *attempt, budget_seconds=BUDGET)
        job = agent_job(experiment, start, settings, "token")
        if run.seed == seeds - 1:
            job["spec"]["suspend"] = True
            lab.api.create(JOBS, lab.agents, job)
            return
        create_finished(lab, job)
        grade = Start(grade_task(experiment.uid, attempt, 1), Role.GRADE, *run, attempt=1, grades_attempt=1)
        create_finished(lab, grade_job(experiment, grade, settings))
        lab.stores.runs.write(keys.attempt(*attempt).outcome, outcome)
        lab.stores.runs.write(keys.run_report(*run), report_of(run))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(make, (RunKey(one, seed) for seed in range(seeds) for one in COMPETITIONS)))
    return len(COMPETITIONS) * (seeds - 1)


def create_finished(lab: Lab, job: Object) -> None:
    """With its pod, and the word of a controller manager that it has ended."""
    namespace, name = job["metadata"]["namespace"], job["metadata"]["name"]
    create_pod(lab, lab.api.create(JOBS, namespace, job))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    conditions = [
        {
            "type": kind,
            "status": "True",
            "lastProbeTime": now,
            "lastTransitionTime": now,
            "reason": "CompletionsReached",
        }
        for kind in ("SuccessCriteriaMet", "Complete")
    ]
    status = {"succeeded": 1, "startTime": now, "completionTime": now, "conditions": conditions}
    lab.api.patch(JOBS, namespace, name, {"status": status}, subresource="status")


def create_pod(lab: Lab, job: Object) -> None:
    """As the Job's controller makes it and a kubelet leaves it."""
    metadata, template = job["metadata"], job["spec"]["template"]
    namespace, name = metadata["namespace"], f"{metadata['name']}-0"
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": metadata["name"], "uid": metadata["uid"]}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": template["metadata"]["labels"],
            "annotations": template["metadata"].get("annotations", {}),
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": {**template["spec"], "nodeName": "a-node"},
    }
    made = lab.api.create(PODS, namespace, pod)
    lab.api.patch(PODS, namespace, name, {"status": ended(made, 0)}, subresource="status")


def report_of(run: RunKey) -> bytes:
    """As large as a grader's."""
    report = {
        "competition_id": run.competition,
        "seed": run.seed,
        "attempt": 1,
        "score": 0.5,
        "medal": None,
        "valid_submission": True,
        "above_median": False,
        "reason": None,
        "submission_exists": True,
        "padding": "x" * 1000,
    }
    return json.dumps(report).encode()
