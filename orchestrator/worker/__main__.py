"""`python -m orchestrator.worker ROLE --order FILE`: what pods and local processes start."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from orchestrator.worker.run import ROLES, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="mlectl worker", description="Carry out one order of a task.")
    parser.add_argument("role", choices=sorted(ROLES), help="what to do")
    parser.add_argument("--order", type=Path, required=True, help="JSON file that says with what")
    arguments = parser.parse_args()
    return run(arguments.role, arguments.order)


if __name__ == "__main__":
    sys.exit(main())
