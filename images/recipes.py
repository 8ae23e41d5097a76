"""The images by name, and how each is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from images.engines import Build
from images.facts import CHECKOUT, LABELS, Facts

HERE = CHECKOUT / "images"
AGENT_BASE = "mlebench-env"
"""What agents' Dockerfiles call it, by the reference's habit."""
FOLDERS = {f"{name.upper()}_DIR": f"/home/{name}" for name in ("submission", "logs", "code", "agent")}
"""What agents' Dockerfiles are told."""


@dataclass(frozen=True)
class Order:
    """What is common to the images of one run."""

    base: str
    facts: Facts
    registry: str = "localhost/mlectl"
    source: str = ""
    heavy: bool = True
    pip_config: Path | None = None
    fresh: bool = False

    def name(self, image: str) -> str:
        return f"{self.registry}/{image}:{self.facts.version}"

    def build(
        self,
        folder: Path,
        context: Path,
        names: Sequence[str],
        arguments: Mapping[str, str],
        labels: Mapping[str, str],
    ) -> Build:
        dockerfile, created = folder / "Dockerfile", self.facts.created
        return Build(dockerfile, context, names, arguments, labels, created, self.pip_config, self.fresh)

    @property
    def labels(self) -> dict[str, str]:
        return self.facts.labels(self.source)


def bundled() -> list[str]:
    return [
        "orchestrator",
        "agent-base",
        *(f"agent-{path.parent.name}" for path in sorted(HERE.glob("agents/*/config.yaml"))),
    ]


def builds(image: str, order: Order) -> Iterator[Build]:
    """The steps to one of the project's images; an agent's follow those of the base."""
    if image == "orchestrator":
        arguments = {"BASE": order.base}
        yield order.build(HERE / "orchestrator", CHECKOUT, [order.name(image)], arguments, order.labels)
    elif image == "agent-base":
        arguments = {"BASE": order.base, "INSTALL_HEAVY_DEPENDENCIES": str(order.heavy).lower()}
        folder = HERE / "agent-base"
        yield order.build(folder, folder, [order.name(image), AGENT_BASE], arguments, order.labels)
    else:
        yield from agent_builds(image, HERE / "agents" / image.removeprefix("agent-"), order)


def agent_builds(image: str, folder: Path, order: Order) -> Iterator[Build]:
    """The steps from an agent's folder, in the reference's format, to an image that our pods can start."""
    unfinished, finish = f"localhost/unfinished-{image}", HERE / "agent-finish"
    labels = {**order.labels, f"{LABELS}.title": image, f"{LABELS}.description": "An agent for mlectl"}
    yield order.build(folder, folder, [unfinished], FOLDERS, {})
    yield order.build(finish, finish, [order.name(image)], {"BASE": unfinished}, labels)
