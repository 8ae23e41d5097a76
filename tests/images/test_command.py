"""`python -m images`: what each option changes, and how it ends when something is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from images import __main__ as command
from images import bases, engines, facts, recipes
from images.engines import Build
from images.errors import ImagesError
from images.facts import Facts
from tests.images import made_up

TAGGED, PINNED = "registry.example/python:3.11", f"registry.example/python:3.11@sha256:{'ab' * 32}"


class Fake:
    """An engine that builds nothing; what it saves has these files."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files, self.built, self.saved = files or {}, list[Build](), list[Path]()

    def digest_of(self, reference: str) -> str:
        raise NotImplementedError

    def build(self, build: Build) -> None:
        self.built.append(build)

    def save(self, name: str, archive: Path) -> None:
        self.saved.append(archive)
        made_up.write(archive, self.files)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Fake:
    """This machine's, beside a checkout where all is committed."""
    fake = Fake()
    monkeypatch.setattr(engines, "find", lambda: fake)
    monkeypatch.setattr(facts, "read", lambda: Facts("1.2", "abc", changed=False, created=0))
    monkeypatch.setattr(bases, "pin", lambda name, engine: TAGGED)
    monkeypatch.setattr(bases, "pinned", lambda name: PINNED)
    return fake


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "Dockerfile").write_text("FROM mlebench-env\n")
    return folder


def run(tmp_path: Path, *argv: str) -> None:
    command.main(["--output", str(tmp_path / "out"), *argv])


def names(engine: Fake) -> list[str]:
    return [name for build in engine.built for name in build.names]


def test_all_of_them_are_built_and_laid_down_with_their_bills(
    tmp_path: Path, engine: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path)

    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        name for image in recipes.bundled() for name in (f"{image}.tar", f"{image}.cdx.json")
    }
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"localhost/mlectl/{image}:1.2" for image in recipes.bundled()
    ]
    assert not any(build.fresh for build in engine.built)
    assert engine.built[0].arguments["BASE"] == TAGGED


def test_one_image_can_be_asked_for(tmp_path: Path, engine: Fake) -> None:
    run(tmp_path, "orchestrator")
    assert names(engine) == ["localhost/mlectl/orchestrator:1.2"]


def test_the_registry_begins_every_name_that_is_pushed(tmp_path: Path, engine: Fake) -> None:
    run(tmp_path, "--registry", "registry.example/team")
    assert {f"registry.example/team/{image}:1.2" for image in recipes.bundled()} <= set(names(engine))
    assert not any(name.startswith("localhost/mlectl") for name in names(engine))


@pytest.mark.parametrize(("argv", "want"), [([], "true"), (["--light"], "false")])
def test_a_light_base_has_no_heavy_half(tmp_path: Path, engine: Fake, argv: list[str], want: str) -> None:
    run(tmp_path, "agent-base", *argv)
    assert engine.built[0].arguments["INSTALL_HEAVY_DEPENDENCIES"] == want


def test_a_release_is_built_from_nothing_on_the_committed_digest(tmp_path: Path, engine: Fake) -> None:
    run(tmp_path, "--release")
    assert all(build.fresh for build in engine.built)
    assert {build.arguments["BASE"] for build in engine.built[:2]} == {PINNED}


def test_an_agents_folder_is_built_and_finished(tmp_path: Path, engine: Fake, agent: Path) -> None:
    run(tmp_path, "--agent", str(agent), "--source", "https://code.example")
    assert names(engine) == ["localhost/unfinished-agent-mine", "localhost/mlectl/agent-mine:1.2"]
    assert "https://code.example" in engine.built[-1].labels.values()


def test_what_is_allowed_is_no_secret(
    tmp_path: Path, engine: Fake, agent: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.files = {"src/.git/config": b"", "src/.env": b""}

    with pytest.raises(SystemExit) as ended:
        run(tmp_path, "--agent", str(agent), "--allow", ".git")
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "/src/.env in layer 0" in said
    assert ".git" not in said

    run(tmp_path, "--agent", str(agent), "--allow", ".git", "--allow", ".env")
    assert engine.saved[-1].exists()


@pytest.mark.parametrize(
    ("argv", "want"),
    [
        pytest.param(["orchestrator", "typo"], "There is no image typo; there are: orchestrator,", id="an image"),
        pytest.param(
            ["--agent", "nowhere"], "nowhere has no Dockerfile; an agent's folder has", id="an agent's folder"
        ),
        pytest.param(["--agent", ".", "agent-base"], "Name images, or an agent's folder, but not both", id="both"),
        pytest.param(["--pip-config", "nowhere"], "There is no file nowhere; --pip-config names", id="a pip.conf"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_built(
    tmp_path: Path, engine: Fake, capsys: pytest.CaptureFixture[str], argv: list[str], want: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(tmp_path, *argv)
    assert ended.value.code == 2
    assert want in capsys.readouterr().err
    assert engine.built == []


@pytest.mark.parametrize("found", [ImagesError("docker build failed with 1"), PermissionError(13, "Permission denied")])
def test_what_fails_is_a_sentence(
    tmp_path: Path,
    engine: Fake,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: Exception,
) -> None:
    def fails(build: Build) -> None:
        raise found

    monkeypatch.setattr(engine, "build", fails)
    with pytest.raises(SystemExit) as ended:
        run(tmp_path)
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"images: {found}\n"


def test_a_machine_without_an_engine_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        run(tmp_path)
    assert ended.value.code == 3
    assert capsys.readouterr().err.startswith("images: No engine to build with: start Docker's daemon, or install")
