"""The page about v2, made from the defects in the competitions' facts: `python -m catalog.pages`, or `make docs`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import catalog
from catalog.competition import Competition, Defect, DefectKind

PAGE = Path(__file__).resolve().parents[1] / "docs" / "v2.md"

_HEAD = """\
# What v2 mends

`version: v1` prepares and grades as MLE-bench was published, digit for digit, its mistakes included: use it to compare
with published figures. `version: v2` is the same benchmark with the known mistakes mended. This page lists them,
competition by competition; it is made from `catalog/competitions/*/facts.toml` by `make docs`.

- *leak*: the answers, or a part of them, can be found in what the agent is given, or in public.
- *contaminated*: the data are published with labels, so that models may have seen them. No preparation cures that.
- *defect*: preparation or grading does something else than the task says.
- *note*: worth knowing; scores are what they claim to be.

Scores of v1 and v2 **can be compared** where an honest submission gets the same score in both, give or take chance.
They **can't** where v2 has another test set, another measure or other answers: hold a v2 score only against v2 scores
there, and take the medal lines, which are Kaggle's, as what they are for either.

What graders do with nonsense (nan, repeated ids, masks that overlap) is a page of its own: [nonsense.md](nonsense.md).
"""

_KINDS: tuple[DefectKind, ...] = ("leak", "contaminated", "defect", "note")


def v2_page() -> str:
    """docs/v2.md."""
    competitions = [catalog.load(name) for name in sorted((*catalog.ids("all"), *catalog.ids("dev")), key=str.lower)]
    listed = [one for one in competitions if one.defects]
    clean = [one for one in competitions if not one.defects]
    parts = [_HEAD, *_overview(competitions), *_doubtful(competitions), "## Competition by competition\n"]
    parts += [line for competition in listed for line in _section(competition)]
    parts += ["## Nothing known against them\n", f"{_links(clean, linked=False)}.\n"]
    return "\n".join(parts)


def _overview(competitions: list[Competition]) -> Iterator[str]:
    mended = [one for one in competitions if any(defect.v2 for defect in one.defects)]
    apart = [one for one in competitions if not one.is_comparable]
    yield "## At a glance\n"
    yield f"Of {len(competitions)} competitions v2 mends something in {len(mended)}.\n"
    yield "| kind | known | mended in v2 |"
    yield "| --- | ---: | ---: |"
    for kind in _KINDS:
        known = [defect for one in competitions for defect in one.defects if defect.kind == kind]
        yield f"| {kind} | {len(known)} | {sum(bool(defect.v2) for defect in known)} |"
    yield f"\nScores of v1 and v2 can't be compared in {len(apart)}: {_links(apart)}.\n"


def _doubtful(competitions: list[Competition]) -> Iterator[str]:
    doubtful = [one for one in competitions if one.is_doubtful]
    yield "## Doubtful in v1\n"
    yield f"In {len(doubtful)} competitions a v1 score says little: answers leak, or the task can't be solved as it is"
    yield "meant. A report tells its figures with and without them.\n"
    yield "| competition | why |"
    yield "| --- | --- |"
    for one in doubtful:
        reasons = " ".join(defect.what for defect in one.defects if defect.doubtful)
        yield f"| {_links([one])} | {_cell(reasons)} |"
    yield ""


def _section(competition: Competition) -> Iterator[str]:
    yield f"### {competition.id}\n"
    yield f"{competition.name} ({_where(competition)}). {_verdict(competition)}\n"
    yield "| kind | what is wrong in v1 | what v2 does | comparable |"
    yield "| --- | --- | --- | --- |"
    yield from (_row(defect) for defect in sorted(competition.defects, key=lambda defect: _KINDS.index(defect.kind)))
    yield ""


def _where(competition: Competition) -> str:
    return "dev" if competition.complexity == "dev" else f"{competition.complexity} complexity"


def _verdict(competition: Competition) -> str:
    if not any(defect.v2 for defect in competition.defects):
        return "v2 is the same as v1."
    compared = "can" if competition.is_comparable else "can't"
    doubt = " **A v1 score is doubtful.**" if competition.is_doubtful else ""
    return f"Scores of v1 and v2 {compared} be compared.{doubt}"


def _row(defect: Defect) -> str:
    kind = f"**{defect.kind}**" if defect.doubtful else defect.kind
    comparable = "yes" if defect.comparable else "no"
    return f"| {kind} | {_cell(defect.what)} | {_cell(defect.v2) or 'the same'} | {comparable} |"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _links(competitions: Iterable[Competition], *, linked: bool = True) -> str:
    return ", ".join(f"[{one.id}](#{one.id.lower()})" if linked else one.id for one in competitions)


def main() -> None:
    PAGE.write_text(v2_page(), encoding="utf-8")
    print(f"wrote docs/{PAGE.name}")


if __name__ == "__main__":
    main()
