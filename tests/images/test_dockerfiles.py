"""The Dockerfiles, read and not built: one place for bases, nothing that moves, nobody who is root for no reason."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from images import bases, recipes
from images.facts import CHECKOUT, LABELS, Facts

IMAGES = CHECKOUT / "images"
DOCKERFILES = sorted(IMAGES.rglob("Dockerfile"))
KNOWN = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "FROM", "LABEL", "RUN", "USER", "WORKDIR"}
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())

every_file = pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)


def instructions(path: Path) -> list[tuple[str, str]]:
    """What a Dockerfile says, a pair for each instruction: its word, and the rest in one line."""
    text = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", text)
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in joined.splitlines() if line.strip()]


def test_all_of_them_are_looked_at() -> None:
    assert {path.parent.name for path in DOCKERFILES} >= {
        "orchestrator",
        "agent-base",
        "agent-finish",
        "dummy",
        "baseline",
    }


@every_file
def test_every_instruction_is_one_that_we_use(path: Path) -> None:
    """ADD fetches and unpacks behind one's back, VOLUME and ONBUILD surprise whoever builds on the image."""
    assert [word for word, _ in instructions(path) if word not in KNOWN] == []


@every_file
def test_bases_come_from_outside_or_from_a_stage(path: Path) -> None:
    stages, found = set[str](), list[str]()
    for word, rest in instructions(path):
        if word == "FROM":
            image, *name = rest.split(" AS ")
            found += [] if image in {"${BASE}", recipes.AGENT_BASE, *stages} else [image]
            stages |= set(name)
    assert found == []
    assert not re.search(r"sha256:|:latest|^ARG BASE=", path.read_text(), re.M), "bases.lock is the one place"


def test_the_lock_has_one_base_and_a_tag_that_says_which() -> None:
    lines = [line for line in bases.LOCK.read_text().splitlines() if line and not line.startswith("#")]
    reference = bases.read("python")
    assert len(lines) == 1
    assert re.fullmatch(r"[\w./-]+:\d[\w.-]+(@sha256:[0-9a-f]{64})?", reference)
    oldest, _ = PROJECT["project"]["requires-python"].split(",")
    assert f":{oldest.removeprefix('>=')}-slim" in reference


@every_file
def test_what_is_copied_is_there(path: Path) -> None:
    context = CHECKOUT if path.parent.name == "orchestrator" else path.parent
    sources = [rest.split()[:-1] for word, rest in instructions(path) if word == "COPY" and "--from" not in rest]
    assert [name for names in sources for name in names if not (context / name).exists()] == []


def test_the_orchestrators_image_has_every_package_of_the_wheel() -> None:
    copied = {
        name
        for word, rest in instructions(IMAGES / "orchestrator/Dockerfile")
        if word == "COPY"
        for name in rest.split()
    }
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    wanted = {*wheel["packages"], *wheel["force-include"]}
    sent = set(re.findall(r"(?m)^!(.+)$", (IMAGES / "orchestrator/Dockerfile.dockerignore").read_text()))
    assert wanted <= copied
    assert wanted <= sent


def test_nothing_is_compiled_with_a_date_in_it() -> None:
    """pip's own compiled files hold their source's date, which is another one in a layer: Python would not use them.

    Only the option keeps pip from it: of the variable PIP_NO_COMPILE it takes the value for that of `compile`.
    """
    runs = [
        rest
        for word, rest in instructions(IMAGES / "orchestrator/Dockerfile")
        if word == "RUN" and "pip install" in rest
    ]
    assert len(runs) == 2
    for run in runs:
        assert "pip install --quiet --no-compile" in run
        assert run.index("compileall -q --invalidation-mode unchecked-hash") > run.index("pip install")


def test_the_orchestrator_is_not_root() -> None:
    said = instructions(IMAGES / "orchestrator/Dockerfile")
    assert [rest for word, rest in said if word == "USER"] == ["1000:1000"]
    assert said[-1] == ("ENTRYPOINT", '["mlectl"]')


@pytest.mark.parametrize("name", ["orchestrator", "agent-base"])
def test_labels_say_what_it_is_and_whose_it_is(name: str) -> None:
    (labels,) = [rest for word, rest in instructions(IMAGES / name / "Dockerfile") if word == "LABEL"]
    found = dict(re.findall(rf'{LABELS}\.(\w+)="([^"]+)"', labels))
    assert set(found) == {"title", "description", "licenses"}
    assert found["licenses"] == PROJECT["project"]["license"]


def test_labels_say_which_checkout_it_is() -> None:
    labels = Facts("1.2", "abc", changed=True, created=0).labels("https://code.example")
    assert labels == {
        f"{LABELS}.version": "1.2",
        f"{LABELS}.revision": "abc-changed",
        f"{LABELS}.created": "1970-01-01T00:00:00Z",
        f"{LABELS}.source": "https://code.example",
    }


def test_the_agent_base_leaves_room_for_what_agents_make() -> None:
    """Agents' Dockerfiles make these with a plain mkdir, which fails if they are there."""
    text = "\n".join(rest for _, rest in instructions(IMAGES / "agent-base/Dockerfile"))
    assert not re.search(r"mkdir[^&]*/home/(agent|code|logs)\b", text)
    assert "/home/submission" in text


def test_agents_are_finished_for_uid_1000() -> None:
    said = instructions(IMAGES / "agent-finish/Dockerfile")
    assert said[-2:] == [
        ("RUN", "find /home -path /home/data -prune -o ! -type l -exec chmod a+rwX {} +"),
        ("USER", "1000:1000"),
    ]


@pytest.mark.parametrize("name", ["agent-base", "agent-finish", "agents/dummy", "agents/baseline"])
def test_what_a_link_points_to_is_left_alone(tmp_path: Path, name: str) -> None:
    """A link may lead out of /home, or nowhere."""
    said = "\n".join(rest for _, rest in instructions(IMAGES / name / "Dockerfile"))
    (command,) = re.findall(r"find /home .*-exec chmod .*\+$", said, re.M)
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    for path in (home / "file", outside):
        path.touch(0o600)
    (home / "there").symlink_to(outside)
    (home / "nowhere").symlink_to("gone")

    done = subprocess.run(["sh", "-c", command.replace("/home", str(home))], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert (home / "file").stat().st_mode & 0o777 == 0o666
    assert outside.stat().st_mode & 0o777 == 0o600


def test_every_requirement_of_the_agent_base_has_an_exact_version() -> None:
    base = IMAGES / "agent-base"
    exact = {plain(line.partition("==")[0]) for line in lines(base / "constraints.txt") if "==" in line}
    wanted = {plain(line) for name in ("light.txt", "heavy.txt") for line in lines(base / name)}
    assert wanted - exact == set()
    assert len(exact) == len(lines(base / "constraints.txt"))


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
