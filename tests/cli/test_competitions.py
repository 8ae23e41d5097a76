import json

import yaml

from catalog import load
from orchestrator.cli.screens.competitions import show_list, show_one
from orchestrator.storage.open import open_store


def prepare(home, *ids, halves=("public", "private")):
    """What a prepared competition leaves last: its manifests."""
    prefixes = {"public": "datasets", "private": "answers"}
    for half in halves:
        store = open_store(getattr(home.stores, half))
        for name in ids:
            store.write(f"{prefixes[half]}/v1/{name}/manifest.json", b"{}")
            store.write(f"{prefixes[half]}/v1/{name}/shards/00000.tar", b"")


def test_the_list_says_what_is_prepared(home, mlectl):
    prepare(home, "spooky-author-identification")
    prepare(home, "leaf-classification", halves=("public",))
    rows = {row["id"]: row["prepared"] for row in json.loads(mlectl("competitions", "-o", "json").out)}
    assert rows["spooky-author-identification"]
    assert not rows["leaf-classification"]
    assert not rows["AI4Code"]


def test_a_split_is_its_competitions(mlectl):
    rows = yaml.safe_load(mlectl("competitions", "--split", "lite", "-o", "yaml").out)
    assert len(rows) == 22
    assert {row["complexity"] for row in rows} == {"low"}


def test_another_version_of_the_benchmark_is_prepared_by_itself(home, mlectl):
    prepare(home, "AI4Code")
    answer = mlectl("competitions", "AI4Code", "--benchmark", "v2", "-o", "json")
    assert json.loads(answer.out)["prepared"] is False


def test_an_unknown_competition_gets_its_nearest_names(mlectl):
    answer = mlectl("competitions", "spaceship-titanc")
    assert answer.code == 2
    assert answer.err.startswith("mlectl: No competition is called 'spaceship-titanc': did you mean spaceship-titanic?")


def test_the_list_as_people_see_it(expect_screen):
    some = [load(name) for name in ("AI4Code", "leaf-classification", "siim-isic-melanoma-classification")]
    expect_screen("competitions", show_list(some, {"AI4Code"}))


def test_one_competition_as_people_see_it(expect_screen):
    expect_screen("competition", show_one(load("spaceship-titanic"), is_prepared=False))
