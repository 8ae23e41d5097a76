"""Which API server, as whom, in which namespace: kubectl's conventions.

A file that was named, else those of $KUBECONFIG (several are merged), else ~/.kube/config, else, inside a pod, its
service account. The library reads the files; who wins where several name a current context is decided here, because
the library lets the last one win and kubectl the first. So is what becomes of a plug-in that gives no credentials: the
library would go on as nobody.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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

        loaded, user = client.Configuration(), self._user()
        try:
            with _overheard() as said:
                if self.files:
                    names = os.pathsep.join(map(str, self.files))
                    config.load_kube_config(names, self.context, loaded, persist_config=False)  # type: ignore[no-untyped-call]
                else:
                    config.load_incluster_config(loaded)  # type: ignore[no-untyped-call]
        except (config.ConfigException, OSError, ValueError) as error:
            raise BadKubeconfig(f"{self} can't be used: {error}") from error
        except Exception as error:
            if "auth-provider" not in user:
                raise
            raise BadKubeconfig(f"{self} can't be used: {_without_credentials(user, said)}") from error
        if not loaded.api_key and not loaded.cert_file and not user.keys().isdisjoint(("exec", "auth-provider")):
            raise BadKubeconfig(f"{self} can't be used: {_without_credentials(user, said)}")
        return loaded

    def _user(self) -> Mapping[str, Any]:
        """What the files say of the context's user; empty if nothing."""
        contents = [_read(path) for path in self.files]
        context = _named(contents, "context").get(self.context or "", {})
        return _named(contents, "user").get(context.get("user", ""), {})

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
    known = _named(contents, "context")
    if chosen not in known:
        there = f"there are {', '.join(sorted(known))}" if known else "it has none"
        raise BadKubeconfig(f"{shown} has no context {chosen!r}: {there}.")
    return Target(files, str(chosen), str(known[chosen].get("namespace") or "default"))


def _named(contents: Sequence[Mapping[str, Any]], what: str) -> dict[str, dict[str, Any]]:
    """The contexts, or the users, of these files by their names; the first file that has a name says what it means."""
    entries = [entry for one in reversed(contents) for entry in one.get(f"{what}s") or () if isinstance(entry, dict)]
    return {entry["name"]: entry.get(what) or {} for entry in entries if "name" in entry}


@contextmanager
def _overheard() -> Iterator[list[str]]:
    """What the library logs meanwhile as an error of nobody's: it is kept from the log, and said in a sentence."""
    said: list[str] = []

    def hear(record: logging.LogRecord) -> bool:
        if record.module == "kube_config":
            said.append(record.getMessage())
        return record.module != "kube_config"

    root, silent = logging.getLogger(), logging.NullHandler()  # with no handler at all the library would set one up
    root.addFilter(hear)
    root.addHandler(silent)
    try:
        yield said
    finally:
        root.removeHandler(silent)
        root.removeFilter(hear)


def _without_credentials(user: Mapping[str, Any], said: Sequence[str]) -> str:
    """Why there are none, from the kubeconfig's user and the library's words."""
    if "exec" not in user:
        name = (user["auth-provider"] or {}).get("name", "")
        return f"its auth-provider {name} gives no credentials. Log in anew, so that it names a plug-in (exec) instead."
    words = " ".join((said or [""])[-1].removeprefix("exec: ").split()).rstrip(".")
    why = f" ({words})" if words and "NoneType" not in words else ""  # on a terminal the plug-in has said it itself
    command = (user["exec"] or {}).get("command", "")
    return f"its plug-in {command} gives no credentials{why}. See that it runs, and log in again, as for kubectl."


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
