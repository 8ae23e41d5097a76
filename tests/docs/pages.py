"""The pages that people write, and their pieces."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = sorted(
    path for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in ("reference", "v2.md", "nonsense.md")
)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def rows(page: Path, header: str) -> list[list[str]]:
    """The cells of the table whose head begins like this, without that head."""
    lines = iter(page.read_text().splitlines())
    next(line for line in lines if line.startswith(header))
    next(lines)
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found
