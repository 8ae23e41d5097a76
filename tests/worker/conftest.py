"""Launchers, couriers and services as real processes, each in folders of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.storage.open import open_store
from orchestrator.worker.orders import PrepareOrder, Stores, ValidationOrder
from tests.s3server import GRADER, S3Server
from tests.worker.attempt import Attempt
from tests.worker.launched import Launched, shells
from tests.worker.orders import carry_out
from tests.worker.pod import Buckets, PodAttempt
from tests.worker.service import SECRET, Service, start_service

COMPETITION = "demo-wine"


@pytest.fixture(params=shells())
def launched(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Launched]:
    """A launcher under each shell of this machine."""
    one = Launched(tmp_path / "launched", request.param)
    yield one
    one.close()


@pytest.fixture
def launched_once(tmp_path: Path) -> Iterator[Launched]:
    """A launcher under one shell, for what does not depend on which."""
    one = Launched(tmp_path / "launched", shells()[0])
    yield one
    one.close()


@pytest.fixture
def launch_with(tmp_path: Path) -> Iterator[Callable[..., Launched]]:
    """Makes launchers under bash, started in some particular way."""
    made: list[Launched] = []

    def make(*prefix: str) -> Launched:
        made.append(Launched(tmp_path / f"launched-{len(made)}", prefix=prefix))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def attempt(tmp_path: Path) -> Iterator[Attempt]:
    """An attempt with an hour of snapshots and a minute of budget, unless the test says otherwise."""
    one = Attempt(tmp_path / "attempt")
    yield one
    one.close()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """Stores in folders that hold one prepared competition: read them, copy them, do not write to them."""
    root = tmp_path_factory.mktemp("prepared")
    stores = Stores(**{name: (root / name).as_uri() for name in ("public", "private", "runs")})
    order = PrepareOrder(
        competition=COMPETITION, version="v1", stores=stores, raw=root / "raw" / COMPETITION, scratch=root / "scratch"
    )
    done = carry_out("prepare", order, root / "orders")
    assert done.code == 0, done.stderr
    return stores


@pytest.fixture(scope="session")
def buckets(prepared: Stores) -> Iterator[Buckets]:
    """A real S3 server with one prepared competition; in its bucket runs each test has a run of its own."""
    with S3Server.start() as server:
        made = Buckets(server)
        for name, url in (("public", prepared.public), ("private", prepared.private), ("runs", prepared.runs)):
            server.make_bucket(name)
            source, target = open_store(url), made.store(name)
            for key in source.keys(""):
                target.write(key, source.read(key) or b"")
        yield made


@pytest.fixture(scope="session")
def start_desk(buckets: Buckets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Service]]:
    """Starts validation services on those buckets, with the grader's rights; each keyword is a field of their order."""
    started: list[Service] = []

    def start(**changes: object) -> Service:
        folder = tmp_path_factory.mktemp("d")
        ordinary = {
            "stores": buckets.stores,
            "listen": f"unix:{folder / 'socket'}",
            "secret": SECRET,
            "scratch": folder / "scratch",
            "at_once": 1,
            "memory_bytes": 1 << 30,
        }
        started.append(
            start_service(ValidationOrder.model_validate({**ordinary, **changes}), folder, **GRADER.environment)
        )
        return started[-1]

    yield start
    for service in started:
        service.stop()


@pytest.fixture(scope="session")
def desk(start_desk: Callable[..., Service]) -> Service:
    """A validation service with URLs that outlive every test."""
    return start_desk()


@pytest.fixture
def pod(tmp_path: Path, buckets: Buckets, desk: Service) -> Iterator[PodAttempt]:
    """An attempt as in a pod, of a run that no other test has."""
    one = PodAttempt(tmp_path / "pod", buckets, desk)
    yield one
    one.close()
