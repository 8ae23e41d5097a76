"""promtool, of Debian's package prometheus, as tests use it."""

import shutil
import subprocess
from pathlib import Path

import pytest

PROMTOOL = shutil.which("promtool")

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed; apt-get install prometheus")


def promtool(*arguments: str | Path) -> str:
    """What it says; fails with that if it finds a fault."""
    assert PROMTOOL
    done = subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
