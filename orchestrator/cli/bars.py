"""Progress bars on stderr, in a terminal only: elsewhere nothing is printed in their place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
