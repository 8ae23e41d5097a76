"""The page as text: what must stand in it, and what must not get out of it."""

import re
from base64 import b64encode
from hashlib import sha256
from random import Random

import pytest

import catalog
from orchestrator.core.model import Outcome, Verdict
from orchestrator.report.html import to_html

SPOOKY = "spooky-author-identification"
EVIL = '<script>alert(1)</script><img src="http://evil.example/x">\x1b[31m"\'\u202e{{ 7*7 }}'


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.S)))


def test_the_page_loads_nothing_from_anywhere(low_lab):
    html = to_html(low_lab.result())
    assert not re.search(r'(?:src|href|action|data|poster)="(?!#)', html)
    assert "url(" not in html
    assert "@import" not in html
    assert "://" not in html.replace("http-equiv", "")


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else(low_lab):
    html = to_html(low_lab.result())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)[1].replace("&#39;", "'")
    digests = {
        kind: b64encode(sha256(re.search(rf"<{kind}>(.*?)</{kind}>", html, re.S)[1].encode()).digest()).decode()
        for kind in ("style", "script")
    }
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digests['style']}'; script-src 'sha256-{digests['script']}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert " style=" not in html
    assert not re.search(r"\son\w+=", html)


def test_what_agents_wrote_is_text_and_nothing_more(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=2)
    lab.graded(SPOOKY, 0, None, reason=EVIL)
    lab.graded(
        SPOOKY,
        1,
        0.2,
        outcome=Outcome(Verdict.GRADE, "AgentError", EVIL),
        command=["sh", EVIL],
        hardware={"cpus": 1, "gpus": [EVIL]},
        image=EVIL,
    )
    html = to_html(lab.result())
    assert html.count("<script") == 1
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "{{ 7*7 }}" in html
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", html)


def test_the_word_unprotected_stands_beside_every_figure(make_lab):
    lab = make_lab({"split": "low"}, seeds=1)
    for id in catalog.ids("low"):
        lab.graded(id, 0, catalog.load(id).medals.gold, isolation="unprotected")
    html = to_html(lab.result())
    assert "<title>aide-lite: MLE-bench report (unprotected)</title>" in html
    cells = re.findall(r'<span class="figure">.*?</td>', html, re.S)
    rows = re.findall(r'<th scope="row">(.*?)</th>', re.search(r"small all-figures.*?</table>", html, re.S)[0], re.S)
    assert len(cells) == len(rows) == 2
    assert all("unprotected" in one for one in [*cells, *rows])


def test_a_protected_result_does_not_carry_the_word(low_lab):
    assert "unprotected" not in text_of(to_html(low_lab.result())).lower()


def test_the_demo_is_marked_wherever_it_shows(make_lab):
    lab = make_lab({"split": "demo"}, seeds=1)
    ids = catalog.ids("demo")
    for id in ids:
        lines = catalog.load(id).medals
        lab.graded(id, 0, lines.gold, snapshots=[(5, lines.median)])
    html = to_html(lab.result())
    assert "This is no result on MLE-bench." in text_of(html)
    mark = '<span class="chip mark">demo</span>'
    for id in ids:
        assert re.search(rf"<b>{id}</b><span>\s*{mark}", html), "in its chart"
        assert re.search(rf'role="rowheader">{id}\s*{mark}', html), "in the table"
    assert re.search(rf'Demo <span class="soft small">\({len(ids)}\)</span> {mark}', html), "beside the figure"


def test_an_experiment_that_is_not_done_has_a_page_too(make_lab):
    lab = make_lab({"ids": [SPOOKY, "AI4Code"]}, seeds=2)
    lab.graded(SPOOKY, 0, 0.2)
    lab.lost(SPOOKY, 1)
    text = text_of(to_html(lab.result()))
    assert "Not complete. 3 of 4 runs have no result." in text
    assert "No complete seed yet. Missing in seed 0: AI4Code." in text
    assert "Score over time" not in text


def test_failures_say_what_to_do(low_lab):
    text = text_of(to_html(low_lab.result()))
    assert "What to do: Have the agent write a first submission early" in text
    assert "2 of 3,325 ids are not in this competition." in text
    assert "denoising-dirty-documents, seed 2, attempt 1: tried again" in text


def test_time_and_money_are_summed_over_all_runs(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=2)
    assert "Cost of models" not in text_of(to_html(lab.result()))
    for seed in (0, 1):
        lab.graded(SPOOKY, seed, 0.2, minutes=90, cost_usd=1.255)
    text = text_of(to_html(lab.result()))
    assert "24 h a run; 3 h used by all agents together" in text
    assert "Cost of models $2.51" in text


def test_departures_are_listed_or_their_absence_is_said(make_lab):
    assert "12h a run (published: 24h)" in text_of(to_html(make_lab(budget={"wallClock": "12h"}).result()))
    assert "None: 24 hours a run" in text_of(to_html(make_lab().result()))


@pytest.mark.slow
def test_the_whole_benchmark_with_five_seeds_stays_a_page(make_lab):
    lab = make_lab({"split": "all"}, seeds=5)
    lab.play(catalog.ids("all"), 0.6, Random(1))
    html = to_html(lab.result())
    assert len(html.encode()) < 1_500_000
    assert html.count('role="rowheader"') == 75
