"""The agent of docs/writing-an-agent.md, made from the page's own blocks, does what the page says."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import yaml

from orchestrator.api.types import ExperimentRun
from orchestrator.cluster.environment import AgentPaths, agent_environment
from orchestrator.worker.limits import CODE_BYTES, FOLDER_FILES, GIB, LOGS_BYTES, SUBMISSION_BYTES
from tests.docs.pages import DOCS, blocks, rows

PAGE = DOCS / "writing-an-agent.md"


@pytest.mark.slow
def test_the_agent_gets_a_score(tmp_path):
    (start,), (agent,), (spec, _) = blocks(PAGE, "bash"), blocks(PAGE, "python"), blocks(PAGE, "yaml")
    folder = tmp_path / "my-agent"
    folder.mkdir()
    (folder / "start.sh").write_text(start)
    (folder / "agent.py").write_text(agent)
    (tmp_path / "my-agent.yaml").write_text(spec)
    argv = ["run", "my-agent.yaml", "--agent-folder", "my-agent", "--home", str(tmp_path / "home"), "-o", "json"]
    ran = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", *argv], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    (run,) = json.loads(ran.stdout)["status"]["results"]
    assert run["valid"]
    assert 50 < run["score"] < 70, "the mean alone would be worse"


def test_the_piece_about_models_is_a_spec():
    whole, piece = map(yaml.safe_load, blocks(PAGE, "yaml"))
    whole["spec"]["agent"] |= piece["spec"]["agent"]
    whole["spec"]["network"] = piece["spec"]["network"]
    ExperimentRun.model_validate(whole)


def test_the_table_names_what_every_agent_is_given():
    text = PAGE.read_text()
    given = agent_environment(
        AgentPaths(), competition="x", seed=0, budget_seconds=1, hardware="", validation_url="http://localhost:5000"
    )
    assert [name for name in given if f"${name}" not in text and name != "HOME"] == []


def test_the_limits_are_those_of_the_courier():
    found = {name.strip("`"): limit for name, limit in rows(PAGE, "| Kept of")}
    assert found == {
        "submission.csv": f"{SUBMISSION_BYTES / GIB:g} GiB",
        "/home/code": f"{CODE_BYTES / GIB:g} GiB, {FOLDER_FILES:,} files",
        "/home/logs": f"{LOGS_BYTES / GIB:g} GiB, {FOLDER_FILES:,} files",
    }
