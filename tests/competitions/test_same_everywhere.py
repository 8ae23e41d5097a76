"""What is prepared depends on the raw files alone, and not on the process, its surroundings or the file system."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from everyone import differences, digests, gather_raw

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "elsewhere.py"


def other_surroundings(temporary: Path) -> dict[str, str]:
    """Another hash seed, folder for temporary files, time zone and locale: one without UTF-8, at that."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONHASHSEED": "4242",
        "TMPDIR": str(temporary),
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_another_process_elsewhere_prepares_the_same_bytes(
    version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = {competition: prepared(competition, version=version) for competition in kit.ids()}
    raw, temporary, other = gather_raw(made.values(), tmp_path / "raw"), tmp_path / "temporary", tmp_path / "other"
    temporary.mkdir()
    other.mkdir()

    done = subprocess.run(
        [sys.executable, SCRIPT, raw, "out", version],
        cwd=other,
        env=other_surroundings(temporary),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert differences(made, lambda competition: digests(other / "out" / competition)) == {}
    assert list(temporary.iterdir()) == [], "temporary files are left"
