"""The images that are shipped: built by buildah from the project's own Dockerfiles, and loaded where pods find them."""

import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

from images import bases, facts, leaks, recipes
from images.engines import Build, Buildah
from images.making import Made, make
from images.recipes import Order
from tests.cluster.images import offline
from tests.cluster.rig.containers import STATE, ctr, ctr_command
from tests.cluster.rig.errors import RigError

REGISTRY, SOURCE = "localhost/shipped", "https://code.example/mlectl"
CREATED = 1_700_000_000
"""Always the same, or steps that an earlier session has left would have another date than today's."""
PLANTED = "planted-where-it-must-not-be"


@dataclass(frozen=True)
class Workshop:
    """Where they are built: `make images`, offline."""

    engine: Buildah
    order: Order
    lock: Path
    output: Path

    def have_agent_base(self) -> None:
        """Built, for agents to build on, and no more: what is in it is in them."""
        for build in recipes.builds("agent-base", self.order):
            self.engine.build(build)

    def make(self, image: str) -> Made:
        return self.build(image, recipes.builds(image, self.order))

    def make_agent(self, folder: Path) -> Made:
        image = f"agent-{folder.name}"
        return self.build(image, recipes.agent_builds(image, folder, self.order))

    def build(self, image: str, builds: Iterator[Build]) -> Made:
        return make(image, builds, self.engine, self.output, leaks.values({"PLANTED_TOKEN": PLANTED}))

    def from_nothing(self) -> "Workshop":
        """The same where no build has been before."""
        output = self.output / "again"
        engine = replace(self.engine, program=offline.buildah(self.output.parent, output / "storage"))
        return replace(self, engine=engine, order=replace(self.order, fresh=True), output=output)


@contextmanager
def workshop() -> Iterator[Workshop]:
    """Nothing is left of it but the steps that buildah keeps for the next one."""
    with (
        tempfile.TemporaryDirectory(prefix="images.") as folder,
        offline.engine(Path(folder)) as (engine, tag, pip_config),
    ):
        scratch = Path(folder)
        lock = scratch / "bases.lock"
        lock.write_text(f"# of these tests\npython   {tag}\n")
        base = bases.pin("python", engine, lock)
        known = replace(facts.read(), created=CREATED)
        order = Order(base, known, REGISTRY, SOURCE, heavy=False, pip_config=pip_config)
        yield Workshop(engine, order, lock, scratch / "images")


@contextmanager
def loaded(images: Sequence[Made]) -> Iterator[None]:
    """The true node has them meanwhile."""
    for image in images:
        load(image)
    yield
    ctr("images", "remove", *(image.name for image in images))


def load(image: Made) -> None:
    """Give it to containerd under its name, without the layers that are there already."""
    known = set(ctr("content", "list", "--quiet").split())
    with tarfile.open(image.archive) as source, tempfile.TemporaryFile(dir=STATE) as file:
        with tarfile.open(fileobj=file, mode="w") as target:
            for entry in source:
                data = source.extractfile(entry)
                if entry.name == "index.json" and data:
                    index = json.load(data)
                    index["manifests"][0]["annotations"] = {"io.containerd.image.name": image.name}
                    data = BytesIO(json.dumps(index).encode())
                    entry.size = len(data.getvalue())
                if entry.name.removeprefix("blobs/").replace("/", ":") not in known:
                    target.addfile(entry, data)
        file.seek(0)
        done = subprocess.run(ctr_command("images", "import", "-"), stdin=file, capture_output=True, check=False)
    if done.returncode:
        raise RigError(f"{image.name} cannot be loaded: {done.stderr.decode().strip()}")
