"""Runs benchmarks: every module of this package that has a `run`, or those named on the command line."""

import argparse
import importlib
import pkgutil
import sys

import benchmarks


def names() -> list[str]:
    """The benchmarks there are."""
    modules = (info.name for info in pkgutil.iter_modules(benchmarks.__path__) if not info.name.startswith("_"))
    return [name for name in modules if hasattr(importlib.import_module(f"benchmarks.{name}"), "run")]


def main(arguments: list[str]) -> int:
    known = names()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what must stay fast.")
    parser.add_argument("name", nargs="*", help=f"which to run: {', '.join(known)}; all if none is named")
    chosen = parser.parse_args(arguments).name or known
    for name in set(chosen) - set(known):
        parser.error(f"there is no benchmark {name!r}; there are {', '.join(known)}")
    targets_met = True
    for name in chosen:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"{name}: {(module.__doc__ or '').partition(chr(10))[0]}", flush=True)
        targets_met &= module.run()
        print(flush=True)
    return 0 if targets_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
