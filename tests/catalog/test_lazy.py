"""How little is read: counted in a process of its own by an audit hook on every file that is opened."""

import json
import subprocess
import sys

import pytest

WATCH = """
import json, sys
from pathlib import Path
opened, modules_before = [], set(sys.modules)
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import catalog
{code}
root = str(Path(catalog.__file__).parent)
below = sorted(p[len(root) + 1 :] for p in set(opened) if p.startswith(root) and not p.endswith((".py", ".pyc")))
print(json.dumps({{"files": below, "modules": sorted(set(sys.modules) - modules_before)}}))
"""


def watch(code: str) -> dict[str, list[str]]:
    done = subprocess.run([sys.executable, "-c", WATCH.format(code=code)], capture_output=True, text=True, check=True)
    seen: dict[str, list[str]] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize(
    "code, files",
    [
        pytest.param("", [], id="importing the catalog reads nothing"),
        pytest.param("catalog.splits()", [], id="the names of the splits are known without a file"),
        pytest.param("catalog.ids('low')", ["splits.toml"], id="a split's ids are in the index"),
        pytest.param("catalog.ids()", ["splits.toml"], id="all ids are in the index"),
        pytest.param(
            "catalog.load('AI4Code').medals",
            ["competitions/AI4Code/facts.toml", "splits.toml"],
            id="a competition costs its own facts",
        ),
        pytest.param(
            "c = catalog.load('leaf-classification'); c.data; c.description",
            [f"competitions/leaf-classification/{name}" for name in ("data.json", "description.md", "facts.toml")]
            + ["splits.toml"],
            id="texts and tables are read when asked for",
        ),
    ],
)
def test_what_is_read(code: str, files: list[str]) -> None:
    assert watch(code)["files"] == files


@pytest.mark.parametrize("code", ["", "catalog.ids('all')", "catalog.load('AI4Code')"])
def test_plugins_are_not_looked_up_for_what_is_official(code: str) -> None:
    modules = watch(code)["modules"]
    assert "catalog.plugins" not in modules
    assert "mlectl_demo" not in modules


@pytest.mark.parametrize("code", ["catalog.ids('demo')", "catalog.ids()", "catalog.nearest('x')"])
def test_plugins_are_looked_up_where_they_may_matter(code: str) -> None:
    assert "catalog.plugins" in watch(code)["modules"]


def test_a_list_of_ids_imports_no_validation_library() -> None:
    assert "pydantic" not in watch("catalog.ids('all')")["modules"]
