"""The bill of materials tells what is in an image: Debian's packages, Python's distributions, Python."""

from __future__ import annotations

from pathlib import Path

from images.bill import bill
from tests.images.made_up import CREATED, image

STATUS = b"""Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u10

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1.0
Description: many
 Version: 9
"""
RELEASE = b'PRETTY_NAME="Debian"\nID=debian\nVERSION_ID="12"\n'
SITE = "opt/mlectl/lib/python3.11/site-packages"


def metadata(name: str, version: str, more: str = "") -> bytes:
    return f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{more}\nText\nName: other\n".encode()


def test_it_lists_packages_distributions_and_python(tmp_path: Path) -> None:
    files = {
        "var/lib/dpkg/status": STATUS,
        "usr/lib/os-release": RELEASE,
        f"{SITE}/py_7zr-1.1.dist-info/METADATA": metadata("py_7zr", "1.1", "License-Expression: MIT\n"),
    }
    with image(tmp_path, files, Env=["PYTHON_VERSION=3.11.9"]) as opened:
        parts = bill(opened, "orchestrator")["components"]

    assert {part["purl"]: (part["name"], part["version"], part.get("licenses")) for part in parts} == {
        "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12": ("libc6", "2.36-9+deb12u10", None),
        "pkg:pypi/py-7zr@1.1": ("py_7zr", "1.1", [{"expression": "MIT"}]),
        "pkg:generic/python@3.11.9": ("python", "3.11.9", None),
    }


def test_only_what_is_left_of_the_layers_counts(tmp_path: Path) -> None:
    old = {f"{SITE}/{name}-1.dist-info/METADATA": metadata(name, "1") for name in ("kept", "removed")}
    opaque = {"srv/a-1.dist-info/METADATA": metadata("emptied", "1")}
    later = {f"{SITE}/.wh.removed-1.dist-info": b"", "srv/.wh..wh..opq": b""}
    with image(tmp_path, {**old, **opaque}, later) as opened:
        assert [part["name"] for part in bill(opened, "x")["components"]] == ["kept"]


def test_the_same_image_has_the_same_bill(tmp_path: Path) -> None:
    labels = {"org.opencontainers.image.version": "1.2"}
    with image(tmp_path, {"etc/os-release": RELEASE}, Labels=labels) as opened:
        first, second = bill(opened, "x"), bill(opened, "x")

    assert first == second
    assert first["metadata"]["timestamp"] == CREATED
    assert first["metadata"]["component"]["version"] == "1.2"
