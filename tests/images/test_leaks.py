"""An image with a secret in it is found out, wherever the secret hides; one without is let through."""

from __future__ import annotations

from pathlib import Path

import pytest

from images import leaks
from tests.images.made_up import image

KEY = b"-----BEGIN OPENSSH PRIVATE KEY-----\n" + b"b3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n" * 4
HELD = {"KAGGLE_KEY": b"0123456789abcdef"}


@pytest.mark.parametrize(
    ("path", "data", "want"),
    [
        pytest.param("home/agent/.netrc", b"", "/home/agent/.netrc in layer 0", id="a file by its name"),
        pytest.param("src/.git/config", b"", "/src/.git/config in layer 0", id="a repository"),
        pytest.param("root/.aws/credentials", b"", "/root/.aws/credentials in layer 0", id="a file by its folder"),
        pytest.param("etc/ssh/ssh_host_rsa_key", b"", "/etc/ssh/ssh_host_rsa_key in layer 0", id="a host's key"),
        pytest.param("etc/key", KEY, "a private key in /etc/key of layer 0", id="a private key"),
        pytest.param("a.py", b"k = 'AKIAABCDEFGHIJKLMNOP'", "an AWS key in /a.py of layer 0", id="an AWS key"),
        pytest.param("b", b"\0x0123456789abcdef", "the value of KAGGLE_KEY in /b of layer 0", id="the builder's own"),
    ],
)
def test_a_secret_is_found(tmp_path: Path, path: str, data: bytes, want: str) -> None:
    with image(tmp_path, {path: data}) as opened:
        found = list(leaks.leaks(opened, HELD))

    assert found == [want]
    assert not any("0123456789abcdef" in sentence for sentence in found)


def test_what_a_later_layer_removes_is_found_all_the_same(tmp_path: Path) -> None:
    with image(tmp_path, {"root/kaggle.json": b"{}"}, {"root/.wh.kaggle.json": b""}) as opened:
        assert list(leaks.leaks(opened, {})) == ["/root/kaggle.json in layer 0"]


@pytest.mark.parametrize("variable", ["TOKEN=0123456789abcdef", "INDEX=https://me:hunter22@packages.example/simple"])
def test_settings_are_looked_at_too(tmp_path: Path, variable: str) -> None:
    with image(tmp_path, {}, Env=[variable]) as opened:
        (found,) = leaks.leaks(opened, HELD)
    assert "settings or history" in found


def test_a_clean_image_is_let_through(tmp_path: Path) -> None:
    files = {
        "etc/ssl/cert.pem": b"-----BEGIN CERTIFICATE-----\nMIIB\n",
        "docs.md": b"Write AKIAIOSFODNN7EXAMPLE, or -----BEGIN PRIVATE KEY----- and so on",
        "usr/lib/libcrypto.so": b"\x7fELF\0" + KEY,
    }
    with image(tmp_path, files, Env=["PATH=/bin"]) as opened:
        assert list(leaks.leaks(opened, HELD)) == []


def test_a_name_can_be_allowed(tmp_path: Path) -> None:
    with image(tmp_path, {"src/.git/config": b"", "src/.env": b""}) as opened:
        assert list(leaks.leaks(opened, {}, [".git"])) == ["/src/.env in layer 0"]


def test_the_builders_secrets_are_known_by_name_and_by_url(tmp_path: Path) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = https://me:from-the-file@packages.example/simple\n")
    environment = {
        "KAGGLE_KEY": "0123456789abcdef",
        "SHORT_TOKEN": "1",
        "EDITOR": "a long enough value",
        "PROXY": "http://u:from-a-url@proxy.example",
    }

    held = leaks.values(environment, config)

    assert sorted(held.values()) == [b"0123456789abcdef", b"from-a-url", b"from-the-file"]
