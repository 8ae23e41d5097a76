"""`mlectl prepare` and `mlectl grade`, as a person runs them, give what the library gives, for every competition."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pytest

import catalog
import graders
from orchestrator.storage.layout import MANIFEST, answers_prefix, dataset_prefix

sys.path.insert(0, str(Path(__file__).parent))

from everyone import Digests, differences, gather_raw

IDS = {"v1": kit.ids(), "v2": kit.ids()[::10]}
"""v2 takes the same way through the commands, so that a few of each kind are enough."""


def mlectl(folder: Path, *arguments: str | Path) -> str:
    """Run a command in a folder, with a home of its own below it; what it printed."""
    command = [sys.executable, "-m", "orchestrator.cli", *map(str, arguments), "--home", str(folder / "home")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_commands_and_library_agree(version: str, prepared: Callable[..., Any], tmp_path: Path) -> None:
    made = {competition: prepared(competition, version=version) for competition in IDS[version]}
    raw = gather_raw(made.values(), tmp_path / "raw")
    (tmp_path / "ids.txt").write_text("\n".join(made))
    mlectl(tmp_path, "prepare", "--list", "ids.txt", "--raw", raw, "--benchmark", version)
    assert differences(made, lambda competition: stored(tmp_path / "home", competition, version)) == {}

    reports = [facts(report) for one in made.values() for report in library_reports(one, tmp_path / "submissions")]
    entries = [{name: report[name] for name in ("competition_id", "submission_path")} for report in reports]
    (tmp_path / "entries.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    mlectl(tmp_path, "grade", "--submission", "entries.jsonl", "--output-dir", "out", "--benchmark", version)
    (written,) = (tmp_path / "out").iterdir()
    assert [without_time(report) for report in json.loads(written.read_text())["competition_reports"]] == reports
    assert {report["valid_submission"] for report in reports} == ({True, False} if version == "v1" else {True})


def stored(home: Path, competition: str, version: str) -> Digests:
    """The digests in the manifests of a dataset and its answers, which staging holds every file against."""
    manifests = {
        "public": home / "store" / "public" / dataset_prefix(version, competition) / MANIFEST,
        "private": home / "store" / "private" / answers_prefix(version, competition) / MANIFEST,
    }
    return {
        f"{half}/{name}": digest
        for half, path in manifests.items()
        for shard in json.loads(path.read_text())["shards"]
        for name, _, digest in shard["files"]
    }


def library_reports(one: Any, folder: Path) -> list[graders.Report]:
    """Two of the kit's submissions that are valid and two that are not; the sample in v2, which the kit is not for."""
    at = folder / one.id
    at.mkdir(parents=True)
    if one.version == "v1":
        bad_last = sorted(one.submissions(), key=lambda name: name.startswith("bad_"))
        return [one.grade(one.submissions()[name], at / f"{name}.csv") for name in (*bad_last[:2], *bad_last[-2:])]
    competition = catalog.load(one.id)
    half = one.private if competition.sample_is_private else one.public
    sample = shutil.copy(half / competition.sample_submission, at / "submission.csv")
    return [graders.grade(one.id, sample, one.private, one.version)]


def facts(report: graders.Report) -> dict[str, Any]:
    """A report as its file has it."""
    return without_time(json.loads(json.dumps(report.as_data())))


def without_time(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "created_at"}
