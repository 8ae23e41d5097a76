"""`preparers.prepare`: results appear whole or not at all, in folders that were empty, and raw stays as it is."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import catalog
import preparers
from preparers.toolkit import Dataset

Prepare = Callable[[Dataset], None]


@dataclasses.dataclass(frozen=True)
class Place:
    """Folders to prepare in."""

    raw: Path
    public: Path
    private: Path

    def prepare(self, version: str = "v1") -> None:
        preparers.prepare("demo-wine", self.raw, self.public, self.private, version)

    def left(self) -> list[str]:
        return sorted(path.name for path in self.public.parent.iterdir() if path != self.raw)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "picture.png").write_bytes(b"picture")
    return Place(tmp_path / "raw", tmp_path / "public", tmp_path / "private")


@pytest.fixture
def prepared_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Prepare], None]:
    """Let a function be the preparer of demo-wine."""

    def use(prepare: Prepare) -> None:
        module = ModuleType("a_preparer")
        module.prepare = prepare  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "a_preparer", module)
        competition = dataclasses.replace(catalog.load("demo-wine"), preparer="a_preparer:prepare")
        monkeypatch.setattr(catalog, "load", lambda _: competition)

    return use


def whole(data: Dataset) -> None:
    data.public.text("sample_submission.csv", "id,x\n")
    data.public.copy("picture.png")
    data.private.text("answers.csv", f"{data.version}\n")


def test_both_folders_are_made_and_nothing_else_is_left(place: Place, prepared_by: Callable[[Prepare], None]) -> None:
    prepared_by(whole)

    place.prepare("v2")

    assert sorted(path.name for path in place.public.iterdir()) == ["picture.png", "sample_submission.csv"]
    assert (place.private / "answers.csv").read_text() == "v2\n"
    assert place.left() == ["private", "public"]
    assert [path.name for path in place.raw.iterdir()] == ["picture.png"]


def test_folders_that_are_there_and_empty_are_filled(place: Place, prepared_by: Callable[[Prepare], None]) -> None:
    prepared_by(whole)
    place.public.mkdir()
    place.private.mkdir()

    place.prepare()

    assert (place.public / "picture.png").read_bytes() == b"picture"


@pytest.mark.parametrize("full", ["public", "private"])
def test_a_folder_with_something_in_it_is_refused(
    full: str, place: Place, prepared_by: Callable[[Prepare], None]
) -> None:
    prepared_by(whole)
    (place.public.parent / full).mkdir()
    (place.public.parent / full / "old.csv").touch()

    with pytest.raises(preparers.PreparationError, match=f"{full} is not empty: remove what is there"):
        place.prepare()

    assert place.left() == [full]


def test_a_failed_preparation_leaves_nothing(place: Place, prepared_by: Callable[[Prepare], None]) -> None:
    def fail(data: Dataset) -> None:
        whole(data)
        raise KeyError("breed")

    prepared_by(fail)

    with pytest.raises(KeyError) as failed:
        place.prepare()

    assert place.left() == []
    assert failed.value.__notes__ == [f"while preparing demo-wine v1 from {place.raw}"]


def test_what_a_killed_preparation_left_is_removed_by_the_next(place: Place) -> None:
    die = (
        "import os, sys, catalog, preparers, types, dataclasses\n"
        "def prepare(data):\n"
        "    data.public.text('half.csv', 'x')\n"
        "    os._exit(9)\n"
        "sys.modules['dies'] = types.SimpleNamespace(prepare=prepare, __spec__=None)\n"
        "wine = dataclasses.replace(catalog.load('demo-wine'), preparer='dies:prepare')\n"
        "catalog.load = lambda _: wine\n"
        "from pathlib import Path\n"
        "preparers.prepare('demo-wine', *map(Path, sys.argv[1:]))\n"
    )
    killed = subprocess.run([sys.executable, "-c", die, place.raw, place.public, place.private], check=False)
    assert killed.returncode == 9
    assert place.left() == [".private.preparing", ".public.preparing"]

    from mlectl_demo import wine

    wine.fetch(place.raw)
    place.prepare()

    assert place.left() == ["private", "public"]
    assert not list(place.public.parent.rglob("half.csv"))


def test_two_preparations_of_one_folder_do_not_mix(place: Place, prepared_by: Callable[[Prepare], None]) -> None:
    def prepare_again(data: Dataset) -> None:
        with pytest.raises(preparers.PreparationError, match=r"Another process is preparing .*public"):
            place.prepare()
        whole(data)

    prepared_by(prepare_again)
    place.prepare()

    assert (place.public / "picture.png").exists()


@pytest.mark.parametrize(
    ("public", "private", "want"),
    [
        ("raw/public", "private", "lies in the raw folder"),
        ("same", "same", "the answers must not be where the agent looks"),
        ("public", "public/private", "the answers must not be where the agent looks"),
    ],
)
def test_folders_that_would_mix_are_refused(public: str, private: str, want: str, place: Place) -> None:
    top = place.raw.parent
    with pytest.raises(preparers.PreparationError, match=want):
        preparers.prepare("demo-wine", place.raw, top / public, top / private)


def test_a_raw_folder_that_is_not_there_is_told(place: Place) -> None:
    with pytest.raises(preparers.PreparationError, match="missing is not a folder"):
        preparers.prepare("demo-wine", place.raw / "missing", place.public, place.private)


def test_a_preparer_that_forgets_the_answers_is_a_failure(place: Place, prepared_by: Callable[[Prepare], None]) -> None:
    prepared_by(lambda data: data.public.text("sample_submission.csv", "id\n"))

    with pytest.raises(preparers.PreparationError, match=r"did not write answers.csv"):
        place.prepare()

    assert place.left() == []


def test_a_competition_without_a_preparer_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    competition = dataclasses.replace(catalog.load("demo-wine"), preparer="no_such_module:prepare")
    monkeypatch.setattr(catalog, "load", lambda _: competition)

    with pytest.raises(preparers.PreparationError, match="demo-wine has no preparer: no_such_module:prepare"):
        place.prepare()


def test_an_unknown_version_is_refused(place: Place) -> None:
    with pytest.raises(ValueError, match="There is no version 'v3' of the benchmark: write v1 or v2"):
        place.prepare("v3")

    assert place.left() == []


def test_importing_preparers_is_quick() -> None:
    code = "import sys, preparers; print({'pandas', 'numpy'} & set(sys.modules) or 'none')"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)

    assert listed.stdout.strip() == "none"
