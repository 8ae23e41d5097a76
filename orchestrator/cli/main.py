"""The command `mlectl`: finds the command that was asked for, runs it, and turns trouble into a sentence and a code."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence

import click

from orchestrator.cli import exits

SECTIONS: dict[str, dict[str, str]] = {
    "Competitions": {
        "competitions": "List the competitions, and which of them are prepared.",
        "prepare": "Fetch competitions' raw files and prepare datasets and answers.",
        "validate": "Say whether a submission would be accepted.",
        "grade-sample": "Grade one submission.",
        "grade": "Grade the submissions that a JSON lines file names.",
    },
    "Experiments": {
        "run": "Run an experiment on this machine.",
        "submit": "Hand an experiment to a cluster.",
        "status": "Show how far experiments are.",
        "runs": "List the runs of an experiment.",
        "logs": "Show what an agent wrote in a run.",
        "failures": "Show what went wrong, whose fault it was and what to do.",
        "suspend": "Hold an experiment: nothing new starts.",
        "resume": "Go on with a suspended experiment.",
        "cancel": "End an experiment for good.",
        "retry": "Try failed runs again.",
        "delete": "Delete an experiment; its results stay in the store.",
    },
    "Results": {
        "report": "Show an experiment's result.",
        "aggregate": "Turn grading reports, one a seed, into figures by split.",
        "leaderboard": "Show the published entries, with an experiment among them.",
        "compare": "Compare the results of two experiments.",
        "export": "Write an experiment out as the reference harness lays out its runs.",
    },
    "This machine": {
        "doctor": "Check that this machine, or a cluster, has what is needed.",
        "completion": "Print the script that completes mlectl's commands in a shell.",
    },
}
HIDDEN = {
    "controller": "Serve the ExperimentRuns of a cluster.",
    "worker": "Do one piece of work, as a pod or a process of an experiment.",
}
COMMANDS = {name: text for section in SECTIONS.values() for name, text in section.items()} | HIDDEN


class LazyGroup(click.Group):
    """Knows its commands by name and by a sentence; imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in COMMANDS if name not in HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"orchestrator.cli.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing:
            near = difflib.get_close_matches(name, COMMANDS, n=3)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"There is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"mlectl {version('mlectl')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show it.")
def cli() -> None:
    """Run MLE-bench experiments on one machine or a cluster, and get a score that a stranger can believe.

    Exit codes: 0 done, 1 the thing asked about failed, 2 wrong usage, 3 something needed is missing or out of reach,
    130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; its exit code. A defect of ours keeps its traceback."""
    try:
        code = cli.main(arguments, prog_name="mlectl", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else exits.DONE
    except (click.Abort, KeyboardInterrupt):
        _tell("Interrupted.")
        return exits.INTERRUPTED
    except click.ClickException as error:
        _tell(f"{error.format_message()}{_where_help_is(error)}")
        return exits.USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.DONE
    except Exception as error:
        code = exits.code_of(error)
        if code is None:
            raise
        _tell(str(error))
        return code


def _where_help_is(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f" Try '{context.command_path} --help'." if context else ""


def _tell(sentence: str) -> None:
    click.echo(f"mlectl: {sentence}", err=True)
