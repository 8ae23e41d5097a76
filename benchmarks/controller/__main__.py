"""`python -m benchmarks.controller --only creating,requests --write`."""

import argparse
import sys

from benchmarks.competitions.results import ROOT
from benchmarks.controller import results
from benchmarks.controller.measure import PARTS, measure
from benchmarks.controller.table import page, show

PAGE = ROOT / "docs" / "benchmarks-controller.md"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.controller", description="What the controller costs.")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=list(PARTS), help=f"some of {', '.join(PARTS)}; else all"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="renew docs/benchmarks-controller.md, with what is kept of parts that are not measured now",
    )
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.only) - PARTS.keys()):
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    figures = measure(options.only)
    show(figures)
    if options.write:
        kept = results.read()
        if missing := [name for name in PARTS if name not in kept]:
            parser.error(f"a page needs all parts; {', '.join(missing)} were never measured here")
        PAGE.write_text(page([figure for name in PARTS for figure in kept[name]]), encoding="utf-8")
    return 0 if all(figure.is_met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
