import importlib
import subprocess
import sys

import click
import pytest

from orchestrator.api import types as api
from orchestrator.cli import exits
from orchestrator.cli.exits import Trouble, code_of
from orchestrator.cli.main import COMMANDS, HIDDEN, cli
from orchestrator.cli.options import SPLITS

HEAVY = (
    "pandas",
    "numpy",
    "pydantic",
    "yaml",
    "rich",
    "sklearn",
    "minio",
    "kaggle",
    "jinja2",
    "catalog",
    "kubernetes",
    "urllib3",
)


def modules_after(*arguments):
    """The modules that a fresh process has imported once the command line has run."""
    program = (
        "import sys\n"
        "from orchestrator.cli.main import run\n"
        f"run({list(arguments)!r})\n"
        "print(*sorted(sys.modules), sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split()), done.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nope"], ["status", "--help"], ["run", "--help"]])
def test_help_imports_nothing_heavy(arguments):
    imported, _ = modules_after(*arguments)
    assert "orchestrator.cli.main" in imported
    assert imported.isdisjoint(HEAVY)


def test_no_command_imports_anything_heavy_for_its_help():
    calls = "; ".join(f"run([{name!r}, '--help'])" for name in COMMANDS)
    program = f"import sys; from orchestrator.cli.main import run; {calls}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert {f"orchestrator.cli.commands.{name.replace('-', '_')}" for name in COMMANDS} <= imported
    assert imported.isdisjoint(HEAVY)


def test_help_offers_the_splits_that_there_are():
    assert tuple(SPLITS) == api.SPLITS


def test_help_names_every_command(mlectl):
    answer = mlectl("--help")
    assert answer.code == 0
    assert all(f"  {name} " in answer.out for name in COMMANDS if name not in HIDDEN)
    assert "worker" not in answer.out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_begins_its_help_with_the_sentence_of_the_overview(name):
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, click.Command)
    assert command.help.split("\n\n")[0].replace("\n", " ") == COMMANDS[name]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "completion" and name not in HIDDEN])
def test_every_command_answers_programs_too(name):
    command = cli.get_command(click.Context(cli), name)
    (option,) = [parameter for parameter in command.params if "-o" in parameter.opts]
    assert list(option.type.choices) == ["table", "json", "yaml"]


def test_a_mistyped_command_gets_its_nearest_name(mlectl):
    answer = mlectl("stauts")
    assert answer.code == exits.USAGE
    assert answer.err == "mlectl: There is no command 'stauts'. Did you mean status? Try 'mlectl --help'.\n"


def test_a_wrong_option_is_told_in_a_sentence_with_where_help_is(mlectl):
    answer = mlectl("status", "--wach")
    assert answer.code == exits.USAGE
    assert answer.err.startswith("mlectl: No such option")
    assert "Try 'mlectl status --help'." in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("name", exits.CODES)
def test_every_family_of_trouble_is_there(name):
    module, _, family = name.rpartition(".")
    assert issubclass(getattr(importlib.import_module(module), family), Exception)


def test_trouble_has_the_code_that_it_was_raised_with():
    assert code_of(Trouble("no", exits.UNREACHABLE)) == 3


def test_a_defect_of_ours_has_no_code_so_that_its_traceback_is_seen():
    assert code_of(KeyError("x")) is None


def raising(error):
    def callback(*_):
        raise error

    return callback


def test_an_interruption_is_a_sentence_and_130(mlectl, monkeypatch):
    monkeypatch.setattr("orchestrator.cli.experiments.find_all", raising(KeyboardInterrupt()))
    answer = mlectl("status")
    assert answer.code == 130
    assert answer.err.strip() == "mlectl: Interrupted."


def test_a_defect_keeps_its_traceback(mlectl, monkeypatch):
    monkeypatch.setattr("orchestrator.cli.experiments.find_all", raising(KeyError("defect")))
    with pytest.raises(KeyError, match="defect"):
        mlectl("status")


def test_a_reader_that_goes_away_is_no_trouble():
    program = f"{sys.executable} -m orchestrator.cli competitions | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("shell, mark", [("bash", "complete -o"), ("zsh", "#compdef mlectl"), ("fish", "complete -")])
def test_a_shell_gets_its_script(mlectl, shell, mark):
    answer = mlectl("completion", shell)
    assert answer.code == 0
    assert mark in answer.out
    assert "_MLECTL_COMPLETE" in answer.out


def test_a_tab_offers_competitions():
    environment = {"_MLECTL_COMPLETE": "bash_complete", "COMP_WORDS": "mlectl competitions AI4", "COMP_CWORD": "2"}
    command = [sys.executable, "-m", "orchestrator.cli"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["plain,AI4Code"]
