"""What is written on every image: which checkout it is, and of when."""

from __future__ import annotations

import os
import subprocess
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from images.errors import ImagesError

CHECKOUT = Path(__file__).parents[1]
LABELS = "org.opencontainers.image"


@dataclass(frozen=True)
class Facts:
    """The checkout's version, commit and date."""

    version: str
    revision: str
    """The commit, or nothing where there is no git."""
    changed: bool
    """Something is not committed, so the commit does not say what is in the image."""
    created: int
    """SOURCE_DATE_EPOCH, else the commit's date: building later makes no other image."""

    def labels(self, source: str = "") -> dict[str, str]:
        """As OCI names them; the title, description and licence stand in the Dockerfiles."""
        known = {
            "version": self.version,
            "revision": f"{self.revision}-changed" if self.changed else self.revision,
            "created": datetime.fromtimestamp(self.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "source": source,
        }
        return {f"{LABELS}.{name}": value for name, value in known.items() if value}


def read(checkout: Path = CHECKOUT) -> Facts:
    """The facts of a checkout as it is now."""
    revision = git(checkout, "rev-parse", "HEAD")
    changed = bool(revision and git(checkout, "status", "--porcelain", "--untracked-files=no"))
    date = os.environ.get("SOURCE_DATE_EPOCH") or git(checkout, "log", "-1", "--format=%ct") or "0"
    if not date.isdigit():
        raise ImagesError(f"SOURCE_DATE_EPOCH is seconds since 1970, such as 1700000000, not {date!r}.")
    version = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["version"]
    return Facts(version, revision, changed, int(date))


def git(checkout: Path, *argv: str) -> str:
    """What git says, or nothing where there is no git or no repository."""
    try:
        done = subprocess.run(["git", "-C", str(checkout), *argv], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
