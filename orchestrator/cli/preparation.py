"""What `mlectl prepare` does: rules of all competitions first, then each from its raw files into the stores."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from catalog import Competition
from orchestrator.cli.exits import FAILED, code_of
from orchestrator.cluster.local.home import Home
from orchestrator.controller.stores import OpenStores
from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.layout import MANIFEST, answers_prefix, dataset_prefix
from orchestrator.storage.manifest import STATE
from orchestrator.worker import kaggle
from orchestrator.worker import prepare as worker
from orchestrator.worker.orders import PrepareOrder

Became = Literal["prepared", "was prepared", "failed"]
Told = Callable[[str, str, int | None, int | None], None]
"""Told the competition, the step, and, where a step knows them, the bytes so far and in all."""


@dataclass(frozen=True)
class Outcome:
    """What became of one competition."""

    competition: str
    became: Became
    message: str = ""
    code: int = 0


@dataclass(frozen=True)
class Preparation:
    """The work that was asked for."""

    home: Home
    version: str
    raw: Mapping[str, Path]
    unpacked: Path | None = None
    """Where plain folders are left as well, `<id>/public` and `<id>/private`."""
    force: bool = False

    def check_rules(self, competitions: Sequence[Competition]) -> None:
        """Ask Kaggle about every competition whose files have to come from there; nothing is fetched."""
        stores = OpenStores.of(self.home.stores)
        kaggle.check_rules(
            one.id
            for one in competitions
            if one.fetch is None
            and not kaggle.is_fetched(self.raw[one.id])
            and not (self._is_prepared(one.id, stores) and not self.force)
        )

    def prepare_all(self, competitions: Sequence[Competition], tell: Told) -> list[Outcome]:
        """Prepare one after the other; what fails stops no other."""
        return [self._prepare(one, tell) for one in competitions]

    def _prepare(self, one: Competition, tell: Told) -> Outcome:
        try:
            became = self._into_stores(one, tell)
            if self.unpacked is not None:
                tell(one.id, "unpacking", None, None)
                self._unpack(one.id, self.unpacked / one.id)
            return Outcome(one.id, became)
        except Exception as error:
            code = code_of(error)
            if code is None:
                raise
            return Outcome(one.id, "failed", str(error), code)

    def _into_stores(self, one: Competition, tell: Told) -> Became:
        stores = OpenStores.of(self.home.stores)
        if self._is_prepared(one.id, stores):
            if not self.force:
                return "was prepared"
            stores.public.delete(f"{dataset_prefix(self.version, one.id)}/{MANIFEST}")
            stores.private.delete(f"{answers_prefix(self.version, one.id)}/{MANIFEST}")
        raw = self.raw[one.id]
        if one.fetch is None and not kaggle.is_fetched(raw):
            kaggle.download(one.id, raw, progress=lambda step, done, total: tell(one.id, step, done, total))
        tell(one.id, "preparing", None, None)
        worker.main(self._order(one.id))
        return "prepared"

    def _order(self, competition: str) -> PrepareOrder:
        return PrepareOrder(
            competition=competition,
            version=self.version,
            stores=self.home.stores,
            raw=self.raw[competition],
            scratch=self.home.scratch / "prepare",
        )

    def _is_prepared(self, competition: str, stores: OpenStores) -> bool:
        return worker.is_prepared(self._order(competition), stores.public, stores.private)

    def _unpack(self, competition: str, target: Path) -> None:
        """Both halves as plain folders that one can read and remove; what is there already stays."""
        stores = OpenStores.of(self.home.stores)
        halves = {
            "public": DatasetSource.from_store(stores.public, dataset_prefix(self.version, competition)),
            "private": DatasetSource.from_store(stores.private, answers_prefix(self.version, competition)),
        }
        for name, source in halves.items():
            folder = target / name
            if folder.exists() and not (folder / STATE).exists():
                continue
            stage(source, folder)
            make_plain(folder)


def make_plain(folder: Path) -> None:
    """Give a staged folder ordinary rights and take staging's notes away, last of all."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.rmtree(folder / STATE)


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Of all outcomes: what failed by itself counts for more than what was out of reach."""
    codes = {outcome.code for outcome in outcomes}
    return FAILED if FAILED in codes else max(codes, default=0)
