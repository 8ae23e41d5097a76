"""The page in a real browser: sorting, filtering, colours, width, and no word to anybody outside."""

import os
import shutil
from pathlib import Path

import pytest

import catalog
from orchestrator.report.html import to_html

pytestmark = pytest.mark.browser
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"No Chromium on this machine (looked for {', '.join(names)}); set CHROMIUM to its path.")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path: Path):
    """Opens a result's page from disk; at the end, nothing may have gone wrong or been asked for."""
    opened, complaints, requests = [], [], []

    def open_it(result, *, width=1280, scheme="light"):
        path = tmp_path / "report.html"
        path.write_text(to_html(result), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        opened.append(page)
        page.goto(path.as_uri())
        return page

    yield open_it
    for page in opened:
        page.close()
    assert complaints == []
    assert all(url.startswith("file:") for url in requests)
    assert len(requests) == len(opened)


def names(page):
    """The competitions that are shown, from top to bottom."""
    return page.eval_on_selector_all("#runs tbody tr:not([hidden])", "rows => rows.map(row => row.dataset.name)")


def test_a_header_sorts_and_a_second_click_turns_the_order_over(open_page, low_lab):
    page = open_page(low_lab.result())
    header = page.get_by_role("columnheader", name="Beaten")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    beaten = page.eval_on_selector_all("#runs tbody tr", "rows => rows.map(row => Number(row.dataset.beaten))")
    assert beaten == sorted(beaten, reverse=True)
    assert len(set(beaten)) > 5
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert names(page)[0] != sorted(names(page))[0]


def test_medals_sort_by_their_worth(open_page, make_lab):
    lab = make_lab({"ids": list(catalog.ids("low")[:3])}, seeds=1)
    for id, line in zip(catalog.ids("low")[:3], ("bronze", "median", "gold"), strict=True):
        lab.graded(id, 0, getattr(catalog.load(id).medals, line))
    page = open_page(lab.result())
    page.get_by_role("columnheader", name="Seed 0").get_by_role("button").click()
    first, second, third = catalog.ids("low")[:3]
    assert names(page)[:2] in ([third.lower(), first.lower()], [first.lower(), third.lower()])
    assert names(page)[2] == second.lower()


def test_everything_can_be_done_with_the_keyboard(open_page, low_lab):
    page = open_page(low_lab.result())
    page.get_by_label("Filter", exact=True).focus()
    page.keyboard.type("text class")
    shown = names(page)
    assert 0 < len(shown) < 22
    assert page.locator("#tool-shown").inner_text() == f"{len(shown)} of 22 competitions"
    page.keyboard.press("Escape")
    assert len(names(page)) == 22
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "tool-turn"
    page.keyboard.press("Enter")
    assert names(page) == sorted((id.lower() for id in catalog.ids("low")), reverse=True)


@pytest.mark.parametrize("outcome, count", [("failed", 2), ("missing", 0), ("doubtful", 2)])
def test_outcomes_can_be_filtered(open_page, low_lab, outcome, count):
    page = open_page(low_lab.result())
    page.get_by_label("Outcome").select_option(outcome)
    assert len(names(page)) == count


def test_without_scripts_everything_is_shown(browser, low_lab, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(to_html(low_lab.result()), encoding="utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    assert page.locator("#runs tbody tr:visible").count() == 22
    assert not page.locator("#tools").is_visible()
    page.close()


@pytest.mark.parametrize("width", [320, 380, 768, 1280])
def test_the_page_never_scrolls_sideways(open_page, make_lab, width):
    lab = make_lab({"split": "low"}, seeds=5)
    ids = catalog.ids("low")
    for id in ids:
        lines = catalog.load(id).medals
        for seed in range(5):
            lab.graded(id, seed, lines.gold, snapshots=[(60, lines.median)], isolation="unprotected")
    lab.graded(ids[0], 0, None, reason="x" * 500)
    page = open_page(lab.result(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter(node => {
             const box = node.getBoundingClientRect();
             return box.width && box.right > innerWidth + 1 && !node.closest('.scroll') && !node.closest('svg');
           }).map(node => node.outerHTML.slice(0, 80))"""
    )
    assert outside == []


CONTRAST = """() => {
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = numbers(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = {};
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility() || node.closest('svg')) continue;
    const [a, b] = [light(numbers(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found[`${node.tagName}.${node.className}`] = ratio.toFixed(2);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_contrast_enough_to_be_read(open_page, low_lab, scheme):
    low_lab.graded("spooky-author-identification", 0, 0.0, isolation="unprotected")
    low_lab.graded("spooky-author-identification", 1, catalog.load("spooky-author-identification").medals.silver)
    page = open_page(low_lab.result(), scheme=scheme)
    grounds = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert grounds == {"light": "rgb(252, 252, 250)", "dark": "rgb(21, 23, 26)"}[scheme]
    assert page.evaluate(CONTRAST) == {}


def test_markup_that_an_agent_wrote_does_nothing(open_page, make_lab):
    lab = make_lab({"ids": ["spooky-author-identification"]}, seeds=1)
    own = "document.title='owned'"
    evil = f"<script>{own}</script><img src=x onerror={own}><a href='javascript:{own}'>x</a>"
    lab.graded("spooky-author-identification", 0, None, reason=evil)
    page = open_page(lab.result())
    assert page.title() == "aide-lite: MLE-bench report"
    assert page.locator("img, a[href^=javascript]").count() == 0
    assert evil in page.locator(".cases .said").inner_text()


def test_script_that_slipped_in_would_not_run(browser, low_lab, tmp_path):
    """The page's policy is a second wall: with markup let through, nothing runs and nothing is fetched."""
    path = tmp_path / "report.html"
    slipped = (
        "<script>document.title='owned'</script><img src='http://127.0.0.1:9/x'><p onclick='1' style='color: red'>x</p>"
    )
    path.write_text(to_html(low_lab.result()).replace("<main>", f"<main>{slipped}"), encoding="utf-8")
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(path.as_uri())
    assert page.title() == "aide-lite: MLE-bench report"
    assert sum("Content Security Policy" in text for text in refused) >= 3
    page.close()


def test_links_to_failures_lead_there(open_page, low_lab):
    page = open_page(low_lab.result())
    targets = page.eval_on_selector_all(
        "a[href^='#']", "links => links.map(link => link.getAttribute('href').slice(1))"
    )
    assert {"failure-InvalidSubmission", "failure-DeadlineWithoutSubmission", "competitions"} <= set(targets)
    assert page.evaluate("ids => ids.filter(id => !document.getElementById(id))", targets) == []


def test_the_page_prints_without_its_tools(open_page, low_lab):
    page = open_page(low_lab.result())
    page.emulate_media(media="print")
    assert not page.locator("#tools").is_visible()
    assert page.locator("#runs tbody tr:visible").count() == 22


def test_every_control_and_chart_has_a_name(open_page, low_lab):
    page = open_page(low_lab.result())
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('input, select, button, svg[role=img], section')].filter(node =>
             !(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') || node.textContent.trim()
               || node.labels?.length)).map(node => node.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
