"""A competition's folder: what is taken from it, and how a mistake in it is told."""

from pathlib import Path

import pytest

from catalog import BadFacts, MedalLines
from catalog.plugins import from_folder

CODE = {"preparer": "tides.heights:prepare", "grader": "tides.heights:score"}
MEDALS = "[medals]\ngold = 0.1\nsilver = 0.2\nbronze = 0.3\nmedian = 0.5\nteams = 40\n"
BOARD = "team,score\n" + "".join(f"t{n},{n / 10}\n" for n in range(1, 21))


def test_a_folder_of_ones_own_becomes_a_competition(write_folder) -> None:
    competition = from_folder(write_folder(data_json='{"harbours": ["Hull"]}'), **CODE, fetch="tides.heights:fetch")
    assert competition.id == "tide-heights"
    assert competition.name == "Tide Heights"
    assert competition.medals == MedalLines(0.1, 0.2, 0.3, 0.5, 40)
    assert competition.percentiles == ()
    assert competition.description == "# Tide Heights\n"
    assert competition.data["harbours"] == ["Hull"]
    assert (competition.preparer, competition.grader) == ("tides.heights:prepare", "tides.heights:score")
    assert competition.fetch == "tides.heights:fetch"
    assert not competition.is_official


def test_ones_own_competition_joins_no_published_split(write_folder) -> None:
    assert from_folder(write_folder(), **CODE).splits == frozenset()


def test_a_demo_competition_is_in_the_demo_split(write_folder, good_facts: str) -> None:
    competition = from_folder(write_folder(facts=good_facts.replace('"low"', '"demo"')), **CODE)
    assert competition.is_demo
    assert competition.splits == {"demo"}


def test_a_leaderboard_gives_the_lines_that_the_facts_leave_out(write_folder, good_facts: str) -> None:
    folder = write_folder(facts=good_facts.replace(MEDALS, ""), leaderboard_csv=BOARD)
    competition = from_folder(folder, **CODE)
    assert competition.medals == MedalLines(gold=0.2, silver=0.4, bronze=0.8, median=1.05, teams=20)
    assert competition.percentiles[0] == 0.1
    assert competition.percentiles[100] == 2.0


def test_stated_lines_win_over_a_leaderboard(write_folder) -> None:
    competition = from_folder(write_folder(leaderboard_csv=BOARD), **CODE)
    assert competition.medals.gold == 0.1
    assert len(competition.percentiles) == 101


def test_teams_without_a_score_are_not_ranked(write_folder, good_facts: str) -> None:
    folder = write_folder(facts=good_facts.replace(MEDALS, ""), leaderboard_csv=BOARD + "late,\n")
    assert from_folder(folder, **CODE).medals.teams == 20


@pytest.mark.parametrize(
    "old, new, told",
    [
        pytest.param('name = "Tide Heights"\n', "", "name is missing", id="a missing key"),
        pytest.param("gold = 0.1\n", "", "medals.gold is missing", id="a missing key of a table"),
        pytest.param("category =", "catgory =", "catgory is not a key (did you mean category?)", id="an unknown key"),
        pytest.param('"low"', '"easy"', "complexity is 'easy'", id="an unknown complexity"),
        pytest.param("= true", '= "yes"', "lower_is_better is 'yes'", id="a word for a boolean"),
        pytest.param("gold = 0.1", "gold = true", "medals.gold is True", id="a boolean for a number"),
        pytest.param("gold = 0.1", "gold = nan", "medals.gold is nan", id="a number that is none"),
        pytest.param("teams = 40", "teams = 0", "medals.teams is 0", id="no teams"),
        pytest.param(
            "silver = 0.2", "silver = 0.05", "must rise or stay; found 0.1 before 0.05", id="silver better than gold"
        ),
        pytest.param(
            "= true", "= false", "must fall or stay; found 0.1 before 0.2", id="lines for the other direction"
        ),
        pytest.param(
            "[medals]", "percentiles = [1.0, 2.0]\n[medals]", "percentiles is [1.0, 2.0]", id="too few shares"
        ),
        pytest.param(
            "[medals]",
            f"percentiles = {[float(-n) for n in range(101)]}\n[medals]",
            "percentiles go from best to worst",
            id="shares for the other direction",
        ),
        pytest.param("[medals]", '[checksums]\nzip = "abc"\n[medals]', "checksums.zip is 'abc'", id="a short checksum"),
        pytest.param('"test.csv"', '"../test.csv"', "'../test.csv' must be a path below", id="a path that leaves"),
        pytest.param(
            "teams = 40", 'teams = 40\n[[defects]]\nwhat = "x"', "defects.0.kind is missing", id="a thin defect"
        ),
        pytest.param("= true", "= maybe", "can't be read as TOML", id="a broken file"),
    ],
)
def test_a_mistake_in_the_facts_is_told_with_file_and_key(write_folder, good_facts: str, old, new, told) -> None:
    assert old in good_facts
    folder = write_folder(facts=good_facts.replace(old, new))
    with pytest.raises(BadFacts) as caught:
        from_folder(folder, **CODE)
    assert str(folder / "facts.toml") in str(caught.value)
    assert told in str(caught.value)


