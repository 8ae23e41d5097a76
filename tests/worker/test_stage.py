"""An agent's folders, laid out by a real stage worker from URLs."""

from __future__ import annotations

import json
import os
import tarfile
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from orchestrator.storage.dataset import read_manifest
from orchestrator.storage.open import open_store
from orchestrator.worker.orders import StageOrder, Stores
from tests.worker.orders import carry_out

DATASET = "datasets/v1/demo-wine"


@pytest.fixture
def order(prepared: Stores, tmp_path: Path) -> StageOrder:
    public = Path(urlsplit(prepared.public).path) / DATASET
    manifest = read_manifest(open_store(prepared.public), DATASET)
    assert manifest is not None
    home = tmp_path / "home"
    return StageOrder(
        competition="demo-wine",
        version="v1",
        manifest=(public / "manifest.json").as_uri(),
        shards={shard.name: (public / shard.name).as_uri() for shard in manifest.shards},
        data=home / "data",
        control=tmp_path / "control",
        instructions=home / "instructions.txt",
        submission=home / "submission",
        code=home / "code",
        logs=home / "logs",
    )


def test_data_description_and_launcher_are_in_place(order: StageOrder, tmp_path: Path) -> None:
    done = carry_out("stage", order, tmp_path / "orders")
    assert done.code == 0, done.stderr
    found = {path.name for path in order.data.iterdir()}
    assert found == {"description.md", "sample_submission.csv", "test.csv", "train.csv"}
    assert "Wine" in (order.data / "description.md").read_text()
    staged = json.loads((order.control / "staged.json").read_text())
    files = (order.data / name for name in ("sample_submission.csv", "test.csv", "train.csv"))
    assert staged["staged_bytes"] == sum(path.stat().st_size for path in files)
    assert os.access(order.control / "launch.sh", os.X_OK)
    assert all(folder.is_dir() for folder in (order.submission, order.code, order.logs))


def test_the_task_text_says_what_an_agent_must_know(order: StageOrder, tmp_path: Path) -> None:
    told = {"time_limit_seconds": 5400.0, "hardware": "36 CPUs, one A10", "validation_url": "http://localhost:7000"}
    carry_out("stage", order.model_copy(update=told), tmp_path / "orders")
    text = order.instructions.read_text()
    for fact in (
        "demo-wine",
        "/home/data/description.md",
        "/home/submission/submission.csv",
        "1 hour 30 minutes (5400 seconds)",
        "36 CPUs, one A10",
        "http://localhost:7000/validate",
        "TIME_LIMIT_SECS",
    ):
        assert fact in text
    assert "$" not in text


def test_the_task_text_names_the_folders_as_the_agent_sees_them(order: StageOrder, tmp_path: Path) -> None:
    carry_out("stage", order.model_copy(update={"home": "/somewhere/else"}), tmp_path / "orders")
    text = order.instructions.read_text()
    assert "/somewhere/else/submission/submission.csv" in text
    assert "/home/" not in text


def test_a_broken_shard_stops_the_staging(order: StageOrder, tmp_path: Path) -> None:
    name, url = next(iter(order.shards.items()))
    broken = bytearray(Path(urlsplit(url).path).read_bytes())
    broken[700] ^= 1
    (tmp_path / "shard.tar").write_bytes(broken)
    shards = {**order.shards, name: (tmp_path / "shard.tar").as_uri()}
    done = carry_out("stage", order.model_copy(update={"shards": shards}), tmp_path / "orders")
    assert done.code == 1
    assert done.failure["reason"] == "Staging"
    assert name in done.failure["message"]
    assert not (order.control / "staged.json").exists()


def test_staging_twice_changes_nothing(order: StageOrder, tmp_path: Path) -> None:
    carry_out("stage", order, tmp_path / "orders")
    (order.code / "work.py").write_text("work")
    assert carry_out("stage", order, tmp_path / "orders").code == 0
    assert (order.code / "work.py").read_text() == "work"


def test_an_agent_that_resumes_gets_its_folders_back(order: StageOrder, tmp_path: Path) -> None:
    tar = tmp_path / "code.tar"
    write_tar(tar, {"src/main.py": b"code"}, mode=0o755)
    write_tar(tmp_path / "logs.tar", {"agent.log": b"log"})
    (tmp_path / "submission.csv").write_text("id\n1\n")
    restore = {name: (tmp_path / name).as_uri() for name in ("code.tar", "logs.tar", "submission.csv")}
    resumed = order.model_copy(update={"restore": restore})
    order.code.mkdir(parents=True)
    (order.code / "half").write_text("of a staging that was killed")
    done = carry_out("stage", resumed, tmp_path / "orders")
    assert done.code == 0, done.stderr
    assert [path.name for path in order.code.iterdir()] == ["src"]
    assert (order.code / "src" / "main.py").read_bytes() == b"code"
    assert os.access(order.code / "src" / "main.py", os.X_OK)
    assert (order.logs / "agent.log").read_bytes() == b"log"
    assert (order.submission / "submission.csv").read_text() == "id\n1\n"


def test_a_saved_folder_that_can_not_be_read_is_told(order: StageOrder, tmp_path: Path) -> None:
    (tmp_path / "code.tar").write_bytes(b"not a tar" * 100)
    resumed = order.model_copy(update={"restore": {"code.tar": (tmp_path / "code.tar").as_uri()}})
    done = carry_out("stage", resumed, tmp_path / "orders")
    assert done.code == 1
    assert "code.tar" in done.failure["message"]


def write_tar(path: Path, files: dict[str, bytes], mode: int = 0o644) -> None:
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), mode
            tar.addfile(info, BytesIO(content))
