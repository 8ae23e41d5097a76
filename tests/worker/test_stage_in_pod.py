"""Staging as in a pod: the URLs come from a real desk, the dataset from a real S3 server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.storage.dataset import read_manifest
from orchestrator.worker.dataset_urls import BLOCK, DatasetUrls, names_beside
from orchestrator.worker.desk_client import DeskClient, Urls, pod_nonce
from orchestrator.worker.orders import Desk, StageOrder
from orchestrator.worker.tokens import Ticket
from tests.worker.orders import carry_out
from tests.worker.pod import Buckets, keys_of, new_ticket
from tests.worker.service import Service, token
from tests.worker.test_stage import write_tar


def order_for(ticket: Ticket, desk: Service, root: Path) -> StageOrder:
    home = root / "home"
    (root / "private").mkdir(parents=True)
    return StageOrder(
        competition=ticket.competition,
        version=ticket.version,
        desk=Desk(url=desk.address, token=token(ticket)),
        private=root / "private",
        data=home / "data",
        control=root / "control",
        instructions=root / "task" / "instructions.txt",
        submission=home / "submission",
        code=home / "code",
        logs=home / "logs",
    )


def test_the_dataset_is_staged_with_urls_from_the_desk(desk: Service, buckets: Buckets, tmp_path: Path) -> None:
    order = order_for(new_ticket(), desk, tmp_path)
    done = carry_out("stage", order, tmp_path / "orders")
    assert done.code == 0, done.stderr
    assert {path.name for path in order.data.iterdir()} >= {"description.md", "sample_submission.csv", "train.csv"}
    manifest = read_manifest(buckets.store("public"), "datasets/v1/demo-wine")
    assert manifest is not None
    staged = json.loads((tmp_path / "private" / "staged.json").read_text())
    assert staged["dataset_digest"] == manifest.digest
    assert [path.name for path in order.control.iterdir()] == ["launch.sh"], "an agent could change what lies here"


def test_the_same_pod_stages_once_and_another_one_is_refused_later(desk: Service, tmp_path: Path) -> None:
    ticket = new_ticket()
    order = order_for(ticket, desk, tmp_path / "first")
    assert carry_out("stage", order, tmp_path / "orders").code == 0
    courier = {"role": "courier", "pod": pod_nonce(order.private)}
    assert desk.urls(courier, ticket).status == 200
    (order.code / "work.py").write_text("work")
    assert carry_out("stage", order, tmp_path / "orders").code == 0
    assert (order.code / "work.py").exists()
    other = carry_out("stage", order_for(ticket, desk, tmp_path / "second"), tmp_path / "orders")
    assert (other.code, other.failure["try_again"]) == (1, False)
    assert "begun in another pod" in other.failure["message"]


def test_an_agent_that_resumes_gets_back_what_the_desk_finds(desk: Service, buckets: Buckets, tmp_path: Path) -> None:
    first = new_ticket()
    write_tar(tmp_path / "code.tar", {"main.py": b"code"})
    buckets.store("runs").upload(keys_of(first).code, tmp_path / "code.tar")
    buckets.store("runs").write(keys_of(first).submission, b"id\n1\n")
    order = order_for(replace(first, attempt=2), desk, tmp_path / "pod").model_copy(update={"resume_from": 1})
    done = carry_out("stage", order, tmp_path / "orders")
    assert done.code == 0, done.stderr
    assert (order.code / "main.py").read_bytes() == b"code"
    assert (order.submission / "submission.csv").read_bytes() == b"id\n1\n"


def test_a_desk_that_refuses_is_quoted(desk: Service, tmp_path: Path) -> None:
    order = order_for(new_ticket(), desk, tmp_path)
    forged = order.model_copy(update={"desk": Desk(url=desk.address, token="mlv1.e30.AAAA")})
    done = carry_out("stage", forged, tmp_path / "orders")
    assert (done.code, done.failure["reason"]) == (1, "Staging")
    assert "run token" in done.failure["message"]


def test_a_desk_out_of_reach_is_waited_for_and_then_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.worker.stage.DESK_SECONDS", 0.6)
    order = StageOrder(
        **{
            **dict.fromkeys(("data", "control", "submission", "code", "logs", "private"), tmp_path),
            "competition": "demo-wine",
            "version": "v1",
            "instructions": tmp_path / "task" / "instructions.txt",
            "desk": Desk(url=f"unix:{tmp_path / 'nobody'}", token="token"),
        }
    )
    done = carry_out("stage", order, tmp_path / "orders")
    assert (done.code, done.failure["reason"], done.failure["try_again"]) == (3, "StoreUnavailable", True)
    assert "validation service" in done.failure["message"]


class CountingDesk(DeskClient):
    """Hands out URLs of a dataset of any size, and counts how often it is asked."""

    def __init__(self, lasts_seconds: float) -> None:
        self.lasts_seconds = lasts_seconds
        self.asked: list[list[str]] = []

    def urls(self, *, dataset=(), restore=None, uploads=()) -> Urls:  # type: ignore[no-untyped-def]
        self.asked.append(list(dataset))
        return Urls(self.lasts_seconds, {name: f"{len(self.asked)}/{name}" for name in dataset}, {}, {})


def test_shards_are_asked_for_in_blocks() -> None:
    desk = CountingDesk(lasts_seconds=3600)
    urls = DatasetUrls(desk, "large", 1)
    for number in range(3 * BLOCK):
        assert urls.url(f"shards/{number:05d}.tar").endswith(f"shards/{number:05d}.tar")
    assert [len(names) for names in desk.asked] == [BLOCK] * 3


def test_urls_that_are_getting_old_are_asked_for_again() -> None:
    desk = CountingDesk(lasts_seconds=0)
    urls = DatasetUrls(desk, "large", 1)
    assert urls.url("manifest.json") == "1/manifest.json"
    assert urls.url("manifest.json") == "2/manifest.json"


def test_all_names_of_a_block_are_names_the_desk_signs(desk: Service) -> None:
    wanted = {"role": "stage", "pod": "0" * 32, "dataset": names_beside("shards/99999.tar")}
    assert "shards/100000.tar" in names_beside("shards/100000.tar")
    assert desk.urls(wanted, new_ticket()).status == 200
