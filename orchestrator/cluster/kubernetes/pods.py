"""The agent's pod: the dataset is staged, the network is proved shut, and the agent runs with a courier beside it.

    stage     brings the dataset, the task text and the launcher; ends
    probe     (network restricted or none) proves that what must be blocked is blocked; ends
    courier   stays beside the agent: keeps the clock, answers validations, collects
    agent     the user's image under the launcher

All are one user, so what the agent must not see is a matter of mounts: the folder `private`, which holds the clock and
what the others know of each other, is not among the agent's, nor is the run token.
"""

from __future__ import annotations

from orchestrator.cluster.environment import agent_environment
from orchestrator.cluster.facts import agent_command
from orchestrator.cluster.kubernetes.amounts import Share, courier_share, describe_hardware, with_room_for_copies
from orchestrator.cluster.kubernetes.containers import (
    authorities,
    container_security,
    field_variable,
    literal,
    mount,
    pod_basics,
    variable,
    worker,
)
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.orders import (
    CACHE,
    CONTROL,
    COURIER_PORT,
    GRACE_SECONDS,
    INSTRUCTIONS,
    NOTICE_PORT,
    PATHS,
    PRIVATE,
    TASK,
    courier_order,
    probe_order,
    stage_order,
)
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.core.model import Experiment, Start
from orchestrator.worker.tokens import notice_path

VOLUMES = ("data", "submission", "code", "logs", "control", "task", "private")
SHARED_MEMORY = "/dev/shm"  # noqa: S108 (a mount, in the agent's own container)
"""The usual 64 MB are too little for data loaders; what is written there counts as the agent's memory."""
COURIER_PATIENCE_SECONDS = 600
"""How long a courier may take to listen. No agent starts before: it would wait for ever for one that can't."""
BACKSTOP_SECONDS = 24 * 3600
"""Beyond all that a pod may take: if it is still there then, its courier does not do its work."""


def agent_pod(experiment: Experiment, start: Start, settings: Settings, token: str) -> Object:
    """The pod's spec. As a whole it asks for what the experiment says, so that one fits a node of exactly that size."""
    placement, usual, cache = experiment.spec.placement, settings.agents, settings.agents.cache.claim
    grace = GRACE_SECONDS + int(settings.collection.total_seconds())
    chosen = {
        "nodeSelector": dict(placement.node_selector or usual.node_selector),
        "tolerations": [one.to_dict() for one in placement.tolerations] or list(usual.tolerations),
        "runtimeClassName": placement.runtime_class_name or usual.runtime_class_name,
        "priorityClassName": placement.priority_class_name or usual.priority_class_name,
    }
    return {
        **pod_basics(settings),
        **{name: value for name, value in chosen.items() if value},
        "initContainers": _before_the_agent(experiment, start, settings, token),
        "containers": [_agent(experiment, start, settings, token)],
        "volumes": [
            *({"name": name, "emptyDir": {}} for name in VOLUMES),
            {"name": "memory", "emptyDir": {"medium": "Memory"}},
            *([{"name": "cache", "persistentVolumeClaim": {"claimName": cache}}] if cache else []),
            *authorities(settings),
        ],
        "terminationGracePeriodSeconds": grace,
        # Of the pod and not of the Job: a Job's deadline also runs while its pod waits for a node, and deletes the pod
        # with its logs.
        "activeDeadlineSeconds": int(start.budget_seconds) + grace + BACKSTOP_SECONDS,
    }


def _before_the_agent(experiment: Experiment, start: Start, settings: Settings, token: str) -> list[Object]:
    whole = Share.of_run(experiment.spec.resources)
    ours = courier_share(whole, settings.courier)
    home = str(PRIVATE)
    private = mount("private", home)
    stage = worker(
        "stage",
        stage_order(experiment, start, settings, token),
        [
            mount("data", str(PATHS.data)),
            *_folders(),
            mount("task", str(TASK)),
            private,
            *([mount("cache", str(CACHE))] if settings.agents.cache.claim else []),
        ],
        whole,
        settings,
        home,
    )
    probe = worker("probe", probe_order(settings, token), [private], ours, settings, home)
    courier = worker(
        "courier", courier_order(experiment, start, settings, token), [*_folders(), private], ours, settings, home
    )
    courier["resources"]["limits"] = with_room_for_copies(ours, whole).written()["limits"]
    courier["restartPolicy"] = "Always"
    courier["startupProbe"] = {
        "tcpSocket": {"port": NOTICE_PORT},
        "periodSeconds": 1,
        "failureThreshold": COURIER_PATIENCE_SECONDS,
    }
    courier["env"] += [field_variable("MLECTL_NODE", "spec.nodeName"), field_variable("MLECTL_POD", "metadata.name")]
    return [stage, courier] if experiment.spec.network.mode == "open" else [stage, probe, courier]


def _agent(experiment: Experiment, start: Start, settings: Settings, token: str) -> Object:
    resources, agent = experiment.spec.resources, experiment.spec.agent
    whole = Share.of_run(resources)
    gpus = {resources.gpu.resource: str(resources.gpu.count)} if resources.gpu.count else None
    return {
        "name": "agent",
        "image": agent.image,
        "command": ["/bin/sh", f"{CONTROL}/launch.sh", "--", *map(literal, agent_command(experiment.spec))],
        "env": _environment(experiment, start),
        **({"envFrom": [source.to_dict() for source in agent.env_from]} if agent.env_from else {}),
        "resources": (whole - courier_share(whole, settings.courier)).written(gpus),
        "volumeMounts": [
            mount("data", str(PATHS.data), readOnly=True),
            *_folders(),
            mount("task", str(PATHS.instructions), subPath=INSTRUCTIONS, readOnly=True),
            mount("memory", SHARED_MEMORY),
        ],
        "securityContext": container_security(read_only=False),
        "lifecycle": {"preStop": {"httpGet": {"port": NOTICE_PORT, "path": notice_path(token)}}},
    }


def _environment(experiment: Experiment, start: Start) -> list[Object]:
    """The spec's variables and ours; where both name one, ours wins."""
    known = agent_environment(
        PATHS,
        competition=start.competition,
        seed=start.seed or 0,
        budget_seconds=start.budget_seconds,
        hardware=describe_hardware(experiment.spec.resources),
        validation_url=f"http://localhost:{COURIER_PORT}",
    )
    ours = {**known, "CONTROL_DIR": str(CONTROL)}
    theirs = [one.to_dict() for one in experiment.spec.agent.env if one.name not in ours]
    return [*theirs, *(variable(name, value) for name, value in ours.items())]


def _folders() -> list[Object]:
    """What the agent shares with those who work for it."""
    return [
        mount("submission", str(PATHS.submission)),
        mount("code", str(PATHS.code)),
        mount("logs", str(PATHS.logs)),
        mount("control", str(CONTROL)),
    ]
