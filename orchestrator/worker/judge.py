"""The process that opens submissions: `python -m orchestrator.worker.judge`, one request a line, one answer a line.

It imports the graders once and then forks for each request: a submission is untrusted, so whatever it does to the
memory or the time of the process that reads it ends with that process. No credentials are in its environment.

    {"task": "grade" | "validate", "competition": …, "version": …, "submission": …, "answers": …,
     "memory_bytes": …, "seconds": …}
    {"report": {…}}    {"valid": true}    {"rejection": "…"}    {"error": "…"}

A submission that keeps the graders' own limits (bytes, rows, columns, cells) and still needs more memory or time than
there is gets an error and no verdict: that is this machine's shortcoming, and somebody with a larger one can grade it.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

MIB = 1 << 20


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a grader prints is no answer
    for heavy in ("graders.grading", "graders.metrics", "graders.toolkit"):
        import_module(heavy)
    for line in sys.stdin:
        request = json.loads(line)
        import_grader(request["competition"])
        answers.write(json.dumps(carry_out(request)) + "\n")


def import_grader(competition: str) -> None:
    """Here, so that the forks have it; what is wrong with it they will tell."""
    import catalog

    with suppress(catalog.CatalogError, ImportError, AttributeError):
        resolve_name(catalog.load(competition).grader)


def carry_out(request: dict[str, Any]) -> dict[str, Any]:
    """Judge in a fork, within its limits."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        work(request, theirs)
    os.close(theirs)
    said = read_until(ours, time.monotonic() + request["seconds"])
    os.close(ours)
    if said is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if said is None:
        return {"error": f"It took longer than {request['seconds']:,.0f} seconds; allow more time and try again."}
    if os.WIFSIGNALED(status) or not said:
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"code {status}"
        return {"error": f"The process that read it was ended ({how}); {memory_hint(request)}"}
    answer: dict[str, Any] = json.loads(said)
    return answer


def read_until(pipe: int, until: float) -> bytes | None:
    """Everything that comes out of a pipe; None if that has no end in time."""
    said = b""
    while (left := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            block = os.read(pipe, 1 << 16)
            if not block:
                return said
            said += block
    return None


def work(request: dict[str, Any], output: int) -> None:
    """In the fork: judge, say so, and be gone."""
    code = 1
    try:
        limit_memory(request["memory_bytes"])
        try:
            answer = judge(request)
        except MemoryError:
            answer = {"error": f"It needs more memory than there is; {memory_hint(request)}"}
        except Exception as error:  # noqa: BLE001 (whoever asked is told, whatever it is)
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(output, "w") as stream:
            json.dump(answer, stream)
        code = 0
    except BaseException:  # noqa: BLE001 (a fork must never return into its parent's work)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def judge(request: dict[str, Any]) -> dict[str, Any]:
    import graders

    submission, answers = Path(request["submission"]), Path(request["answers"])
    what = (request["competition"], submission, answers, request["version"])
    try:
        if request["task"] == "grade":
            report = graders.grade(*what)
            if report.rejection and report.rejection["reason"] == graders.Reason.UNREADABLE:
                check_memory_sufficed(graders.validate(*what))
            return {"report": report.as_data()}
        rejected = graders.validate(*what)
    except graders.GraderError as error:
        check_memory_sufficed(error)
        traceback.print_exc()
        return {"error": str(error)}
    check_memory_sufficed(rejected)
    return {"valid": True} if rejected is None else {"rejection": rejected.sentence}


def check_memory_sufficed(verdict: Exception | None) -> None:
    """A file that could not be read for want of memory is not a bad file. pandas' own reader says so in words."""
    cause = verdict.__cause__ if verdict is not None else None
    if isinstance(cause, MemoryError) or str(cause).endswith("out of memory"):
        raise MemoryError from verdict


def limit_memory(most: int) -> None:
    """No more than so much on top of what the libraries have mapped already; no core files."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    ceiling = pages * resource.getpagesize() + most
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        ceiling = min(ceiling, hard)
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def memory_hint(request: dict[str, Any]) -> str:
    return f"it had {request['memory_bytes'] / MIB:,.0f} MiB of memory; allow more and try again."


if __name__ == "__main__":
    main()
