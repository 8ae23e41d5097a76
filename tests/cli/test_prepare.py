"""`mlectl prepare`, with the real Kaggle client against a stand-in where a competition comes from there."""

import dataclasses
import json
from pathlib import Path

import pytest

import catalog
from orchestrator.cli.preparation import Outcome, exit_code
from orchestrator.cli.screens.prepare import show_outcomes
from tests.kaggle.standin import TOKEN, StandIn, make_zip, md5
from tests.kit import kit

SPOOKY, TAXI = "spooky-author-identification", "new-york-city-taxi-fare-prediction"


@pytest.fixture
def kaggle(monkeypatch, tmp_path):
    """Nobody is signed in; the client goes to the stand-in."""
    for name in ("KAGGLE_API_TOKEN", "KAGGLE_USERNAME", "KAGGLE_KEY", "KAGGLE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("KAGGLE_API_ENVIRONMENT", "TEST")
    monkeypatch.setattr("orchestrator.worker.kaggle.archive.time.sleep", lambda _: None)
    with StandIn() as standin:
        yield standin


@pytest.fixture
def account(kaggle, monkeypatch):
    """Credentials that the stand-in accepts."""
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    return kaggle


@pytest.fixture
def raw(tmp_path):
    """Synthetic raw files of a competition, as Kaggle lays them out."""
    folder = tmp_path / "kit" / SPOOKY
    folder.mkdir(parents=True)
    kit.make_raw(SPOOKY, folder, seed=0)
    return folder


def hosted_archive(raw, monkeypatch):
    """The raw files as Kaggle's archive, and the catalog told of its checksum."""
    archive = make_zip({str(path.relative_to(raw)): path.read_bytes() for path in raw.rglob("*") if path.is_file()})
    really = catalog.load

    def load(name):
        found = really(name)
        known = dataclasses.replace(found.checksums, zip=md5(archive))
        return dataclasses.replace(found, checksums=known) if name == SPOOKY else found

    monkeypatch.setattr(catalog, "load", load)
    return archive


def outcomes(answer):
    return {one["competition"]: one["became"] for one in json.loads(answer.out)}


def test_the_demo_is_prepared_without_an_account_and_only_once(mlectl):
    first = mlectl("prepare", "--split", "demo", "-o", "json")
    assert (first.code, set(outcomes(first).values())) == (0, {"prepared"})
    again = mlectl("prepare", "--split", "demo", "-o", "json")
    assert set(outcomes(again).values()) == {"was prepared"}
    listed = json.loads(mlectl("competitions", "--split", "demo", "-o", "json").out)
    assert all(one["prepared"] for one in listed)


@pytest.mark.parametrize("flag, count", [("--lite", 22), ("--all", 75)])
def test_published_splits_have_flags_of_their_own(mlectl, kaggle, monkeypatch, flag, count):
    asked = []
    monkeypatch.setattr("orchestrator.cli.choosing.must_have_preparers", lambda competitions: None)
    monkeypatch.setattr("orchestrator.worker.kaggle.check_rules", lambda ids: asked.extend(ids))
    monkeypatch.setattr("orchestrator.cli.preparation.Preparation.prepare_all", lambda work, competitions, tell: [])
    assert mlectl("prepare", flag).code == 0
    assert len(asked) == count


def test_what_is_prepared_can_be_prepared_again(mlectl):
    mlectl("prepare", "-c", "demo-wine")
    assert outcomes(mlectl("prepare", "-c", "demo-wine", "--force", "-o", "json")) == {"demo-wine": "prepared"}


def test_plain_folders_are_left_where_they_are_wanted(mlectl, tmp_path, demo_data):
    mlectl("prepare", "-c", "demo-wine")
    mlectl("prepare", "-c", "demo-wine", "--unpacked", tmp_path / "plain")

    def files(folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    assert files(tmp_path / "plain" / "demo-wine") == files(demo_data / "demo-wine")


def test_plain_folders_that_are_there_are_left_alone(mlectl, tmp_path):
    kept = tmp_path / "plain" / "demo-wine" / "public" / "note.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    assert mlectl("prepare", "-c", "demo-wine", "--unpacked", tmp_path / "plain").code == 0
    assert [path.name for path in kept.parent.iterdir()] == ["note.txt"]


def test_a_list_names_competitions_line_by_line(mlectl, tmp_path):
    (tmp_path / "ids.txt").write_text("# the small ones\ndemo-wine\n\ndemo-tumours  # binary\ndemo-wine\n")
    answer = mlectl("prepare", "--list", tmp_path / "ids.txt", "-o", "json")
    assert list(outcomes(answer)) == ["demo-wine", "demo-tumours"]


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        ([], 2, "Say which competitions"),
        (["-c", "demo-win"], 2, "did you mean demo-wine"),
        (["--list", "no-such-file"], 2, "can't be read as a list of ids"),
        (["--split", "demo", "--raw", "."], 3, "has no folder of raw files called demo-diabetes"),
    ],
)
def test_wrong_usage_is_told_before_any_work(mlectl, home, monkeypatch, tmp_path, arguments, code, words):
    monkeypatch.chdir(tmp_path)
    answer = mlectl("prepare", *arguments)
    assert answer.code == code
    assert words in answer.err
    assert not home.root.exists()


