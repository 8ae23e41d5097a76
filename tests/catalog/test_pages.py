"""docs/v2.md is what the facts say, and says all of it."""

from __future__ import annotations

import catalog
from catalog.pages import PAGE, v2_page

OFFICIAL = [catalog.load(name) for name in (*catalog.ids("all"), *catalog.ids("dev"))]


def section(competition: catalog.Competition) -> str:
    _, _, rest = v2_page().partition(f"\n### {competition.id}\n")
    return rest.partition("\n### ")[0]


def test_the_page_is_what_the_facts_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == v2_page(), "run `make docs`"


def test_every_defect_and_its_mending_is_told_under_its_competition() -> None:
    for competition in OFFICIAL:
        told = section(competition).replace(r"\|", "|")
        for defect in competition.defects:
            assert defect.what in told
            assert defect.v2 in told


def test_every_competition_that_v2_changes_says_whether_scores_can_be_compared() -> None:
    for competition in OFFICIAL:
        if any(defect.v2 for defect in competition.defects):
            assert ("v2 can be compared" in section(competition)) == competition.is_comparable
            assert ("v2 can't be compared" in section(competition)) != competition.is_comparable


def test_doubtful_competitions_are_listed_and_no_others() -> None:
    _, _, rest = v2_page().partition("## Doubtful in v1\n")
    listed = rest.partition("\n## ")[0]

    assert {one.id for one in OFFICIAL if f"| [{one.id}]" in listed} == {one.id for one in OFFICIAL if one.is_doubtful}


def test_links_lead_to_headings_of_the_page() -> None:
    page = v2_page()

    for competition in OFFICIAL:
        if f"(#{competition.id.lower()})" in page:
            assert f"\n### {competition.id}\n" in page
