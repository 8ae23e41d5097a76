"""Secrets that must not be in an image: by a file's name, by what they look like, and by the builder's own values.

Every layer is looked at by itself, because a file that a later layer removes can still be read by whoever pulls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

from images.archive import GONE, Archive, content, path_of

NAMES = frozenset(
    (
        *(".bash_history", ".dockerconfigjson", ".env", ".git", ".git-credentials", ".netrc", ".npmrc", ".pgpass"),
        *(".pypirc", ".python_history", "_netrc", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa", "kaggle.json"),
        "kubeconfig",
    )
)
ENDINGS = (".aws/credentials", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml")
HOST_KEY = re.compile(r"^ssh_host_\w+_key$")

# How each kind begins, which is quick to look for, and what all of it looks like.
KINDS = (
    ("a private key", b" KEY-----", rb"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+(?:[A-Za-z0-9+/=]{16,}\s*){2}"),
    ("an AWS key", b"AKIA", rb"\bAKIA(?!IOSFODNN7EXAMPLE)[0-9A-Z]{16}\b"),
    ("a GitHub token", b"ghp_", rb"\bghp_[A-Za-z0-9]{36}\b"),
    ("a GitHub token", b"github_pat_", rb"\bgithub_pat_\w{60,}"),
)
PROGRAM = b"\0"
"""What has a zero byte near its start is no text. Libraries of cryptography carry keys for their own trials."""
SECRET_NAME = re.compile(r"(?i)(token|secret|passw|credential|api_?key|access_?key|_key$)")
SHORTEST = 8
"""A shorter value is found everywhere by chance."""
IN_A_URL = re.compile(r"://[^\s/@:]*:([^\s/@]+)@")


def values(environment: Mapping[str, str], pip_config: Path | None = None) -> dict[str, bytes]:
    """Secrets that the builder holds, by a name that may be shown."""
    found = {name: value for name, value in environment.items() if SECRET_NAME.search(name)}
    texts = {**environment, **({"pip.conf": pip_config.read_text()} if pip_config else {})}
    for name, text in texts.items():
        found |= {f"the password in {name}": password for password in IN_A_URL.findall(text)}
    return {name: value.encode() for name, value in found.items() if len(value) >= SHORTEST}


def leaks(archive: Archive, held: Mapping[str, bytes], allowed: Collection[str] = ()) -> Iterator[str]:
    """A sentence for each secret that is in the image, without the secret. Names that are allowed are no secret."""
    settings = json.dumps(archive.config).encode()
    for what in looks_like(settings, held):
        yield f"{what} in its settings or history"
    for password in IN_A_URL.findall(settings.decode()):
        if password:
            yield "a password in a URL of its settings or history"
    for number, layer in enumerate(archive.layers()):
        for entry in layer:
            path = path_of(entry)
            if (name := secret_name(path)) and name not in allowed:
                yield f"/{path} in layer {number}"
            if entry.isfile():
                for what in looks_like(content(layer, entry), held):
                    yield f"{what} in /{path} of layer {number}"


def secret_name(path: str) -> str:
    """The part of the path that tells of a secret, if one does. A mark that a file is gone has another name."""
    whole = PurePosixPath(path)
    if whole.name.startswith(GONE):
        return ""
    if ".git" in whole.parts:
        return ".git"
    return whole.name if whole.name in NAMES or path.endswith(ENDINGS) or HOST_KEY.match(whole.name) else ""


def looks_like(data: bytes, held: Mapping[str, bytes]) -> Iterator[str]:
    if PROGRAM not in data[:1024]:
        for kind, beginning, whole in KINDS:
            if beginning in data and re.search(whole, data):
                yield kind
    for name, value in held.items():
        if value in data:
            yield f"the value of {name}"
