"""The baseline agent as a process: what it leaves, however it ends."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.tasks import KINDS, Task, binary, regression
from tests.agents.validator import Validator


def steps_of(printed: str) -> list[str]:
    """Names of the steps that a run finished."""
    return re.findall(r"step \d+ of \d+, (\w+)", printed)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_understands_the_task_and_beats_the_sample(place, tmp_path: Path, kind: Callable[[Path], Task]):
    task = kind(tmp_path / "data")
    run = place("baseline", task)

    run.run()

    spread = {"multi_class": 0.5, "regression": 5.0}.get(kind.__name__, 0.3)
    assert task.score_of(run.frame) > task.score_of(task.sample) + spread


def test_a_term_in_the_middle_leaves_the_best_submission_so_far(place, tmp_path: Path):
    task = regression(tmp_path / "data")
    run = place("baseline", task)
    with Validator(hold_at=2) as validator:
        process = run.start(VALIDATION_URL=validator.url)
        assert validator.is_holding.wait(60)
        process.send_signal(signal.SIGTERM)
        printed, _ = process.communicate(timeout=60)

    assert process.returncode == 0, printed
    assert "stopping: told to by SIGTERM" in printed
    assert run.submission.read_bytes() == validator.received[0]
    assert task.score_of(run.frame) > task.score_of(task.sample)


def test_a_killed_run_goes_on_where_it_was_and_ends_as_an_undisturbed_one_of_that_seed(place, tmp_path: Path):
    task = binary(tmp_path / "data")
    killed, undisturbed = place("baseline", task, "killed"), place("baseline", task, "undisturbed")
    with Validator(hold_at=2) as validator:
        process = killed.start(VALIDATION_URL=validator.url)
        assert validator.is_holding.wait(60)
        process.kill()
        before, _ = process.communicate(timeout=60)

    after = killed.run(TIME_LIMIT_SECS="150")
    whole = undisturbed.run()

    assert process.returncode == -signal.SIGKILL
    assert steps_of(before) == ["prior", "linear"]
    assert "done: prior, linear" in after
    assert steps_of(before) + steps_of(after) == steps_of(whole)
    assert killed.submission.read_bytes() == undisturbed.submission.read_bytes()


def test_a_start_after_the_end_repeats_nothing_and_another_seed_starts_afresh(place, tmp_path: Path):
    task = binary(tmp_path / "data")
    run = place("baseline", task)
    run.run(SEED="1")
    submission = run.submission.read_bytes()
    run.submission.write_bytes((task.data / "sample_submission.csv").read_bytes())

    assert steps_of(run.run(SEED="1")) == []
    assert run.submission.read_bytes() == submission
    assert "prior" in steps_of(run.run(SEED="2"))
    assert run.submission.read_bytes() != submission


def test_with_no_time_to_speak_of_there_is_still_a_submission(place, tmp_path: Path):
    task = binary(tmp_path / "data", rows=3_900)
    run = place("baseline", task)

    printed = run.run(TIME_LIMIT_SECS="1")

    assert "stopping: the time limit is near" in printed
    assert task.score_of(run.frame) >= task.score_of(task.sample)


def test_a_rejected_submission_is_not_handed_in(place, tmp_path: Path):
    task = binary(tmp_path / "data")
    run = place("baseline", task)
    with Validator(reject=lambda number: number >= 2) as validator:
        printed = run.run(VALIDATION_URL=f"{validator.url}/")

    assert len(validator.received) >= 2
    assert [run.submission.read_bytes()] == validator.accepted
    assert "was rejected: Submission invalid! It does not please me." in printed


def test_a_task_beyond_it_gets_the_sample_and_the_reason(place, tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "sample_submission.csv").write_text("id,mask\na,1 1\nb,1 1\n")
    (data / "description.md").write_text("## Evaluation\nMean intersection over union.\n")
    run = place("baseline", data)

    printed = run.run()

    assert run.submission.read_text() == "id,mask\na,1 1\nb,1 1\n"
    assert "the sample stays, because no table has the answers" in printed


def test_without_a_sample_it_fails_and_says_so(place, tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    run = place("baseline", data)

    assert f"there is no sample submission in {data}" in run.run(exit_code=1)


def test_a_python_without_scikit_learn_hands_in_the_sample_and_names_the_variable_to_set(place, tmp_path: Path):
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    task = binary(tmp_path / "data")
    run = place("baseline", task)

    printed = run.run(AGENT_PYTHON=str(bare))

    assert "set AGENT_PYTHON to a Python with scikit-learn" in printed
    assert run.submission.read_bytes() == (task.data / "sample_submission.csv").read_bytes()


def test_in_the_agent_base_image_the_python_of_conda_s_agent_environment_is_used(place, tmp_path: Path):
    python = tmp_path / "conda" / "envs" / "agent" / "bin" / "python"
    conda = tmp_path / "conda" / "bin" / "conda"
    for file, script in ((python, 'echo "started with $1"'), (conda, "exit 1")):
        file.parent.mkdir(parents=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
    run = place("baseline", binary(tmp_path / "data"))

    printed = run.run(AGENT_PYTHON="", PATH=f"{conda.parent}:/usr/bin:/bin")

    assert printed.startswith("started with ")
    assert printed.strip().endswith("/baseline/agent.py")
