"""An image's bill of materials: its Debian packages and Python distributions, as CycloneDX 1.5.

Read from the layers, not asked of a container, so it also tells of an image that can't start.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.parser import BytesParser
from typing import Any
from urllib.parse import quote

from images.archive import Archive

STATUS, RELEASE = "var/lib/dpkg/status", ("etc/os-release", "usr/lib/os-release")
METADATA = re.compile(r"[^/]+\.dist-info/METADATA$")


@dataclass(frozen=True, order=True)
class Part:
    """One thing that is in an image; `address` is its package URL."""

    address: str
    name: str
    version: str
    license: str = ""

    def written(self) -> dict[str, Any]:
        plain = {"type": "library", "bom-ref": self.address, "name": self.name, "version": self.version}
        license_ = {"licenses": [{"expression": self.license}]} if self.license else {}
        return {**plain, **license_, "purl": self.address}


def bill(archive: Archive, name: str) -> dict[str, Any]:
    """The whole document. The same image always has the same one."""
    labels = archive.config["config"].get("Labels") or {}
    whole = {
        "type": "container",
        "name": name,
        "version": labels.get("org.opencontainers.image.version", archive.digest),
        "hashes": [{"alg": "SHA-256", "content": archive.digest.removeprefix("sha256:")}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, archive.digest)}",
        "version": 1,
        "metadata": {"timestamp": archive.config["created"], "component": whole},
        "components": [part.written() for part in sorted(set(parts(archive)))],
    }


def parts(archive: Archive) -> Iterator[Part]:
    files = archive.files(lambda path: path in (STATUS, *RELEASE) or METADATA.search(path) is not None)
    release = next((files[path] for path in RELEASE if path in files), b"").decode()
    yield from debian_packages(files.get(STATUS, b""), dict(re.findall(r'(?m)^(\w+)="?([^"\n]*)', release)))
    yield from (distribution(data) for path, data in files.items() if METADATA.search(path))
    yield from python_itself(archive.config["config"].get("Env") or [])


def debian_packages(status: bytes, release: dict[str, str]) -> Iterator[Part]:
    """What dpkg has installed, by what it writes down."""
    system = release.get("ID", "debian")
    for paragraph in status.decode().split("\n\n"):
        fields = dict(re.findall(r"(?m)^(Package|Version|Architecture|Status): (.*)$", paragraph))
        if not fields.get("Status", "").endswith(" installed"):
            continue
        name, version = fields["Package"], fields["Version"]
        more = f"arch={fields['Architecture']}&distro={system}-{release.get('VERSION_ID', '')}".rstrip("-")
        yield Part(f"pkg:deb/{system}/{quote(name)}@{quote(version, safe='')}?{more}", name, version)


def distribution(metadata: bytes) -> Part:
    """A Python distribution, from its METADATA."""
    fields = BytesParser().parsebytes(metadata, headersonly=True)
    name, version = str(fields["Name"]), str(fields["Version"])
    plain = re.sub(r"[-_.]+", "-", name).lower()
    return Part(f"pkg:pypi/{plain}@{quote(version, safe='')}", name, version, str(fields["License-Expression"] or ""))


def python_itself(environment: Iterable[str]) -> Iterator[Part]:
    """Official images of Python have one that no package brought; its version is in a variable."""
    for variable in environment:
        name, _, version = variable.partition("=")
        if name == "PYTHON_VERSION":
            yield Part(f"pkg:generic/python@{quote(version, safe='')}", "python", version)
