"""Packing and staging a dataset against `tar` through a pipe on the same disk: 10,000 small files, and one of 2 GB.

Both sides copy the same bytes between the same folders, with the source in the page cache, and both end with the data
on the disk: tar's output is synced, as a store's object and a staged folder are. Ours hashes every byte on top (each
file, and when packing each shard). Rounds alternate, and the best of each side counts, because whatever else the
machine does can only make a round slower. Small files are not deleted between rounds: some file systems slow down after
that. Ours is measured from call to return in a fresh process, tar from start to end. Memory is that of the process and,
as if all had their peak at once, of its helpers.

MLECTL_BENCH_DIR chooses the disk, MLECTL_BENCH_ROUNDS how often to measure (5; twice as often for
the small files, which take a moment).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

ROUNDS = int(os.environ.get("MLECTL_BENCH_ROUNDS", "5"))
TARGET_RATIO = 0.9
TARGET_MEMORY_MB = 200
SMALL_FILES = 10_000
SMALL_BYTES = (2_000, 20_000)
LARGE_BYTES = 2 << 30

PACK = """
from orchestrator.storage.dataset import pack
from orchestrator.storage.filesystem import FileStore
def work(source, target):
    pack(source, FileStore(target), "d")
"""
STAGE = """
from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.filesystem import FileStore
def work(source, target):
    stage(DatasetSource.from_store(FileStore(source), "d"), target)
"""
MEASURE = """
import json, resource, sys, time
from pathlib import Path
from orchestrator.storage.parallel import WORKERS
start = time.perf_counter()
work(Path(sys.argv[1]), Path(sys.argv[2]))
seconds = time.perf_counter() - start
own, helper = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps([seconds, (own + WORKERS * helper) / 1024]))
"""
TAR_PACK = 'tar -cf - -C "$1" . | cat > "$2" && sync "$2"'
TAR_STAGE = 'mkdir "$2" && cat "$1" | tar -xf - -C "$2" && sync -f "$2"'


@dataclass
class Line:
    """One line of the table: the same work, done by tar and by us."""

    name: str
    tar_seconds: list[float] = field(default_factory=list)
    our_seconds: list[float] = field(default_factory=list)
    memory_mb: float = 0

    @property
    def ratio(self) -> float:
        """Our speed in units of tar's."""
        return min(self.tar_seconds) / min(self.our_seconds)

    @property
    def is_on_target(self) -> bool:
        return self.ratio >= TARGET_RATIO and self.memory_mb <= TARGET_MEMORY_MB


def run() -> bool:
    """Measure and print; whether all targets are met."""
    with tempfile.TemporaryDirectory(prefix="packing-", dir=os.environ.get("MLECTL_BENCH_DIR")) as folder:
        lines = [*measure("10,000 small files", Path(folder) / "small", make_small_files, rounds=2 * ROUNDS)]
        lines += measure("one file of 2 GB", Path(folder) / "large", make_large_file, rounds=ROUNDS, delete=True)
    show(lines)
    return all(line.is_on_target for line in lines)


def measure(
    what: str, folder: Path, make: Callable[[Path], None], *, rounds: int, delete: bool = False
) -> tuple[Line, Line]:
    """A line for packing and one for staging, after so many rounds of each side."""
    source = folder / "source"
    source.mkdir(parents=True)
    make(source)
    packing, staging = Line(f"pack {what}"), Line(f"stage {what}")
    for number in range(rounds):
        at = folder / str(number)
        at.mkdir()
        packing.tar_seconds.append(run_tar(TAR_PACK, source, at / "tar"))
        run_ours(packing, PACK, source, at / "store")
        staging.tar_seconds.append(run_tar(TAR_STAGE, at / "tar", at / "untarred"))
        run_ours(staging, STAGE, at / "store", at / "staged")
        if number == 0:
            check_same(source, at / "staged")
        if delete:
            shutil.rmtree(at)
    return packing, staging


def run_tar(script: str, source: Path, target: Path) -> float:
    os.sync()
    start = time.perf_counter()
    subprocess.run(["sh", "-ec", script, "sh", source, target], check=True)
    return time.perf_counter() - start


def run_ours(line: Line, work: str, source: Path, target: Path) -> None:
    os.sync()
    command = [sys.executable, "-c", work + MEASURE, source, target]
    seconds, memory_mb = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    line.our_seconds.append(seconds)
    line.memory_mb = max(line.memory_mb, memory_mb)


def make_small_files(folder: Path) -> None:
    """Files as image datasets have them: 100 folders of 100, of 2 to 20 kB."""
    draw = random.Random(0)
    for number in range(SMALL_FILES):
        path = folder / f"{number // 100:03d}" / f"{number:05d}.bin"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(draw.randbytes(draw.randrange(*SMALL_BYTES)))


def make_large_file(folder: Path) -> None:
    block = random.Random(0).randbytes(1 << 20)
    with (folder / "large.bin").open("wb") as file:
        for number in range(LARGE_BYTES >> 20):
            file.write(number.to_bytes(8, "big") + block[8:])


def check_same(source: Path, staged: Path) -> None:
    subprocess.run(["diff", "-r", "-x", ".mlectl", source, staged], check=True)


def show(lines: list[Line]) -> None:
    table = Table(caption=f"target: ratio ≥ {TARGET_RATIO}, peak memory ≤ {TARGET_MEMORY_MB} MB", box=box.SIMPLE)
    for heading in ("", "tar s", "mlectl s", "ratio", "memory MB", "target"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for line in lines:
        seconds = (f"{min(each):.2f}" for each in (line.tar_seconds, line.our_seconds))
        verdict = "met" if line.is_on_target else "missed"
        table.add_row(line.name, *seconds, f"{line.ratio:.2f}", f"{line.memory_mb:.0f}", verdict)
    Console().print(table)
