"""Competitions of installed packages: real distributions in a folder on sys.path, good, broken and clashing."""

import logging

import pytest

import catalog
from catalog import plugins

GOOD = """
from pathlib import Path
from catalog.plugins import from_folder

def competitions():
    for folder in sorted(path.parent for path in Path(__file__).parent.glob("*/facts.toml")):
        yield from_folder(folder, preparer=f"{__name__}:prepare", grader=f"{__name__}:score", fetch=f"{__name__}:fetch")
"""


def problems_of(package: str) -> list[str]:
    return [problem for problem in catalog.problems() if f"package {package} " in problem]


def test_an_installed_package_brings_its_competitions(install, write_folder) -> None:
    write_folder("tide-heights", below=install("tides", GOOD))
    competition = catalog.load("tide-heights")
    assert competition.name == "Tide Heights"
    assert competition.grader == "tides:score"
    assert "tide-heights" in catalog.ids()
    assert catalog.nearest("tide-height") == ["tide-heights"]
    assert problems_of("tides") == []


def test_what_a_package_brings_leaves_the_published_splits_alone(install, write_folder) -> None:
    package = install("tides", GOOD)
    write_folder("tide-heights", below=package)
    assert len(catalog.ids("low")) == 22
    assert "tide-heights" not in catalog.ids("demo")


def test_a_demo_competition_is_listed_in_the_demo_split(install, write_folder, good_facts: str) -> None:
    write_folder("tide-demo", facts=good_facts.replace('"low"', '"demo"'), below=install("tides", GOOD))
    assert "tide-demo" in catalog.ids("demo")
    assert "tide-demo" not in catalog.ids("all")


@pytest.mark.parametrize(
    "source, reason",
    [
        pytest.param("import nothing_of_this_name", "ModuleNotFoundError", id="it can't be imported"),
        pytest.param("x = 1", "AttributeError", id="it has no such function"),
        pytest.param("def competitions(): return 1 / 0", "ZeroDivisionError: division by zero", id="it fails"),
        pytest.param(
            "def competitions(): return ['AI4Code']", "returned 'AI4Code', which is not", id="it returns others"
        ),
        pytest.param(
            GOOD.replace('glob("*/facts.toml")', 'glob("*.py")'), "facts.toml is not there", id="its folder is empty"
        ),
    ],
)
def test_a_broken_package_is_left_out_with_one_sentence(
    install, write_folder, caplog, source: str, reason: str
) -> None:
    install("storms", source)
    write_folder("tide-heights", below=install("tides", GOOD))
    with caplog.at_level(logging.WARNING):
        assert len(catalog.ids("all")) == 75
        assert catalog.load("tide-heights").id == "tide-heights"
    [problem] = problems_of("storms")
    assert reason in problem
    assert "repair the package or uninstall it" in problem
    assert problem in caplog.messages


def test_an_unknown_id_comes_with_the_broken_package_that_may_have_it(install) -> None:
    install("storms", "import nothing_of_this_name")
    with pytest.raises(catalog.UnknownCompetition, match=r"'storm-paths'.*package storms .*nothing_of_this_name"):
        catalog.load("storm-paths")


@pytest.mark.parametrize("name", ["leaf-classification", "ai4code"])
def test_an_official_id_cannot_be_taken(install, write_folder, name: str) -> None:
    package = install("tides", GOOD)
    write_folder(name, below=package)
    write_folder("tide-heights", below=package)
    [problem] = problems_of("tides")
    assert f"'{name}'" in problem
    assert "the benchmark itself has one of that name" in problem
    assert catalog.load("leaf-classification").is_official
    assert catalog.load("tide-heights").name == "Tide Heights"
    assert len([known for known in catalog.ids() if known.lower() == name]) == 1


def test_of_two_packages_with_one_id_the_first_keeps_it(install, write_folder) -> None:
    write_folder("tide-heights", below=install("ebbs", GOOD))
    write_folder("tide-heights", below=install("tides", GOOD))
    assert catalog.load("tide-heights").grader == "ebbs:score"
    [problem] = problems_of("tides")
    assert "because ebbs has one of that name: rename its folder, or uninstall the package" in problem


def test_one_package_may_not_bring_an_id_twice(install, write_folder) -> None:
    package = install("tides", GOOD.replace("sorted(", "2 * sorted("))
    write_folder("tide-heights", below=package)
    [problem] = problems_of("tides")
    assert "because tides has one of that name" in problem


def test_plugins_are_looked_up_once(install) -> None:
    install("tides", "calls = []\ndef competitions():\n    calls.append(1)\n    return []\n")
    catalog.ids()
    catalog.ids("demo")
    plugins.installed()
    import tides

    assert tides.calls == [1]
