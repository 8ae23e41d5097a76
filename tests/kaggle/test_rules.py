"""The check of all rules before the first byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import catalog
from orchestrator.worker import doctor
from orchestrator.worker.failure import MOST_BYTES
from orchestrator.worker.kaggle import (
    CompetitionNotFound,
    NoCredentials,
    OutOfReach,
    RulesNotAccepted,
    check_rules,
    download,
)
from orchestrator.worker.orders import DoctorOrder
from tests.kaggle.standin import KEY, TOKEN, USERNAME, StandIn

CHOSEN = ["spaceship-titanic", "leaf-classification", "dog-breed-identification", "AI4Code"]


@pytest.mark.usefixtures("account")
def test_accepted_rules_are_no_obstacle_and_nothing_is_fetched(kaggle: StandIn):
    for competition in CHOSEN:
        kaggle.host(competition)

    check_rules(CHOSEN)

    assert kaggle.asked == [("GetCompetition", competition) for competition in CHOSEN]


@pytest.mark.usefixtures("account")
def test_all_rules_are_asked_about_and_those_not_accepted_named_together_with_links(kaggle: StandIn):
    for competition in CHOSEN:
        kaggle.host(competition, joined=competition in ("spaceship-titanic", "AI4Code"))

    with pytest.raises(RulesNotAccepted) as refusal:
        check_rules(CHOSEN)

    assert refusal.value.competitions == ("leaf-classification", "dog-breed-identification")
    assert str(refusal.value) == (
        "The rules of 2 of 4 competitions are not accepted yet: join each at its page, then run this again.\n"
        "  leaf-classification  https://www.kaggle.com/competitions/leaf-classification/rules\n"
        "  dog-breed-identification  https://www.kaggle.com/competitions/dog-breed-identification/rules"
    )
    assert [competition for what, competition in kaggle.asked if what == "GetCompetition"] == CHOSEN
    assert not [call for call in kaggle.calls if call.what in ("DownloadDataFiles", "GET")]


@pytest.mark.usefixtures("account")
def test_all_rules_are_asked_about_before_the_first_byte_of_any(kaggle: StandIn, in_catalog, tmp_path: Path):
    for competition in ("tides", "winds", "rains"):
        in_catalog(competition)
        kaggle.host(competition)

    check_rules(["tides", "winds", "rains"])
    for competition in ("tides", "winds", "rains"):
        download(competition, tmp_path / competition)

    kinds = [what for what, _ in kaggle.asked]
    assert kinds == ["GetCompetition"] * 3 + ["DownloadDataFiles", "GET"] * 3


@pytest.mark.usefixtures("account")
def test_files_that_may_be_listed_without_joining_may_be_had(kaggle: StandIn):
    kaggle.host("AI4Code", joined=False, listed=True)

    check_rules(["AI4Code"])


@pytest.mark.usefixtures("account")
def test_competitions_that_kaggle_does_not_have_are_named_together(kaggle: StandIn):
    kaggle.host("AI4Code")

    with pytest.raises(CompetitionNotFound, match="Kaggle has no competition gone-1, gone-2 that"):
        check_rules(["gone-1", "AI4Code", "gone-2"])


@pytest.mark.usefixtures("account")
def test_a_competition_that_is_missing_is_told_with_the_rules_that_are_not_accepted(kaggle: StandIn):
    kaggle.host("AI4Code", joined=False)

    with pytest.raises(RulesNotAccepted, match=r"The rules of AI4Code are not accepted(.|\n)+no competition gone that"):
        check_rules(["gone", "AI4Code"])


@pytest.mark.usefixtures("account")
def test_a_pod_of_the_doctor_s_has_room_to_name_every_competition_of_the_benchmark(kaggle: StandIn, capsys):
    everything = tuple(catalog.ids("all"))
    for competition in everything[1:]:
        kaggle.host(competition, joined=False)

    doctor.tell({"kaggle": doctor.rules.look(DoctorOrder(kaggle=("demo-wine", *everything)))})

    told = capsys.readouterr().out
    assert len(told) <= MOST_BYTES
    found = json.loads(told)["kaggle"]
    assert (found["asked"], found["refused"]) == (75, list(range(2, 76)))
    assert f"Kaggle has no competition {everything[0]} " in found["trouble"]


def test_a_pod_of_the_doctor_s_without_credentials_counts_what_it_would_need_them_for(kaggle: StandIn):
    found = doctor.rules.look(DoctorOrder(kaggle=tuple(catalog.ids("all"))))
    assert (found["source"], found["asked"], found["refused"]) == ("", 75, [])
    assert kaggle.calls == []


def test_without_credentials_nothing_is_asked_and_the_sentence_says_how_to_get_some(kaggle: StandIn, capfd):
    kaggle.host("AI4Code")

    with pytest.raises(NoCredentials, match=r"make an API token at https://www.kaggle.com/settings/api"):
        check_rules(["AI4Code"])

    assert kaggle.calls == []
    assert capfd.readouterr() == ("", "")


def test_credentials_that_kaggle_does_not_accept_are_named_by_where_they_are(kaggle: StandIn, monkeypatch):
    monkeypatch.setenv("KAGGLE_API_TOKEN", "stale")
    kaggle.host("AI4Code")

    with pytest.raises(NoCredentials, match=r"credentials in KAGGLE_API_TOKEN \(Unauthenticated\): make a new"):
        check_rules(["AI4Code"])


@pytest.mark.parametrize("place", ["token", "token file", "names", "home", "configured", "config", "login"])
def test_credentials_are_found_where_the_kaggle_command_keeps_them(
    kaggle: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
):
    home = tmp_path / "home"
    pair = json.dumps({"username": USERNAME, "key": KEY})
    files = {
        "token file": (home / ".kaggle" / "access_token", f"{TOKEN}\n"),
        "home": (home / ".kaggle" / "kaggle.json", pair),
        "configured": (tmp_path / "elsewhere" / "kaggle.json", pair),
        "config": (home / ".config" / "kaggle" / "kaggle.json", pair),
        "login": (
            home / ".kaggle" / "credentials.json",
            json.dumps(
                {"refresh_token": "r", "access_token": TOKEN, "access_token_expiration": "2999-01-01T00:00:00+00:00"}
            ),
        ),
    }
    if place == "token":
        monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    elif place == "names":
        monkeypatch.setenv("KAGGLE_USERNAME", USERNAME)
        monkeypatch.setenv("KAGGLE_KEY", KEY)
    else:
        file, content = files[place]
        file.parent.mkdir(parents=True)
        file.write_text(content)
        if place == "configured":
            monkeypatch.setenv("KAGGLE_CONFIG_DIR", str(file.parent))
    kaggle.host("AI4Code")

    check_rules(["AI4Code"])

    assert kaggle.asked == [("GetCompetition", "AI4Code")]


def test_a_kaggle_json_that_can_t_be_read_is_named(kaggle: StandIn, tmp_path: Path):
    file = tmp_path / "home" / ".kaggle" / "kaggle.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"username": "ada"}')

    with pytest.raises(NoCredentials, match=r"kaggle\.json can't be used \(KeyError: 'key'\)"):
        check_rules(["AI4Code"])
    assert kaggle.calls == []


def test_a_kaggle_that_can_t_be_reached_is_told_with_its_address(monkeypatch: pytest.MonkeyPatch, kaggle: StandIn):
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    monkeypatch.setenv("KAGGLE_API_ENVIRONMENT", "LOCALHOST")  # port 80, where nobody is

    with pytest.raises(OutOfReach, match="can't be reached at http://localhost "):
        check_rules(["AI4Code"], waits=[0.0])


@pytest.mark.usefixtures("account")
def test_no_competition_asks_nothing(kaggle: StandIn):
    check_rules([])

    assert kaggle.calls == []
