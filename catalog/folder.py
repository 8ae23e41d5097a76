"""Make a `Competition` of a folder. Official competitions and those of plug-ins have the same layout:

facts.toml         name, complexity, metric, medal lines, checksums, defects, …
description.md     the task text that an agent reads
data.json          class lists and the like, where the competition has any
leaderboard.csv    a `score` column: gives medal lines and percentiles where facts.toml states none
"""

from __future__ import annotations

import re
from pathlib import Path

from catalog.competition import Checksums, Competition, Defect, MedalLines
from catalog.errors import BadFacts
from catalog.facts import Facts, read_facts
from catalog.leaderboard import read_scores
from catalog.medals import medal_lines, percentiles

ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,98}[A-Za-z0-9])?")
IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def read_folder(
    folder: Path, *, preparer: str, grader: str, fetch: str | None = None, is_official: bool = False
) -> Competition:
    """The competition that a folder describes; its id is the folder's name. Description and data are not read yet."""
    _check_id(folder)
    _check_import_paths(folder, preparer=preparer, grader=grader, fetch=fetch)
    facts = read_facts(folder / "facts.toml")
    if not (folder / "description.md").is_file():
        raise BadFacts(f"{folder} has no description.md: write the task text that an agent reads there.")
    medals, shares = _standings(folder, facts)
    return Competition(
        id=folder.name,
        name=facts.name,
        complexity=facts.complexity,
        category=facts.category,
        metric=facts.metric,
        lower_is_better=facts.lower_is_better,
        answers=facts.answers,
        sample_submission=facts.sample_submission,
        sample_is_private=facts.sample_is_private,
        size_gb=facts.size_gb,
        deadline=facts.deadline,
        medals=medals,
        percentiles=shares,
        checksums=Checksums(**facts.checksums.model_dump()),
        defects=tuple(Defect(**row.model_dump()) for row in facts.defects),
        preparer=preparer,
        grader=grader,
        fetch=fetch,
        folder=folder,
        is_official=is_official,
    )


def _standings(folder: Path, facts: Facts) -> tuple[MedalLines, tuple[float, ...]]:
    """Medal lines and percentiles: what facts.toml states, and from the leaderboard what it does not."""
    path = folder / "leaderboard.csv"
    is_complete = facts.medals is not None and facts.percentiles is not None
    scores = read_scores(path) if not is_complete and path.exists() else []
    shares = facts.percentiles or (percentiles(scores, facts.lower_is_better) if scores else ())
    if facts.medals is not None:
        return MedalLines(**facts.medals.model_dump()), tuple(shares)
    if not scores:
        raise BadFacts(f"{folder}: facts.toml has no [medals]; add them, or a leaderboard.csv with a column `score`.")
    return medal_lines(scores, facts.lower_is_better), tuple(shares)


def _check_id(folder: Path) -> None:
    if not ID.fullmatch(folder.name):
        raise BadFacts(
            f"{folder}: a competition is called as its folder, and {folder.name!r} can't be an id: "
            "use letters, digits and hyphens, at most 100, with a letter or digit at both ends."
        )


def _check_import_paths(folder: Path, **code: str | None) -> None:
    for role, path in code.items():
        if path is not None and not IMPORT_PATH.fullmatch(path):
            raise BadFacts(
                f"{folder}: {role} is {path!r}; name a function as module:function, such as my_package:{role}."
            )
