"""Run one competition's preparation in a staging folder and put the result in place when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from pkgutil import resolve_name
from typing import get_args

import catalog
from catalog import Competition
from preparers.errors import PreparationError
from preparers.staging import Staging
from preparers.toolkit.dataset import Dataset, Version
from preparers.toolkit.source import Source
from preparers.toolkit.target import Target


def prepare(competition_id: str, raw: Path, public: Path, private: Path, version: str) -> None:
    """See `preparers.prepare`."""
    competition = catalog.load(competition_id)
    _check_folders(raw, public, private)
    run = _preparer(competition)
    with ExitStack() as stack:
        for_public = stack.enter_context(Staging(public))
        for_private = stack.enter_context(Staging(private))
        files = Source(raw, scratch=for_public.scratch)
        data = Dataset(
            competition=competition,
            version=_known(version),
            raw=files,
            public=Target(for_public.result, files),
            private=Target(for_private.result, files),
            scratch=Target(for_public.scratch, files),
        )
        try:
            run(data)
        except Exception as error:
            error.add_note(f"while preparing {competition_id} {version} from {raw}")
            raise
        _check_result(data)
        for_private.commit()
        for_public.commit()


def _known(version: str) -> Version:
    if version == "v1":
        return "v1"
    if version == "v2":
        return "v2"
    raise ValueError(f"There is no version {version!r} of the benchmark: write {' or '.join(get_args(Version))}.")


def _preparer(competition: Competition) -> Callable[[Dataset], None]:
    try:
        run: Callable[[Dataset], None] = resolve_name(competition.preparer)
    except (ImportError, AttributeError) as error:
        raise PreparationError(
            f"{competition.id} has no preparer: {competition.preparer} can't be imported ({error})."
        ) from error
    return run


def _check_folders(raw: Path, public: Path, private: Path) -> None:
    if not raw.is_dir():
        raise PreparationError(f"{raw} is not a folder: name the folder that holds the competition's raw files.")
    for folder, other in ((public, private), (private, public)):
        if folder.resolve().is_relative_to(other.resolve()):
            raise PreparationError(f"{folder} lies in {other}: the answers must not be where the agent looks.")
        if folder.resolve().is_relative_to(raw.resolve()):
            raise PreparationError(f"{folder} lies in the raw folder {raw}: raw files stay as they are, go elsewhere.")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise PreparationError(f"{folder} is not empty: remove what is there, or name another folder.")


def _check_result(data: Dataset) -> None:
    competition = data.competition
    sample_in = data.private if competition.sample_is_private else data.public
    for folder, name in ((data.private, competition.answers), (sample_in, competition.sample_submission)):
        if not (folder.folder / name).is_file():
            raise PreparationError(f"The preparer of {competition.id} did not write {name}, which its facts promise.")
