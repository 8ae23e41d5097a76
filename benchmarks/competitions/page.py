"""docs/benchmarks.md, made from measurements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchmarks.competitions.growth import LIMIT, NOISE_SECONDS, Point, exponent, grows_too_fast
from benchmarks.competitions.notes import BELOW_TARGET, GROWS_FASTER, MEASURED_AGAIN
from benchmarks.competitions.results import Measurement
from benchmarks.competitions.targets import HARD_TARGET, NOISE, USUAL_TARGET, is_hard, misses_target

UNEXPLAINED = "not explained yet"

INTRODUCTION = f"""\
# How fast competitions are prepared and graded

`make bench-competitions` times every preparer and every grader at growing sizes and `WRITE=1` renews this page from
what was measured. Data come from the tests' kit: raw files of a growing n; for graders the answers of the usual n with
their rows repeated, because the kit is slow at making millions; pictures and volumes of real shapes where the kit's
are tiny (`benchmarks/competitions/large`). So sizes are not Kaggle's: what counts is how seconds grow with them.
Files lie in a file system in memory, so that no disk is measured.

- *seconds*: CPU time, user and system, of the call alone at the largest size measured; the better one of two rounds,
  because whatever else a machine does can only make a round dearer. Sizes are smaller where larger data
  took too long to make.
- *memory*: the peak of the resident set over what the process had before the call, in MB; pages of a file that is
  mapped rather than read count too, though the system can take them back.
- *exponent*: seconds grow like size to the power of it, by least squares over the three largest sizes. n log n gives
  1.1 or less here; above {LIMIT} it is marked with **!**. A dash: fewer than three of the sizes whose
  data could be made in reasonable time took longer than {NOISE_SECONDS * 1000:.0f} ms, which is too few to tell.
"""


def write_page(made: Iterable[Measurement], machine: str) -> str:
    """The page as Markdown."""
    measurements = list(made)
    loads = sorted(one.load for one in measurements)
    source = f"Measured on: {machine}.\n"
    if loads:
        source += (
            f"Processes that wanted to run meanwhile: {loads[0]} to {loads[-1]}, {loads[len(loads) // 2]} usually.\n"
        )
        source += "Where that is more than the cores, seconds are too high; ratios and exponents suffer less.\n"
        source += f"{MEASURED_AGAIN}\n"
    parts = [INTRODUCTION, source, _hard(measurements), _others(measurements), _outliers(measurements)]
    parts += [_table(measurements, side) for side in ("prepare", "grade")]
    return "\n".join(parts)


def _hard(measurements: Sequence[Measurement]) -> str:
    return _comparisons(
        "## Hard ones, against the obvious implementation\n\n"
        "The obvious implementation (`benchmarks/competitions/obvious`) follows the specification line by line with\n"
        "pandas, numpy, scikit-learn and plain Python; both give the same score, or the same bytes. The target is\n"
        f"{HARD_TARGET:.0f}×; below it stands **!**. *Reading s*: what pandas takes to read a grader's two tables, as\n"
        "the specifications want them read, which is a part of both.\n\n",
        [one for one in measurements if is_hard(one)],
        f"Why some are below {HARD_TARGET:.0f}×:\n\n",
    )


def _others(measurements: Sequence[Measurement]) -> str:
    return _comparisons(
        "## All others, against the obvious implementation\n\n"
        f"None is to be slower than it. A ratio of {USUAL_TARGET - NOISE:.1f}× or more passes, because two\n"
        "measurements of the same work differ by as much; below it stands **!**. The obvious way checks\n"
        "nothing: it takes submissions for honest and raw files for whole.\n\n",
        [one for one in measurements if not is_hard(one)],
        "Why some are slower:\n\n",
    )


def _comparisons(text: str, measurements: Sequence[Measurement], why: str) -> str:
    rows = [
        (
            one.competition,
            one.side,
            f"{_count(one.comparison.size)} {one.unit}",
            _seconds(one.comparison.obvious_seconds),
            _seconds(one.comparison.our_seconds),
            "–" if one.comparison.floor_seconds is None else _seconds(one.comparison.floor_seconds),
            f"{one.comparison.ratio:.1f}×" + (" **!**" if misses_target(one) else ""),
        )
        for one in measurements
        if one.comparison
    ]
    table = _markdown(("competition", "", "size", "obvious s", "ours s", "reading s", "ratio"), rows)
    return text + table + _explained([one for one in measurements if misses_target(one)], BELOW_TARGET, why)


def _outliers(measurements: Sequence[Measurement]) -> str:
    title = "## What grows faster than n log n\n"
    outliers = [one for one in measurements if grows_too_fast(one.points)]
    untold = sum(exponent(one.points) is None for one in measurements)
    text = title + (_explained(outliers, GROWS_FASTER) or f"\nNone has an exponent above {LIMIT}.\n")
    return text + f"\nOf {untold} of {len(measurements)} measurements, sizes were too small or too few to tell.\n"


def _explained(some: Sequence[Measurement], reasons: Mapping[tuple[str, str], str], title: str = "") -> str:
    """A list of measurements with what is known of their reasons; nothing if there are none."""
    lines = [
        f"- {one.competition}, {one.side}: {reasons.get((one.competition, one.side), UNEXPLAINED)}.\n" for one in some
    ]
    return "".join(["\n", title, *lines]) if lines else ""


def _table(measurements: Sequence[Measurement], side: str) -> str:
    title = {"prepare": "Preparing", "grade": "Grading"}[side]
    rows = [(one.competition, *_cells(one.unit, one.points)) for one in measurements if one.side == side]
    return f"## {title}\n\n" + _markdown(("competition", "size", "seconds", "memory", "exponent"), rows)


def _cells(unit: str, points: Sequence[Point]) -> tuple[str, ...]:
    last, slope = points[-1], exponent(points)
    mark = " **!**" if grows_too_fast(points) else ""
    shown = "–" if slope is None else f"{slope:.2f}{mark}"
    return f"{_count(last.size)} {unit}", _seconds(last.cpu_seconds), f"{last.peak_mb:.0f}", shown


def _count(size: float) -> str:
    return f"{size:,.0f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}"


def _markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" if place == 0 else "--:" for place in range(len(head))), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
