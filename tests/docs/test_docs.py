"""What the documents show is run: their YAML loads, their code works, the commands they name are there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from orchestrator.api.types import ExperimentRun
from orchestrator.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def test_the_experiment_of_the_readme_loads():
    (text,) = blocks(ROOT / "README.md", "yaml")
    assert ExperimentRun.model_validate(yaml.safe_load(text)).spec.seeds == 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_shows_exists(page):
    shown = set(re.findall(r"^ {4}mlectl ([a-z-]+)|`mlectl ([a-z-]+)", page.read_text(), re.MULTILINE))
    assert {first or second for first, second in shown} <= COMMANDS.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_links_to_exists(page):
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text())
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


def test_the_files_that_the_architecture_names_are_there():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`((?:api|core|storage|report|worker|cluster|controller|cli)/[\w/.]+\.\w+)`", text))
    assert len(named) > 20
    assert [name for name in sorted(named) if not (ROOT / "orchestrator" / name).exists()] == []


def test_the_example_competition_can_be_prepared_and_graded(tmp_path):
    """The package of docs/adding-a-competition.md, built from the page's own blocks."""
    page = ROOT / "docs" / "adding-a-competition.md"
    functions, door = blocks(page, "python")
    facts, entry_point = blocks(page, "toml")
    package = tmp_path / "my_package"
    (package / "shop-sales").mkdir(parents=True)
    (package / "__init__.py").write_text(door)
    (package / "shop_sales.py").write_text(functions)
    (package / "shop-sales" / "facts.toml").write_text(facts)
    (package / "shop-sales" / "description.md").write_text("# Shop Sales\n")
    info = tmp_path / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    name = re.search(r'"(mlectl\.competitions)"', entry_point)
    target = re.search(r'my_package = "(.*)"', entry_point)
    assert name
    assert target
    (info / "entry_points.txt").write_text(f"[{name[1]}]\nmy_package = {target[1]}\n")

    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "sales.csv").write_text("id,shop,sales\n" + "".join(f"{n},{n % 3},{n / 2}\n" for n in range(100)))
    script = f"""
from pathlib import Path
import graders, preparers
root = Path({str(tmp_path)!r})
preparers.prepare("shop-sales", root / "raw", root / "public", root / "private")
report = graders.grade("shop-sales", root / "private" / "test.csv", root / "private")
print(report.score, report.medal)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert ran.stdout == "0.0 gold\n", ran.stderr
