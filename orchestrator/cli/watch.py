"""A screen that is kept up to date: redrawn in place in a terminal, printed anew when it changes elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable

import click

LOOK_SECONDS = 0.5

Screen = Callable[[int], tuple[str, bool]]
"""From the lines there is room for to the text, and whether it is the last one."""


def watch_screen(screen: Screen, look_seconds: float = LOOK_SECONDS) -> None:
    """Show the screen until it is the last one. Ctrl-C ends it too, as an interruption."""
    if sys.stdout.isatty():
        _redraw(screen, look_seconds)
    else:
        _print_changes(screen, look_seconds)


def _redraw(screen: Screen, look_seconds: float) -> None:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            text, is_last = screen(shutil.get_terminal_size().lines)
            live.update(Text(text.rstrip("\n"), no_wrap=True, overflow="crop"), refresh=True)
            if is_last:
                return
            time.sleep(look_seconds)


def _print_changes(screen: Screen, look_seconds: float) -> None:
    shown = ""
    while True:
        text, is_last = screen(shutil.get_terminal_size().lines)
        if text != shown:
            click.echo(text)
            shown = text
        if is_last:
            return
        time.sleep(look_seconds)
