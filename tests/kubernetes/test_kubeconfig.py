"""Where to connect to, by kubectl's conventions."""

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cluster.kubernetes import kubeconfig
from orchestrator.cluster.kubernetes.kubeconfig import BadKubeconfig, NoKubeconfig, find_target


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home without a kubeconfig, outside any cluster."""
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def write(path: Path, *contexts: str, current: str | None = None, **namespaces: str) -> Path:
    """A kubeconfig in which each context has a cluster of its own at https://CONTEXT.FILE."""
    content: dict[str, Any] = {
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": "me", **namespace_of(namespaces.get(name))}}
            for name in contexts
        ],
        "clusters": [{"name": name, "cluster": {"server": f"https://{name}.{path.name}"}} for name in contexts],
        "users": [{"name": "me", "user": {"token": f"secret-of-{path.name}"}}],
    }
    if current is not None:
        content["current-context"] = current
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    return path


def namespace_of(name: str | None) -> dict[str, str]:
    return {} if name is None else {"namespace": name}


def test_a_file_that_is_named_comes_first(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bare / ".kube" / "config", "home", current="home")
    monkeypatch.setenv("KUBECONFIG", str(write(bare / "env", "env", current="env")))
    named = write(bare / "named", "named", current="named", named="team")
    target = find_target(named)
    assert (target.files, target.context, target.namespace) == ((named,), "named", "team")


def test_the_environment_comes_before_the_home(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = write(bare / ".kube" / "config", "home", current="home")
    assert find_target().files == (home,)
    there = write(bare / "env", "env", current="env")
    monkeypatch.setenv("KUBECONFIG", f"{there}:{bare / 'not-there'}:")
    assert find_target().files == (there,)


def test_of_several_files_the_first_word_counts(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write(bare / "first", "both", "one")
    second = write(bare / "second", "both", "two", current="both", both="second", two="team-two")
    third = write(bare / "third", "three", current="three")
    monkeypatch.setenv("KUBECONFIG", ":".join(map(str, (first, second, third))))
    target = find_target()
    assert (target.context, target.namespace) == ("both", "default")
    assert target.configuration().host == "https://both.first"
    other = find_target(context="two")
    assert other.namespace == "team-two"
    loaded = other.configuration()
    assert loaded.host == "https://two.second"
    assert loaded.auth_settings()["BearerToken"]["value"] == "Bearer secret-of-first"


def test_inside_a_pod_its_service_account_is_used(bare: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kubeconfig, "SERVICE_ACCOUNT", tmp_path)
    (tmp_path / "token").write_text("secret")
    (tmp_path / "namespace").write_text("mlectl-system\n")
    with pytest.raises(NoKubeconfig):
        find_target()
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    target = find_target()
    assert (target.files, target.context, target.namespace) == ((), None, "mlectl-system")
    write(bare / ".kube" / "config", "home", current="home")
    assert find_target().context == "home"


@pytest.mark.parametrize(
    "content, context, want",
    [
        pytest.param("[not: closed", None, "is not YAML", id="no YAML"),
        pytest.param("just words", None, "is not a kubeconfig", id="no mapping"),
        pytest.param("", None, "is not a kubeconfig", id="empty"),
        pytest.param("contexts: []", None, "names no current context", id="no current context"),
        pytest.param(
            "contexts: [{name: a}, {name: b}]", "c", "has no context 'c': there are a, b", id="unknown context"
        ),
        pytest.param("contexts: null", "c", "has no context 'c': it has none", id="no contexts"),
    ],
)
def test_a_bad_file_gets_one_sentence(bare: Path, content: str, context: str | None, want: str) -> None:
    path = bare / "config"
    path.write_text(content)
    with pytest.raises(BadKubeconfig, match=want) as raised:
        find_target(path, context)
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there_is_named(bare: Path) -> None:
    with pytest.raises(BadKubeconfig, match="nowhere is not a file"):
        find_target(bare / "nowhere")
    with pytest.raises(NoKubeconfig, match="Name one with --kubeconfig"):
        find_target()


def test_a_context_without_its_cluster_can_not_be_used(bare: Path) -> None:
    path = bare / "config"
    path.write_text("{contexts: [{name: a, context: {cluster: gone, user: me}}], clusters: [], current-context: a}")
    with pytest.raises(BadKubeconfig, match=r"Context 'a' of .* can't be used: .*gone"):
        find_target(path).configuration()


API = "client.authentication.k8s.io/v1"


def used_by(path: Path, **user: Any) -> Path:
    """A kubeconfig of one context, whose user is like this."""
    content = yaml.safe_load(write(path, "a", current="a").read_text())
    content["users"] = [{"name": "me", "user": user}]
    path.write_text(yaml.safe_dump(content))
    return path


def plug_in(program: str) -> dict[str, Any]:
    return {"apiVersion": API, "command": sys.executable, "args": ["-c", program], "interactiveMode": "Never"}


@pytest.mark.parametrize(
    "user, want",
    [
        pytest.param(
            {"exec": {"apiVersion": API, "command": "no-such-plug-in"}},
            r"plug-in no-such-plug-in gives no credentials \(.*No such file",
            id="a plug-in that is not there",
        ),
        pytest.param(
            {"exec": plug_in("import sys; sys.exit('you are\\nlogged out')")},
            r"gives no credentials \(process returned 1. you are logged out\)",
            id="a plug-in that fails",
        ),
        pytest.param({"exec": plug_in("print('hello')")}, "failed to decode process output", id="no JSON"),
        pytest.param({"exec": plug_in("print('{}')")}, "missing key", id="no credentials in it"),
        pytest.param({"auth-provider": {"name": "gcp"}}, "auth-provider gcp gives no cred", id="gcp of old"),
        pytest.param({"auth-provider": {"name": "azure"}}, "auth-provider azure gives no cred", id="azure of old"),
    ],
)
def test_whoever_has_no_credentials_is_told_and_is_not_nobody(
    bare: Path, user: dict[str, Any], want: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = list(logging.getLogger().handlers)
    with pytest.raises(BadKubeconfig, match=want) as raised:
        find_target(used_by(bare / "config", **user)).configuration()
    assert str(raised.value).startswith("Context 'a' of ")
    assert (capfd.readouterr().err, logging.getLogger().handlers) == ("", before)


def test_a_provider_of_old_that_still_has_a_token_will_do(bare: Path) -> None:
    user = {"auth-provider": {"name": "gcp", "config": {"access-token": "still-good"}}}
    loaded = find_target(used_by(bare / "config", **user)).configuration()
    assert loaded.auth_settings()["BearerToken"]["value"] == "Bearer still-good"
