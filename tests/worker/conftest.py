"""Launchers, couriers and services as real processes, each in folders of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.worker.orders import PrepareOrder, Stores
from tests.worker.attempt import Attempt
from tests.worker.launched import Launched, shells
from tests.worker.orders import carry_out

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
