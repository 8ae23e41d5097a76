"""Measures competitions: `python -m benchmarks.competitions --only AI4Code,aerial-cactus-identification --write`.

Data lie in memory where the system has /dev/shm, because making files costs more or less on each disk, and on some
more and more; MLECTL_BENCH_DIR chooses another place. Ctrl-C stops; the next call goes on with what is missing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.competitions import kitdata, machine
from benchmarks.competitions.growth import exponent, grows_too_fast
from benchmarks.competitions.measure import WorkFailed
from benchmarks.competitions.page import write_page
from benchmarks.competitions.ramp import Patience, climb, compare
from benchmarks.competitions.results import DEFAULT_FILE, ROOT, Measurement, Results, source_digest
from benchmarks.competitions.targets import misses_target, target
from benchmarks.competitions.work import SIDES, work_for

PAGE = ROOT / "docs" / "benchmarks.md"
IN_MEMORY = Path("/dev/shm")


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    results, patience = Results(options.results), Patience(options.seconds, options.making_seconds)
    problems = []
    for competition in options.only:
        for side in options.side:
            made = None if options.fresh else results.get(competition, side)
            if made is None:
                try:
                    made = measure_side(competition, side, patience)
                except WorkFailed as error:
                    problems.append(f"{competition} {side}: {error}")
                    print(problems[-1], flush=True)
                    continue
                results.put(made)
            print(_line(made), flush=True)
            problems += _problems(made)
    if options.write:
        PAGE.write_text(write_page(results, machine.describe()), encoding="utf-8")
    print("\n".join(["", "Worth a look:", *problems] if problems else ["", "Nothing grows too fast."]))
    return 1 if problems else 0


def measure_side(competition: str, side: str, patience: Patience) -> Measurement:
    """Measure one side of one competition at growing sizes, and against the obvious way if there is one."""
    source = source_digest(competition, side)
    load = machine.load()
    place = os.environ.get("MLECTL_BENCH_DIR") or (IN_MEMORY if IN_MEMORY.is_dir() else None)
    with tempfile.TemporaryDirectory(prefix="competitions-", dir=place) as folder:
        work = work_for(competition, side, Path(folder) / "scratch")
        points = climb(work, Path(folder), patience)
        comparison = compare(work, points, Path(folder))
    return Measurement(competition, side, work.unit, tuple(points), comparison, load, source)


def _parse(arguments: list[str]) -> argparse.Namespace:
    known = kitdata.ids()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.competitions", description="Time competitions.")
    parser.add_argument("--only", type=lambda text: text.split(","), default=known, help="ids, with commas; else all")
    parser.add_argument("--side", choices=SIDES, nargs="*", default=SIDES)
    parser.add_argument("--seconds", type=float, default=Patience.enough_seconds, help="how long a call should take")
    parser.add_argument("--making-seconds", type=float, default=Patience.making_seconds, help="most for making data")
    parser.add_argument("--results", type=Path, default=DEFAULT_FILE, help="where results are kept")
    parser.add_argument("--fresh", action="store_true", help="measure again what was measured")
    parser.add_argument("--write", action="store_true", help="renew docs/benchmarks.md")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.only) - set(known)):
        parser.error(f"there is no competition {', '.join(unknown)}")
    return options


def _line(made: Measurement) -> str:
    last, slope = made.points[-1], exponent(made.points)
    shown = "too few sizes to tell" if slope is None else f"exponent {slope:.2f}"
    ratio = f"   {made.comparison.ratio:.2f}× the obvious" if made.comparison else ""
    return (
        f"{made.competition:55} {made.side:8} {last.size:>12,.0f} {made.unit:24} {last.cpu_seconds:7.3f} s "
        f"(wall {last.wall_seconds:.3f}) {last.peak_mb:6.0f} MB   {shown}{ratio}"
    )


def _problems(made: Measurement) -> list[str]:
    problems = []
    if grows_too_fast(made.points):
        problems.append(f"{made.competition} {made.side}: grows with exponent {exponent(made.points)}")
    if made.comparison and misses_target(made):
        found, wanted = made.comparison.ratio, target(made)
        problems.append(f"{made.competition} {made.side}: only {found:.2f}× the obvious, not {wanted:.0f}×")
    return problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
