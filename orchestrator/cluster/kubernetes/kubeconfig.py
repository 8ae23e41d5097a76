"""Which API server, as whom, in which namespace: kubectl's conventions.

A file that was named, else those of $KUBECONFIG (several are merged), else ~/.kube/config, else, inside a pod, its
service account. The library reads the files; who wins where several name a current context is decided here, because
the library lets the last one win and kubectl the first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class BadKubeconfig(Exception):
    """There is no API server to talk to; the message says what to do."""


class NoKubeconfig(BadKubeconfig):
    """Nothing names an API server at all."""


@dataclass(frozen=True)
class Target:
    """Where to connect: kubeconfig files and a context of theirs, or (no files) the cluster we are in."""

    files: tuple[Path, ...]
    context: str | None
    namespace: str

    def configuration(self) -> Any:
        """The library's configuration, read anew at each call; it renews tokens that expire by itself."""
        from kubernetes import client, config

        loaded = client.Configuration()
        try:
            if self.files:
                names = os.pathsep.join(map(str, self.files))
                config.load_kube_config(names, self.context, loaded, persist_config=False)  # type: ignore[no-untyped-call]
            else:
                config.load_incluster_config(loaded)  # type: ignore[no-untyped-call]
        except (config.ConfigException, OSError, ValueError) as error:
            raise BadKubeconfig(f"{self} can't be used: {error}") from error
        return loaded

    def __str__(self) -> str:
        if not self.files:
            return "The service account of this pod"
        return f"Context {self.context!r} of {', '.join(map(str, self.files))}"


def find_target(kubeconfig: Path | None = None, context: str | None = None) -> Target:
    """Where kubectl would connect to with these flags and this environment."""
    files = _files(kubeconfig)
    if files:
        return _chosen(files, context)
    if os.environ.get("KUBERNETES_SERVICE_HOST") and (SERVICE_ACCOUNT / "token").exists() and context is None:
        return Target((), None, _own_namespace())
    raise NoKubeconfig(
        "There is no kubeconfig: neither $KUBECONFIG nor ~/.kube/config names a file that exists. "
        "Name one with --kubeconfig, or set KUBECONFIG."
    )


def _files(named: Path | None) -> tuple[Path, ...]:
    if named is not None:
        if not named.is_file():
            raise BadKubeconfig(f"{named} is not a file; name a kubeconfig that exists.")
        return (named,)
    listed = os.environ.get("KUBECONFIG", "")
    candidates = [Path(part).expanduser() for part in listed.split(os.pathsep) if part]
    return tuple(path for path in candidates or [Path.home() / ".kube" / "config"] if path.is_file())


def _chosen(files: tuple[Path, ...], context: str | None) -> Target:
    contents = [_read(path) for path in files]
    shown = ", ".join(map(str, files))
    chosen = context or next((name for one in contents if (name := one.get("current-context"))), None)
    if chosen is None:
        raise BadKubeconfig(
            f"{shown} names no current context: choose one with --context or kubectl config use-context."
        )
    known = {entry["name"]: entry.get("context") or {} for one in reversed(contents) for entry in _contexts(one)}
    if chosen not in known:
        there = f"there are {', '.join(sorted(known))}" if known else "it has none"
        raise BadKubeconfig(f"{shown} has no context {chosen!r}: {there}.")
    return Target(files, str(chosen), str(known[chosen].get("namespace") or "default"))


def _contexts(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [entry for entry in content.get("contexts") or () if isinstance(entry, dict) and "name" in entry]


def _read(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text())
    except OSError as error:
        raise BadKubeconfig(f"{path} can't be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadKubeconfig(f"{path} is not YAML: {error}") from error
    if not isinstance(content, dict):
        raise BadKubeconfig(f"{path} is not a kubeconfig: it holds no mapping.")
    return content


def _own_namespace() -> str:
    try:
        return (SERVICE_ACCOUNT / "namespace").read_text().strip() or "default"
    except OSError:
        return "default"
