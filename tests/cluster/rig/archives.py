"""Container images as docker archives, written with the standard library: no registry and no engine is involved."""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BUSYBOX = Path("/bin/busybox")  # Debian: busybox-static
APPLETS = (
    *("cat", "chmod", "chown", "cp", "date", "df", "du", "echo", "env", "false", "find", "grep", "head", "hostname"),
    *("httpd", "id", "kill", "ln", "ls", "mkdir", "mv", "nc", "nslookup", "ps", "pwd", "rm", "sed", "seq", "sh"),
    *("sleep", "sort", "stat", "tail", "tar", "test", "timeout", "touch", "tr", "true", "wc", "yes"),
)
USERS = b"root:x:0:0::/:/bin/sh\nagent:x:1000:1000::/home:/bin/sh\n"
FOLDERS = {"bin": 0o755, "etc": 0o755, "home": 0o755, "tmp": 0o1777}


def write_base(path: Path, name: str) -> None:
    """BusyBox. Its own command sleeps for ever, so it is the pods' pause image as well."""
    layer = small_layer({"bin/busybox": BUSYBOX.read_bytes()}, {f"bin/{applet}": "busybox" for applet in APPLETS})
    write_image(path, name, [layer], {"Cmd": ["sleep", "infinity"], "Env": ["PATH=/bin"]})


def write_program(path: Path, name: str, binary: Path) -> None:
    """One static program and nothing else."""
    layer = small_layer({binary.name: binary.read_bytes()}, {})
    write_image(path, name, [layer], {"Entrypoint": [f"/{binary.name}"]})


def small_layer(programs: Mapping[str, bytes], links: Mapping[str, str]) -> bytes:
    """A layer that fits into memory: the usual folders, two users, programs and links."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for folder, mode in FOLDERS.items():
            tar.addfile(entry(folder, tarfile.DIRTYPE, mode))
        for file, content in programs.items():
            add(tar, file, content, 0o755)
        for link, target in links.items():
            symlink = entry(link, tarfile.SYMTYPE, 0o777)
            symlink.linkname = target
            tar.addfile(symlink)
        add(tar, "etc/passwd", USERS)
    return layer.getvalue()


def write_image(path: Path, name: str, layers: Sequence[bytes | Path], config: Mapping[str, Any]) -> str:
    """A docker archive of uncompressed layers, first the lowest; returns the digest that names its contents."""
    digests = [digest_of(layer) for layer in layers]
    diffs = {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]}
    image = json.dumps({"architecture": "amd64", "os": "linux", "config": config, "rootfs": diffs}).encode()
    files = [f"{digest}.tar" for digest in digests]
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": files}]
    with tarfile.open(path, "w") as tar:
        for file, layer in zip(files, layers, strict=True):
            if isinstance(layer, Path):
                tar.add(layer, file)
            else:
                add(tar, file, layer)
        add(tar, "config.json", image)
        add(tar, "manifest.json", json.dumps(manifest).encode())
    return hashlib.sha256(image).hexdigest()


def digest_of(layer: bytes | Path) -> str:
    if isinstance(layer, bytes):
        return hashlib.sha256(layer).hexdigest()
    with layer.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def entry(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.mode = kind, mode
    return made


def add(tar: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    made = entry(name, mode=mode)
    made.size = len(content)
    tar.addfile(made, io.BytesIO(content))
