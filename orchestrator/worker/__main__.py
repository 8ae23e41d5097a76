"""`python -m orchestrator.worker ROLE --order SOURCE`: what pods and local processes start."""

from __future__ import annotations

import argparse
import sys

from orchestrator.worker.run import ROLES, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="mlectl worker", description="Carry out one order of a task.")
    parser.add_argument("role", choices=sorted(ROLES), help="what to do")
    parser.add_argument("--order", required=True, help="JSON that says with what: a file, or env:NAME for a variable")
    arguments = parser.parse_args()
    return run(arguments.role, arguments.order)


if __name__ == "__main__":
    sys.exit(main())
