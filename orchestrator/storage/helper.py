"""Helper processes: what has to be done file by file, by interpreters of their own.

Millions of small files keep an interpreter busy, and its lock lets one thread at a time be so. A helper is a bare
Python that imports next to nothing and starts in some 20 ms. It gets its job through a pipe, a shard's bytes through
standard input or output (the shard's own file where there is one, else a pipe to us), and ends with a report through a
third pipe. `filing.py` and `unfiling.py` are what helpers run.
"""

from __future__ import annotations

import contextlib
import fcntl
import marshal
import os
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self

import orchestrator
from orchestrator.storage.disk import start_writing
from orchestrator.storage.manifest import DatasetError
from orchestrator.storage.parallel import Meter

ROOT = Path(orchestrator.__file__).parent.parent
START = """
import sys
sys.path.insert(0, sys.argv[1])
from orchestrator.storage.{module} import main
try:
    main(int(sys.argv[2]), int(sys.argv[3]))
except KeyboardInterrupt:
    sys.exit(130)
"""
PIPE_BYTES = 1 << 20
LOOK_EVERY_SECONDS = 0.1


class Helper:
    """A running helper. Leaving the `with` block ends it, whatever it is doing.

    `keep` are descriptors that the helper shall hold on to, such as a lock that must outlive us if it does.
    """

    def __init__(
        self,
        module: Literal["filing", "unfiling"],
        job: Any,
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        keep: tuple[int, ...] = (),
    ) -> None:
        job_end, to_helper = os.pipe()
        from_helper, report_end = os.pipe()
        command = [sys.executable, "-I", "-S", "-c", START.format(module=module), str(ROOT)]
        try:
            self.process = subprocess.Popen(
                [*command, str(job_end), str(report_end)],
                stdin=subprocess.PIPE if stdin is None else stdin,
                stdout=subprocess.PIPE if stdout is None else stdout,
                pass_fds=(job_end, report_end, *keep),
            )
        finally:
            os.close(job_end)
            os.close(report_end)
        self._report = from_helper
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                widen(pipe)
        with os.fdopen(to_helper, "wb") as pipe, contextlib.suppress(BrokenPipeError):
            marshal.dump(job, pipe)

    @property
    def out(self) -> IO[bytes]:
        """What the helper writes, where its output is a pipe."""
        assert self.process.stdout is not None
        return self.process.stdout

    def send(self, data: bytes) -> bool:
        """Hand bytes to the helper; False if it takes no more, which its report will explain."""
        assert self.process.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.process.stdin.fileno(), view) :]
        except BrokenPipeError:
            return False
        return True

    def watch(self, file: int, meter: Meter, *, writes: bool = False) -> None:
        """Wait for the report, telling how far the helper has come in a file that it shares with us."""
        seen = 0
        while not select.select([self._report], [], [], LOOK_EVERY_SECONDS)[0]:
            position = os.lseek(file, 0, os.SEEK_CUR)
            meter.add(position - seen)
            seen = position
            if writes:
                start_writing(file)

    def report(self) -> Any:
        """What the helper has to say at its end."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        with os.fdopen(os.dup(self._report), "rb") as pipe:
            said = pipe.read()
        code = self.process.wait()
        if not said:
            raise DatasetError(
                f"A helper process ended without a word (exit code {code}); it may have been killed for its memory, "
                "so look at the machine and start again."
            )
        return marshal.loads(said)  # noqa: S302 - our own child wrote it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._report)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def widen(pipe: IO[bytes]) -> None:
    """Give a pipe room for a whole block, where the system can."""
    with contextlib.suppress(AttributeError, OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
