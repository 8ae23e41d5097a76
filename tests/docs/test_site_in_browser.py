"""The site's main pages in a real browser: they ask nobody else for anything, and fit a telephone."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.docs.pages import ROOT
from tests.docs.test_site import build
from tests.report.test_page import browser  # noqa: F401 (a fixture)

pytestmark = pytest.mark.browser


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert build(ROOT, folder).returncode == 0
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("name", ["index", "install", "security"])
def test_a_page_is_whole_and_keeps_to_itself(browser, address, name):  # noqa: F811
    page = browser.new_page(viewport={"width": 400, "height": 900})
    complaints, requests = [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith(address)] == []
    assert wide <= 400


def test_a_page_opens_from_disk_with_its_lists_of_pages_whole(browser, folder):  # noqa: F811
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((folder / "install.html").as_uri(), wait_until="networkidle")
    hidden = page.evaluate(
        "[...document.querySelectorAll('.md-sidebar__scrollwrap')].map(e => e.scrollHeight - e.clientHeight)"
    )
    page.close()
    assert complaints == []
    assert hidden == [0, 0]
