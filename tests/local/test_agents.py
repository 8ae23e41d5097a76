"""From an image's name to a folder of this machine, and the sentences when that does not work."""

import pytest

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.cluster.local.agents import AgentNotRunnable, bundled_agents, find_agent


def spec(agent: dict[str, object] | None = None, **more: object) -> ExperimentRunSpec:
    basics = {"name": "x", "image": "registry.example/mlectl/agent-dummy:0.1.0"}
    return ExperimentRunSpec.model_validate(
        {"competitions": {"split": "demo"}, "agent": basics | (agent or {}), **more}
    )


@pytest.mark.parametrize("image", ["mlectl/agent-dummy:0.1.0", "host:5000/a/agent-dummy@sha256:00", "dummy"])
def test_an_image_of_a_bundled_agent_is_its_folder(image):
    assert find_agent(spec({"image": image})).folder == bundled_agents()["dummy"]


def test_a_folder_stands_for_any_image(tmp_path):
    assert find_agent(spec({"image": "registry.example/mine:1"}), tmp_path).folder == tmp_path


def test_an_image_without_a_folder_says_what_to_do():
    with pytest.raises(AgentNotRunnable, match=r"--agent-folder DIR.*agent-dummy"):
        find_agent(spec({"image": "registry.example/mine:1"}))


def test_a_secret_is_taken_from_the_users_own_environment(monkeypatch):
    env = [{"name": "MY_KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "mine"}}}]
    monkeypatch.setenv("MY_KEY", "abc")
    assert find_agent(spec({"env": env})).env == {"MY_KEY": "abc"}
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(AgentNotRunnable, match="export MY_KEY="):
        find_agent(spec({"env": env}))


@pytest.mark.parametrize(
    "part, message",
    [
        ({"models": {"allow": ["m"]}}, r"spec\.models"),
        ({"network": {"mode": "restricted", "allow": [{"cidr": "10.0.0.0/8"}]}}, r"spec\.network\.allow"),
    ],
)
def test_what_only_a_cluster_has_is_refused_before_anything_starts(part, message):
    with pytest.raises(AgentNotRunnable, match=message):
        find_agent(spec(**part))
