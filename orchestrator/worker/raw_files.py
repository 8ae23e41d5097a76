"""A competition's raw files: a folder that is put in place when it is complete, so that being there is its mark."""

from pathlib import Path


def is_fetched(raw: Path) -> bool:
    """Whether the raw files are there: fetched here, or put there by somebody."""
    return raw.is_dir() and any(raw.iterdir())
