"""Make the images, and load them if the true node is up, saying how long each step takes."""

import sys
import time
from collections.abc import Callable
from typing import TypeVar

from tests.cluster.images import made, offline, slow
from tests.cluster.rig import containers, node
from tests.cluster.rig.errors import RigError

Result = TypeVar("Result")


def main() -> None:
    try:
        for name, make in (("base", slow.base), ("dependencies", slow.dependencies)):
            timed(f"layer {name}", make)
        timed("wheels", offline.wheels)
        images = timed("code and images", made.make_all)
        if node.is_up():
            names = timed("load", lambda: containers.load(images))
            print("loaded", ", ".join(names) or "nothing: all of them were there")
    except RigError as error:
        sys.exit(f"images: {error}")


def timed(name: str, act: Callable[[], Result]) -> Result:
    started = time.monotonic()
    result = act()
    print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
    return result


if __name__ == "__main__":
    main()