def test_all_mistakes_are_told_at_once(write_folder, good_facts: str) -> None:
    facts = good_facts.replace('name = "Tide Heights"\n', "").replace('"low"', '"easy"')
    with pytest.raises(BadFacts, match=r"name is missing; complexity is 'easy'"):
        from_folder(write_folder(facts=facts), **CODE)


@pytest.mark.parametrize(
    "board, told",
    [
        pytest.param("team,points\na,1\n", "no column `score`; found team, points", id="another column"),
        pytest.param("", "no column `score`; found an empty file", id="an empty file"),
        pytest.param("score\n", "no score at all", id="no team"),
        pytest.param("score\n0.5\nbest\n", "line 3: score is 'best'", id="a word"),
        pytest.param("score\ninf\n", "line 2: score is 'inf'", id="an infinite score"),
    ],
)
def test_a_mistake_in_the_leaderboard_is_told_with_its_line(write_folder, good_facts: str, board, told) -> None:
    folder = write_folder(facts=good_facts.replace(MEDALS, ""), leaderboard_csv=board)
    with pytest.raises(BadFacts) as caught:
        from_folder(folder, **CODE)
    assert str(folder / "leaderboard.csv") in str(caught.value)
    assert told in str(caught.value)


def test_lines_must_come_from_somewhere(write_folder, good_facts: str) -> None:
    with pytest.raises(BadFacts, match=r"no \[medals\]; add them, or a leaderboard.csv"):
        from_folder(write_folder(facts=good_facts.replace(MEDALS, "")), **CODE)


@pytest.mark.parametrize("missing", ["facts.toml", "description.md"])
def test_a_folder_needs_facts_and_a_task_text(write_folder, missing: str) -> None:
    folder: Path = write_folder()
    (folder / missing).unlink()
    with pytest.raises(BadFacts, match=missing):
        from_folder(folder, **CODE)


@pytest.mark.parametrize("name", ["tide heights", "tide_heights", "-tides", "tides-", "t" * 101])
def test_a_folder_whose_name_cannot_be_an_id_is_refused(write_folder, name: str) -> None:
    with pytest.raises(BadFacts, match="letters, digits and hyphens"):
        from_folder(write_folder(name), **CODE)


@pytest.mark.parametrize("role", ["preparer", "grader", "fetch"])
@pytest.mark.parametrize("path", ["tides.heights", "tides/heights.py:score", "tides:", ":score"])
def test_code_is_named_as_module_and_function(write_folder, role: str, path: str) -> None:
    with pytest.raises(BadFacts, match=f"{role} is '{path}'; name a function as module:function"):
        from_folder(write_folder(), **{**CODE, role: path})


def test_broken_tables_are_told_with_their_file(write_folder) -> None:
    competition = from_folder(write_folder(data_json="{"), **CODE)
    with pytest.raises(BadFacts, match=r"data\.json can't be read as JSON"):
        _ = competition.data
