"""The stand-in for conda does what agents' scripts ask of it, and says what it can't."""

from __future__ import annotations

import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from images.facts import CHECKOUT

CONDA = CHECKOUT / "images" / "agent-base" / "conda"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """/opt/conda with an environment `agent`."""
    root = tmp_path_factory.mktemp("conda").resolve()
    (root / "bin").mkdir()
    shutil.copy(CONDA, root / "bin" / "conda")
    venv.create(root / "envs" / "agent", with_pip=False, symlinks=True)
    return root


def bash(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{root}/bin:/usr/bin:/bin"}
    return subprocess.run(["bash", "-euc", script], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("conda run -n agent python -c {}", id="run"),
        pytest.param("conda run --no-capture-output --name agent python -c {}", id="run, as it is often written"),
        pytest.param('eval "$(conda shell.bash hook)"; conda activate agent; python -c {}', id="activate"),
        pytest.param('eval "$(conda shell.bash hook)"; conda activate; python -c {}', id="activate base"),
    ],
)
def test_a_program_runs_in_the_environment(root: Path, script: str) -> None:
    done = bash(root, script.format('"import sys; print(sys.prefix)"'))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, f"{root}/envs/agent", "")


def test_arguments_and_exit_codes_pass_through(root: Path) -> None:
    done = bash(root, "conda run -n agent python -c 'import sys; print(sys.argv[1:]); sys.exit(3)' 'a b' -n x")
    assert (done.returncode, done.stdout) == (3, "['a b', '-n', 'x']\n")


def test_deactivate_gives_the_path_back(root: Path) -> None:
    activated = 'eval "$(conda shell.bash hook)"; before=$PATH; conda activate agent; [ "$PATH" != "$before" ]'
    done = bash(root, f'{activated}; conda deactivate; [ "$PATH" = "$before" ]')
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "want"),
    [
        ("conda run -n torch python", "there is no environment torch; there are: agent"),
        ("conda install pytorch", "conda run -n agent pip install"),
        ("conda activate agent", 'eval "$(conda shell.bash hook)"'),
        ("conda run -n agent", "run what?"),
        ("conda search x", "not 'search'"),
    ],
)
def test_what_it_can_not_do_it_says(root: Path, command: str, want: str) -> None:
    done = bash(root, command)
    assert done.returncode == 1
    assert want in done.stderr
