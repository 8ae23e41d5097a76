import json

import pytest

from orchestrator.cli.doctor import machine
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.screens.doctor import show_checks


@pytest.fixture(autouse=True)
def _nobody_at_kaggle(monkeypatch, tmp_path):
    for name in ("KAGGLE_API_TOKEN", "KAGGLE_USERNAME", "KAGGLE_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KAGGLE_CONFIG_DIR", str(tmp_path / "nowhere"))


def verdicts(answer):
    return {check["name"]: check["verdict"] for check in json.loads(answer.out)}


def test_a_sound_machine_has_no_problem(mlectl):
    answer = mlectl("doctor", "-o", "json")
    found = verdicts(answer)
    assert answer.code == 0
    assert list(found) == ["versions", "home", "stores", "isolation", "agents", "competitions", "kaggle", "cluster"]
    assert {found[name] for name in ("versions", "home", "stores", "agents", "competitions")} == {"ok"}


def test_a_store_that_does_not_answer_is_a_problem(mlectl, monkeypatch):
    monkeypatch.setenv("MLECTL_STORE_RUNS", "ftp://nowhere")
    answer = mlectl("doctor", "-o", "json")
    assert answer.code == 3
    assert verdicts(answer)["stores"] == "problem"


def test_the_check_of_stores_leaves_nothing_behind(mlectl, home):
    mlectl("doctor")
    assert [path for path in home.root.rglob("*") if path.is_file()] == []


def test_a_home_that_cannot_be_written_is_a_problem(home, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert machine.check_home(home).verdict == "problem"


def test_a_full_disk_is_worth_a_warning(home, monkeypatch):
    from collections import namedtuple

    usage = namedtuple("usage", "free")
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(1e9))
    assert machine.check_home(home).verdict == "warning"


def test_other_versions_than_v1_is_defined_by_are_a_problem(home, monkeypatch):
    monkeypatch.setattr(machine, "version", lambda name: "2.0.0")
    assert machine.check_versions(home).verdict == "problem"


def test_a_machine_without_a_sandbox_is_warned(home, monkeypatch):
    monkeypatch.setattr(machine, "is_available", lambda: False)
    found = machine.check_isolation(home)
    assert found.verdict == "warning"
    assert "unprotected" in found.found


def test_credentials_of_kaggle_are_named_by_their_place_only(home, monkeypatch):
    assert machine.check_kaggle(home).verdict == "warning"
    monkeypatch.setenv("KAGGLE_USERNAME", "somebody")
    monkeypatch.setenv("KAGGLE_KEY", "very-secret")
    found = machine.check_kaggle(home)
    assert found.verdict == "ok"
    assert "very-secret" not in found.found


def test_a_package_that_breaks_the_catalog_is_a_problem(home, monkeypatch):
    monkeypatch.setattr("catalog.problems", lambda: ("package x is broken",))
    assert machine.check_competitions(home).verdict == "problem"


def test_findings_as_people_see_them(expect_screen):
    found = [
        Check("versions", "ok", "mlectl 0.1.0"),
        Check("isolation", "warning", "no sandbox here", "allow user namespaces"),
        Check("stores", "problem", "runs: no credentials", "set them"),
        Check("kaggle", "problem", "rules are not accepted", "join each:\nhttps://one\nhttps://two"),
    ]
    expect_screen("doctor", show_checks(found))
