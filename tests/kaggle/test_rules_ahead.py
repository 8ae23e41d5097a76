"""The rules of competitions whose turn to be prepared is still to come."""

from __future__ import annotations

import json

import pytest

from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.layout import RULES
from orchestrator.worker import prepare
from orchestrator.worker.orders import PrepareOrder, Stores
from orchestrator.worker.rules_ahead import ask_ahead, read_refused
from tests.kaggle.standin import StandIn

LEAF, DOGS, TITANIC = "leaf-classification", "dog-breed-identification", "spaceship-titanic"


@pytest.fixture
def public(tmp_path):
    return FileStore(tmp_path / "public")


@pytest.mark.usefixtures("account")
def test_what_is_refused_is_told_with_its_page(kaggle: StandIn, public):
    kaggle.host(LEAF)
    kaggle.host(DOGS, joined=False)
    ask_ahead([LEAF, DOGS], public)
    refused = read_refused(public.read(RULES))
    assert list(refused) == [DOGS]
    assert f"https://www.kaggle.com/competitions/{DOGS}/rules" in refused[DOGS]
    assert not [call for call in kaggle.calls if call.what in ("DownloadDataFiles", "GET")]


@pytest.mark.usefixtures("account")
def test_what_is_accepted_by_now_is_no_longer_told_and_others_stay(kaggle: StandIn, public):
    public.write(RULES, json.dumps({LEAF: "Not yet.", TITANIC: "Not yet."}).encode())
    kaggle.host(LEAF)
    ask_ahead([LEAF], public)
    assert read_refused(public.read(RULES)) == {TITANIC: "Not yet."}


def test_without_an_account_nothing_is_told_and_nobody_is_kept_from_his_work(kaggle: StandIn, public):
    ask_ahead([LEAF], public)
    assert public.read(RULES) is None


def test_competitions_that_bring_their_files_have_no_rules(kaggle: StandIn, public):
    ask_ahead(["demo-wine"], public)
    assert kaggle.calls == []
    assert public.read(RULES) is None


@pytest.mark.usefixtures("account")
def test_a_preparation_asks_before_its_own_work(kaggle: StandIn, public, tmp_path):
    kaggle.host(DOGS, joined=False)
    stores = Stores(**{name: (tmp_path / name).as_uri() for name in ("public", "private", "runs")})
    scratch = tmp_path / "scratch"
    order = PrepareOrder(
        competition="demo-wine", version="v1", stores=stores, raw=scratch / "raw", scratch=scratch, ahead=(DOGS,)
    )
    prepare.main(order)
    assert list(read_refused(public.read(RULES))) == [DOGS]


def test_what_another_version_told_is_passed_over():
    assert read_refused(b'{"refused": ["leaf-classification"]}') == {}
    assert read_refused(b"{") == {}
