"""How a command answers: text for people, or the same data as JSON or YAML for programs. Data goes to stdout."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, TypeVar

import click

Format = Literal["table", "json", "yaml"]
Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(command: Command) -> Command:
    """Adds `-o table|json|yaml` as the argument `output`."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice(["table", "json", "yaml"]),
        default="table",
        show_default=True,
        help="Text for people, or data for programs.",
    )(command)


def emit(output: Format, data: Any, text: Callable[[], str]) -> None:
    """Print data in the form that was asked for; the text is only made when it is shown."""
    if output == "json":
        click.echo(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
    elif output == "yaml":
        import yaml

        click.echo(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120), nl=False)
    else:
        shown = text()
        click.echo(shown, nl=not shown.endswith("\n"))


def tell(sentence: str) -> None:
    """Say something that is not data: on stderr."""
    click.echo(sentence, err=True)
