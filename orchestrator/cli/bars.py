"""Progress bars on stderr, in a terminal only: elsewhere nothing is printed in their place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from orchestrator.cli.output import tell

Advance = Callable[[str], None]
"""Called with a word for what was done."""


@contextmanager
def counting(what: str, total: int) -> Iterator[Advance]:
    """A bar over things that are done one after the other."""
    if not sys.stderr.isatty():
        yield lambda word: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[word]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, word="")
        yield lambda word: progress.update(task, advance=1, word=word)


Step = Callable[[str, str, int | None, int | None], None]
"""Called with a thing, the step that it is at, and the bytes so far and in all where they are known."""


@contextmanager
def steps(total: int) -> Iterator[Step]:
    """A bar for the thing that is being worked on; elsewhere than in a terminal a line when a step begins."""
    if not sys.stderr.isatty():
        yield _printing_steps()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
    )
    seen: list[str] = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(thing: str, step: str, done: int | None, of: int | None) -> None:
            if thing not in seen:
                seen.append(thing)
            words = f"{len(seen)}/{total} {thing}: {step}"
            if progress.tasks[0].description != words:
                progress.reset(task, total=of, completed=done or 0)
            progress.update(task, description=words, completed=done or 0, total=of)

        yield show


def _printing_steps() -> Step:
    last: list[tuple[str, str]] = []

    def show(thing: str, step: str, done: int | None, of: int | None) -> None:
        if last != [(thing, step)]:
            last[:] = [(thing, step)]
            tell(f"{thing}: {step}")

    return show
