"""The images by name, and how each is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from images.engines import Build
from images.errors import ImagesError
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

    def name(self, image: str) -> str:
        return f"{self.registry}/{image}:{self.facts.version}"

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
    ours = (order.facts.created, order.pip_config)
    if image == "orchestrator":
        dockerfile = HERE / "orchestrator" / "Dockerfile"
        yield Build(dockerfile, CHECKOUT, [order.name(image)], {"BASE": order.base}, order.labels, *ours)
    elif image == "agent-base":
        folder = HERE / "agent-base"
        arguments = {"BASE": order.base, "INSTALL_HEAVY_DEPENDENCIES": str(order.heavy).lower()}
        yield Build(folder / "Dockerfile", folder, [order.name(image), AGENT_BASE], arguments, order.labels, *ours)
    elif image in bundled():
        yield from agent_builds(image, HERE / "agents" / image.removeprefix("agent-"), order)
    else:
        raise ImagesError(f"There is no image {image}; there are: {', '.join(bundled())}")


def agent_builds(image: str, folder: Path, order: Order) -> Iterator[Build]:
    """The steps from an agent's folder, in the reference's format, to an image that our pods can start."""
    if not (folder / "Dockerfile").is_file():
        raise ImagesError(
            f"{folder} has no Dockerfile; an agent's folder has start.sh and a Dockerfile `FROM {AGENT_BASE}`."
        )
    unfinished = f"localhost/unfinished-{image}"
    created = order.facts.created
    yield Build(folder / "Dockerfile", folder, [unfinished], FOLDERS, {}, created, order.pip_config)
    finish, labels = HERE / "agent-finish", {**order.labels, f"{LABELS}.title": image}
    yield Build(finish / "Dockerfile", finish, [order.name(image)], {"BASE": unfinished}, labels, created)