def test_raw_files_that_are_on_disk_are_used(mlectl, kaggle, raw):
    answer = mlectl("prepare", "-c", SPOOKY, "--raw", raw.parent, "-o", "json")
    assert (answer.code, outcomes(answer)) == (0, {SPOOKY: "prepared"})
    assert kaggle.calls == []
    assert mlectl("prepare", "-c", SPOOKY, "--raw", raw, "--force").code == 0


def test_one_competition_that_fails_stops_no_other(mlectl, tmp_path):
    (tmp_path / "raw" / "demo-wine").mkdir(parents=True)
    (tmp_path / "raw" / "demo-tumours").mkdir()
    (tmp_path / "raw" / "demo-wine" / "unrelated.txt").write_text("x")
    answer = mlectl("prepare", "-c", "demo-wine", "-c", "demo-tumours", "--raw", tmp_path / "raw", "-o", "json")
    assert answer.code == 1
    assert outcomes(answer) == {"demo-wine": "failed", "demo-tumours": "prepared"}


def test_without_credentials_nothing_is_asked(mlectl, kaggle):
    answer = mlectl("prepare", "-c", SPOOKY)
    assert answer.code == 3
    assert "There are no Kaggle credentials" in answer.err
    assert kaggle.calls == []


def test_the_rules_of_all_competitions_are_checked_before_the_first_byte(mlectl, account, home):
    account.host(SPOOKY)
    account.host(TAXI, joined=False)
    answer = mlectl("prepare", "-c", SPOOKY, "-c", TAXI, "-c", "demo-wine")
    assert answer.code == 3
    assert f"https://www.kaggle.com/competitions/{TAXI}/rules" in answer.err
    assert {call.competition for call in account.calls} == {SPOOKY, TAXI}
    assert account.transfers == []
    assert not home.root.exists()


def test_a_competition_that_kaggle_does_not_know_is_told(mlectl, account):
    answer = mlectl("prepare", "-c", SPOOKY)
    assert answer.code == 3
    assert f"Kaggle has no competition {SPOOKY}" in answer.err


def test_a_broken_download_resumes_and_is_checked_and_prepared(mlectl, account, raw, monkeypatch, home):
    account.host(SPOOKY, hosted_archive(raw, monkeypatch), cuts=1)
    answer = mlectl("prepare", "-c", SPOOKY, "-o", "json")
    assert (answer.code, outcomes(answer)) == (0, {SPOOKY: "prepared"})
    first, second = account.transfers
    assert second.range == f"bytes={first.sent}-"
    assert f"{SPOOKY}: download" in answer.err
    assert home.raw(SPOOKY).is_dir()


def test_an_archive_of_another_content_is_refused(mlectl, account, raw):
    account.host(SPOOKY, make_zip({"train.csv": b"something else"}))
    answer = mlectl("prepare", "-c", SPOOKY, "-o", "json")
    assert answer.code == 1
    assert "MD5" in json.loads(answer.out)[0]["message"]


def test_what_cannot_be_prepared_is_refused_before_it_is_fetched(mlectl, account, monkeypatch):
    found = catalog.load(SPOOKY)
    monkeypatch.setattr(catalog, "load", lambda name: dataclasses.replace(found, preparer="no.such:module"))
    answer = mlectl("prepare", "-c", SPOOKY)
    assert answer.code == 3
    assert f"can't prepare {SPOOKY}" in answer.err
    assert account.calls == []


def test_what_failed_counts_for_more_than_what_was_out_of_reach():
    failed, away = Outcome("a", "failed", "x", 1), Outcome("b", "failed", "y", 3)
    assert exit_code([failed, away]) == 1
    assert exit_code([away, Outcome("c", "prepared")]) == 3
    assert exit_code([Outcome("c", "was prepared")]) == 0


def test_outcomes_as_people_see_them(expect_screen):
    found = [
        Outcome("demo-wine", "prepared"),
        Outcome(SPOOKY, "was prepared"),
        Outcome(TAXI, "failed", "The rules are not accepted yet:\njoin it at its page, then run this again.", 3),
    ]
    expect_screen("prepare", show_outcomes(found, Path("plain")))
