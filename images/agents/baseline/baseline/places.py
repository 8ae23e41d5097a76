"""Where things are and what the run is given: the environment that every agent gets; the pod's paths are defaults."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Places:
    """Folders, seed, time and the address that validates."""

    data: Path
    submission: Path
    code: Path
    logs: Path
    seed: int
    limit_seconds: float | None
    validation_url: str

    @property
    def submission_file(self) -> Path:
        return self.submission / "submission.csv"


def read_places() -> Places:
    """What the environment says; folders to write into are made if they are not there."""
    given = os.environ.get
    places = Places(
        data=Path(given("DATA_DIR", "/home/data")),
        submission=Path(given("SUBMISSION_DIR", "/home/submission")),
        code=Path(given("CODE_DIR", "/home/code")),
        logs=Path(given("LOGS_DIR", "/home/logs")),
        seed=_seed(given("SEED", "0")),
        limit_seconds=float(limit) if (limit := given("TIME_LIMIT_SECS")) else None,
        validation_url=given("VALIDATION_URL", "http://localhost:5000"),
    )
    for folder in (places.submission, places.code, places.logs):
        folder.mkdir(parents=True, exist_ok=True)
    return places


def _seed(text: str) -> int:
    """A number as scikit-learn takes it; any other word stands for one as well."""
    number = int(text) if text.strip().lstrip("-").isdigit() else zlib.crc32(text.encode())
    return abs(number) % 100_000_000


def replace_file(target: Path, content: bytes) -> None:
    """Put a file in place whole: a reader, or a kill at any moment, sees the old one or the new one."""
    part = target.with_name(f".{target.name}.part")
    part.write_bytes(content)
    part.replace(target)
