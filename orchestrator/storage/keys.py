"""Which keys a store accepts: the same ones in every store, so that data can move between them."""

from orchestrator.storage.drafts import is_draft
from orchestrator.storage.store import StoreError

LONGEST_KEY = 1024
"""In bytes; S3's own limit."""


def checked(key: str) -> str:
    """The key itself, if it names one object below a store's root; a StoreError that says why not otherwise."""
    problem = find_problem(key)
    if problem:
        raise StoreError(f"The key {key!r} is refused: {problem}; use a relative path such as 'reports/a.json'.")
    return key


def checked_prefix(prefix: str) -> str:
    """The prefix itself, if keys can start with it: empty, a part of a key, or a folder and `/`."""
    folder = prefix.rpartition("/")[0]
    problem = "it starts at '/'" if prefix.startswith("/") else find_problem(folder) if folder else None
    if problem:
        raise StoreError(f"The prefix {prefix!r} is refused: {problem}; use the start of a key, such as 'reports/'.")
    return prefix


def find_problem(key: str) -> str | None:
    """What is wrong with a key, or None."""
    if not key.strip():
        return "it is empty"
    if key.startswith("/"):
        return "it starts at '/'"
    if "\0" in key:
        return "it has a NUL in it"
    if "\\" in key:
        return "some stores take a backslash for a slash"
    try:
        encoded = key.encode()
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    if len(encoded) > LONGEST_KEY:
        return f"it has {len(encoded):,} bytes, more than {LONGEST_KEY:,}"
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "'.', '..' and empty parts could lead out of the store"
    if any(map(is_draft, parts)):
        return "such names are kept for files that are being written"
    return None
