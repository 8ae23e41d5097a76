"""From raw files to two packed halves, with the demo competition's real preparer."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from orchestrator.core.model import Headway
from orchestrator.storage import layout
from orchestrator.storage.dataset import read_manifest
from orchestrator.storage.open import open_store
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.fetch import fetch_from_package
from orchestrator.worker.headway import HeadwayTold, read_headway
from orchestrator.worker.orders import PrepareOrder, Stores
from tests.worker.orders import carry_out, carry_out_as_process


@pytest.fixture
def order(tmp_path: Path) -> PrepareOrder:
    return PrepareOrder(
        competition="demo-wine",
        version="v1",
        stores=Stores(**{name: (tmp_path / name).as_uri() for name in ("public", "private", "runs")}),
        raw=tmp_path / "raw" / "demo-wine",
        scratch=tmp_path / "scratch",
    )


def test_both_halves_are_packed_and_the_answers_are_in_the_private_one(prepared: Stores) -> None:
    public = read_manifest(open_store(prepared.public), "datasets/v1/demo-wine")
    private = read_manifest(open_store(prepared.private), "answers/v1/demo-wine")
    assert public is not None
    assert private is not None
    assert [file.path for file in public.files()] == ["sample_submission.csv", "test.csv", "train.csv"]
    assert [file.path for file in private.files()] == ["answers.csv"]


def test_what_is_prepared_is_not_prepared_again(prepared: Stores, order: PrepareOrder, tmp_path: Path) -> None:
    done = carry_out("prepare", order.model_copy(update={"stores": prepared}), tmp_path / "orders")
    assert done.code == 0
    assert not order.raw.exists()


def test_raw_files_that_are_there_are_used_as_they_are(order: PrepareOrder, tmp_path: Path) -> None:
    order.raw.mkdir(parents=True)
    (order.raw / "wines.csv").write_text("nothing,of\nthe,kind\n")
    done = carry_out("prepare", order, tmp_path / "orders")
    assert done.code == 1
    assert done.failure["reason"] == "DatasetUnavailable"
    assert list(open_store(order.stores.public).keys("")) == []


def test_a_half_that_is_missing_is_made_again(order: PrepareOrder, tmp_path: Path) -> None:
    assert carry_out("prepare", order, tmp_path / "orders").code == 0
    public = open_store(order.stores.public)
    first = public.read("datasets/v1/demo-wine/manifest.json")
    public.delete("datasets/v1/demo-wine/manifest.json")
    assert carry_out("prepare", order, tmp_path / "orders").code == 0
    assert public.read("datasets/v1/demo-wine/manifest.json") == first


def test_an_archive_is_kept_until_its_competition_is_prepared_and_no_longer(
    order: PrepareOrder, tmp_path: Path
) -> None:
    private = open_store(order.stores.private)
    part = f"{layout.archive_prefix('demo-wine')}/which/{layout.archive_part(0)}"
    private.write(part, b"what an earlier try had downloaded")
    order = order.model_copy(update={"keep_archive": True})
    order.raw.mkdir(parents=True)
    (order.raw / "wines.csv").write_text("nothing,of\nthe,kind\n")
    assert carry_out("prepare", order, tmp_path / "orders").code == 1
    assert private.stat(part) is not None
    shutil.rmtree(order.raw)
    assert carry_out("prepare", order, tmp_path / "orders").code == 0
    assert list(private.keys(layout.archive_prefix("demo-wine"))) == []


def test_how_far_it_is_is_told_at_each_step_and_now_and_then(tmp_path: Path) -> None:
    store, now = open_store(tmp_path.as_uri()), [0.0]
    told = HeadwayTold(store, "v1", "demo-wine", clock=lambda: now[0])

    def read() -> Headway | None:
        return read_headway(store.read(layout.headway("v1", "demo-wine")))

    told("download", 1, 10)
    assert read() == Headway("download", 1, 10)
    told("download", 2, 10)
    assert read() == Headway("download", 1, 10), "a moment later nobody is told again"
    now[0] += 15
    told("download", 3, 10)
    assert read() == Headway("download", 3, 10)
    told("prepare")
    assert read() == Headway("prepare")
    told.over()
    assert read() is None


def test_a_store_that_does_not_take_how_far_it_is_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = HeadwayTold(open_store((tmp_path / "file" / "public").as_uri()), "v1", "demo-wine")
    told("download", 1, 10)
    told.over()


def test_an_unknown_competition_is_told_with_the_nearest(order: PrepareOrder, tmp_path: Path) -> None:
    done = carry_out("prepare", order.model_copy(update={"competition": "demo-vine"}), tmp_path / "orders")
    assert done.code == 1
    assert "demo-wine" in done.failure["message"]
    assert done.failure["message"] in done.stderr


def test_a_store_out_of_reach_is_worth_another_try(order: PrepareOrder, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    stores = order.stores.model_copy(update={"public": (tmp_path / "file" / "public").as_uri()})
    order.raw.mkdir(parents=True)
    done = carry_out("prepare", order.model_copy(update={"stores": stores}), tmp_path / "orders")
    assert done.code == 3
    assert (done.failure["reason"], done.failure["try_again"]) == ("StoreUnavailable", True)


def test_an_order_that_is_not_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "prepare.json").write_text('{"competition": "demo-wine", "colour": "red"}')
    done = carry_out_as_process("prepare", tmp_path / "prepare.json")
    assert done.code == 1
    assert done.failure["reason"] == "DatasetUnavailable"
    assert "colour" in done.failure["message"]
    assert "colour" in done.stderr


def test_two_that_fetch_at_once_wait_for_each_other(tmp_path: Path) -> None:
    calls: list[Path] = []

    def write_raw(folder: Path) -> None:
        calls.append(folder)
        (folder / "file").write_text("raw")

    raw = tmp_path / "raw" / "one"
    threads = [threading.Thread(target=fetch_from_package, args=("one", write_raw, raw)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert sorted(path.name for path in raw.parent.iterdir()) == [".one.lock", "one"]


def test_a_package_that_fails_half_way_leaves_no_raw_files(tmp_path: Path) -> None:
    def write_half(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("no space left")

    raw = tmp_path / "raw" / "one"
    with pytest.raises(WorkerFailure, match="no space left"):
        fetch_from_package("one", write_half, raw)
    assert not raw.exists()
