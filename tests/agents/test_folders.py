"""Bundled agents have the reference folder format: config.yaml, start.sh, Dockerfile."""

import os
import re

import pytest
import yaml

from tests.agents.conftest import AGENTS

NAMES = sorted(path.parent.name for path in AGENTS.glob("*/config.yaml"))


def test_both_agents_are_bundled():
    assert {"dummy", "baseline"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_config_names_files_that_are_there_and_nothing_else(name: str):
    config = yaml.safe_load((AGENTS / name / "config.yaml").read_text())

    assert set(config[name]) <= {"start", "dockerfile", "kwargs", "kwargs_type", "env_vars", "privileged"}
    assert (AGENTS / config[name]["start"]).is_file()
    assert (AGENTS / config[name]["dockerfile"]).is_file()


@pytest.mark.parametrize("name", NAMES)
def test_the_image_is_built_on_the_agent_environment_for_any_user(name: str):
    dockerfile = (AGENTS / name / "Dockerfile").read_text()
    instructions = [line for line in dockerfile.splitlines() if line and not line.startswith("#")]

    assert instructions[0] == "FROM mlebench-env"
    assert {"SUBMISSION_DIR", "LOGS_DIR", "CODE_DIR", "AGENT_DIR"} <= set(re.findall(r"^ARG (\w+)", dockerfile, re.M))
    assert not any(line.startswith("USER") for line in instructions)
    assert instructions[-1] == "RUN find /home -path /home/data -prune -o ! -type l -exec chmod a+rwX {} +"


@pytest.mark.parametrize("name", NAMES)
def test_start_sh_can_be_executed(name: str):
    assert os.access(AGENTS / name / "start.sh", os.X_OK)
