"""The site: it builds without a warning, has every page, and takes nothing from another server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


def build(folder: Path, site: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(folder / "mkdocs.yml")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run([*argv, "--site-dir", str(site)], env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder


class Loads(HTMLParser):
    """What a browser fetches for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        address = dict(attrs).get(LOADS.get(tag, ""))
        if address:
            self.found.append(address)


def test_every_page_is_in_it_and_in_its_navigation(site):
    start = (site / "index.html").read_text()
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix(".html").as_posix()
        assert (site / name).exists()
        assert f'href="{name}"' in start, "name it under nav in mkdocs.yml"


def test_nothing_comes_from_another_server(site):
    pages = list(site.rglob("*.html"))
    assert pages
    for page in pages:
        loads = Loads()
        loads.feed(page.read_text())
        assert loads.found
        assert [address for address in loads.found if "//" in address] == []
    for style in site.rglob("*.css"):
        assert re.findall(r"url\(['\"]?(?:https?:)?//[^)]*", style.read_text()) == []


def test_the_tools_of_the_site_are_not_published(site):
    assert not list(site.rglob("*.py"))


def test_broken_links_stop_it(tmp_path):
    """To a page that is not there, and to a place that is not on its page."""
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "index.md"
    page.write_text(f"{page.read_text()}\n[gone](gone.md) [gone](install.md#gone)\n")
    built = build(tmp_path, tmp_path / "site")
    assert built.returncode == 1
    assert "'gone.md'" in built.stderr
    assert "'install.md#gone'" in built.stderr
