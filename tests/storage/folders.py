"""Folders of files to pack, and how to compare what comes out."""

import os
from collections.abc import Mapping
from pathlib import Path

ODD_NAMES = (
    "plain.csv",
    "with space.csv",
    "ünïcödé/日本語/😀.png",
    "quote'\"`$().txt",
    "new\nline.txt",
    "back\\slash.txt",
    "-dash",
    "..dots..",
    ".hidden/.file",
    "trailing.",
    "a" * 100,
    "b" * 200,
    "/".join(["deep" * 10] * 12) + "/file.txt",
    "c" * 90 + "/" + "d" * 99,
    os.fsdecode(b"not-utf-8-\xff\xfe.bin"),
    os.fsdecode(b"long-" + b"\xff" * 150),
)


def make(folder: Path, files: Mapping[str, bytes | str], empty_folders: tuple[str, ...] = ()) -> Path:
    """A folder with these files."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    for path in empty_folders:
        (folder / path).mkdir(parents=True)
    return folder


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file's content, and None for every empty folder, by path; without the notes of a staging."""
    found: dict[str, bytes | None] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if name.partition("/")[0] == ".mlectl":
            continue
        if path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name] = None
    return found
