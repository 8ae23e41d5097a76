"""Build the project's images, or an agent's: `python -m images --help`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from images import bases, engines, facts, leaks, recipes
from images.engines import Engine
from images.errors import ImagesError
from images.facts import CHECKOUT
from images.making import make
from images.recipes import Order

BASE = "python"  # the line of bases.lock that all of ours are built on
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> None:
    asked = arguments(argv)
    try:
        engine = engines.find()
        order = order_of(asked, engine)
        held = leaks.values(os.environ, asked.pip_config)
        if asked.agent:
            folder = asked.agent.resolve()
            wanted = {f"agent-{folder.name}": recipes.agent_builds(f"agent-{folder.name}", folder, order)}
        else:
            wanted = {image: recipes.builds(image, order) for image in asked.images or recipes.bundled()}
        for image, builds in wanted.items():
            started = time.monotonic()
            made = make(image, builds, engine, asked.output, held, asked.allow)
            print(f"{made.name}: {made.archive}, {made.bill.name}, {time.monotonic() - started:.0f} s", flush=True)
    except (ImagesError, OSError) as error:
        print(f"images: {error}", file=sys.stderr)
        sys.exit(error.code if isinstance(error, ImagesError) else ImagesError.code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def order_of(asked: argparse.Namespace, engine: Engine) -> Order:
    """A release is built from what is committed, on a base whose digest is committed too."""
    known = facts.read()
    if asked.release and (known.changed or not known.revision):
        raise ImagesError("A release is built from a commit; commit what is changed, or leave out --release.")
    base = bases.pinned(BASE) if asked.release else bases.pin(BASE, engine)
    return Order(base, known, asked.registry, asked.source, not asked.light, asked.pip_config, asked.release)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What is asked for. What can be seen to be wrong is told before anything is built."""
    parser = argparse.ArgumentParser(prog="python -m images", description="Build images with docker or buildah.")
    parser.add_argument("images", nargs="*", metavar="IMAGE", help=f"default: {' '.join(recipes.bundled())}")
    parser.add_argument("--agent", type=Path, metavar="FOLDER", help="build this agent instead, on agent-base")
    parser.add_argument("--release", action="store_true", help="refuse what a stranger could not build again")
    parser.add_argument("--light", action="store_true", help="agent-base without torch, tensorflow and the like")
    parser.add_argument("--registry", default="localhost/mlectl", help="first part of the names (%(default)s)")
    parser.add_argument("--source", default="", metavar="URL", help="where the code is, for the label")
    parser.add_argument("--pip-config", type=Path, metavar="FILE", help="a pip.conf for the build; no layer keeps it")
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="NAME",
        help="a file or folder, such as .git, that is meant to be in the image; may be given again",
    )
    parser.add_argument(
        "--output", type=Path, default=CHECKOUT / "dist" / "images", help="folder of archives and bills"
    )
    asked = parser.parse_args(argv)
    for image in asked.images:
        if image not in recipes.bundled():
            parser.error(f"There is no image {image}; there are: {', '.join(recipes.bundled())}")
    if asked.agent and asked.images:
        parser.error("Name images, or an agent's folder, but not both.")
    if asked.agent and not (asked.agent / "Dockerfile").is_file():
        wanted = f"an agent's folder has start.sh and a Dockerfile `FROM {recipes.AGENT_BASE}`"
        parser.error(f"{asked.agent} has no Dockerfile; {wanted}.")
    if asked.pip_config and not asked.pip_config.is_file():
        parser.error(f"There is no file {asked.pip_config}; --pip-config names a pip.conf.")
    return asked


if __name__ == "__main__":
    main()
