"""The reference page of mlectl, made from the commands themselves: `python -m orchestrator.cli.reference`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from orchestrator.cli.main import SECTIONS, cli

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "mlectl.md"

_HEAD = """\
# mlectl

The commands, one by one; `mlectl COMMAND --help` says the same. This page is made from them by `make docs`.

Data goes to stdout, narration and errors to stderr. `-o json` and `-o yaml` give data for programs. Exit codes: 0 done,
1 the thing asked about failed, 2 wrong usage, 3 something needed is missing or out of reach, 130 interrupted.

State on this machine is in one folder, the home: `--home`, else `$MLECTL_HOME`, else `mlectl` in the user's data folder
(`$XDG_DATA_HOME` or `~/.local/share`). `MLECTL_STORE_PUBLIC`, `MLECTL_STORE_PRIVATE` and `MLECTL_STORE_RUNS` name other
stores than the folders in it, such as `s3://bucket/prefix?endpoint=https://host:port`.

Where an experiment is: `--namespace`, `--context` and `--kubeconfig` mean a cluster and are used as kubectl uses them;
`--local` and `--home` mean this machine. Without any, a name is looked for on this machine and then on the cluster of
the kubeconfig, if there is one; a name that both have needs a flag. `team/demo` is `demo` in namespace `team`.
"""


def reference_page() -> str:
    """docs/reference/mlectl.md."""
    parts = [_HEAD]
    for title, commands in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += ["\n".join(_section(name)) for name in commands]
    return "\n".join(parts)


def _section(name: str) -> Iterator[str]:
    command = cli.get_command(click.Context(cli), name)
    if command is None:
        raise LookupError(f"there is no command {name}")
    context = click.Context(command, info_name=name, parent=click.Context(cli, info_name="mlectl"))
    yield f"### mlectl {name}\n"
    yield f"{_plain(command)}\n"
    yield f"    {' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n"
    options = [record for one in command.params if (record := _option(one, context))]
    if options:
        yield "| Option | Meaning |"
        yield "| --- | --- |"
        yield from (f"| `{option}` | {meaning} |" for option, meaning in options)
        yield ""


def _plain(command: click.Command) -> str:
    """The help as Markdown; a block that click would not wrap is shown as it stands."""
    blocks = []
    for block in inspect.cleandoc(command.help or "").split("\n\n"):
        if block.startswith("\b\n"):
            block = "\n".join(f"    {line}" for line in block.removeprefix("\b\n").splitlines())
        blocks.append(block)
    return "\n\n".join(blocks)


def _option(parameter: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    if not isinstance(parameter, click.Option):
        return None
    record = parameter.get_help_record(context)
    if record is None:
        return None
    return record[0].replace("|", "\\|"), " ".join(record[1].split()).replace("|", "\\|")


def main() -> None:
    PAGE.write_text(reference_page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()
