"""Which folder of this machine stands for an agent's image, and what the agent's command and environment become."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orchestrator
from orchestrator.api.types import Agent, EnvVar, ExperimentRunSpec

PACKAGE = Path(orchestrator.__file__).parent
BUNDLED = (PACKAGE / "agents" / "bundled", PACKAGE.parent / "images" / "agents")
"""Where the bundled agents are: in an installed package, and in a checkout."""


class AgentNotRunnable(Exception):
    """The agent can't run on this machine as its spec stands; the message says what to change."""


@dataclass(frozen=True)
class LocalAgent:
    """An agent as this machine can run it."""

    folder: Path
    command: tuple[str, ...] | None
    """None: bash start.sh of the folder."""
    args: tuple[str, ...]
    env: Mapping[str, str]


def bundled_agents() -> dict[str, Path]:
    """Folders of the agents that come with mlectl, by name."""
    root = next((root for root in BUNDLED if root.is_dir()), None)
    return {path.parent.name: path.parent for path in sorted(root.glob("*/start.sh"))} if root else {}


def find_agent(spec: ExperimentRunSpec, folder: Path | None = None) -> LocalAgent:
    """The agent of a spec; `folder`, where given, stands for its image."""
    if spec.models is not None:
        raise AgentNotRunnable(
            "spec.models: the model gateway runs on a cluster only. On one machine leave models out, set network: "
            "{mode: open} and give the agent its own key with spec.agent.env."
        )
    if spec.network.mode == "restricted" and spec.network.allow:
        raise AgentNotRunnable(
            "spec.network.allow: on one machine single addresses can't be allowed. Write mode: none, or mode: open."
        )
    agent = spec.agent
    return LocalAgent(folder or _folder_of(agent.image), agent.command, agent.args, _environment(agent))


def _folder_of(image: str) -> Path:
    """`registry.example/mlectl/agent-baseline:0.1.0` is answered by the bundled agent `baseline`."""
    name = image.split("@")[0].rsplit("/", 1)[-1].split(":")[0].removeprefix("agent-")
    known = bundled_agents()
    if name not in known:
        raise AgentNotRunnable(
            f"spec.agent.image: '{image}' is a container image, and on one machine an agent runs from a folder. "
            f"Say --agent-folder DIR (a folder with start.sh), or use a bundled agent: "
            f"{', '.join(f'agent-{one}' for one in known)}."
        )
    return known[name]


def _environment(agent: Agent) -> dict[str, str]:
    if agent.env_from:
        raise AgentNotRunnable(
            "spec.agent.envFrom: there are no Secrets or ConfigMaps on one machine. List the variables under "
            "spec.agent.env; one with a valueFrom is taken from your own environment."
        )
    return {item.name: value for item in agent.env if (value := _value(item)) is not None}


def _value(item: EnvVar) -> str | None:
    """A written value, or, for what a cluster would look up, this process's own variable of that name."""
    if item.value_from is None:
        return item.value or ""
    if (found := os.environ.get(item.name)) is not None:
        return found
    reference = item.value_from.secret_key_ref or item.value_from.config_map_key_ref
    if reference is not None and reference.optional:
        return None
    raise AgentNotRunnable(
        f"spec.agent.env: {item.name} comes from a Secret or ConfigMap on a cluster, and on one machine from your "
        f"environment, where it is not set. Run: export {item.name}={shlex.quote('...')}"
    )
