"""Content digests of a prepared dataset, stable where an archive's own bytes are not."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _members(items) -> str:
    return _sha("\n".join(f"{n} {_sha(d)}" for n, d in sorted(items)).encode())


def file_digest(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix in {".zip", ".npz"}:
        with zipfile.ZipFile(path) as z:
            return "zip:" + _members((i.filename, z.read(i)) for i in z.infolist() if not i.is_dir())
    if suffix == ".7z":
        import tempfile

        import py7zr

        with tempfile.TemporaryDirectory() as tmp:
            with py7zr.SevenZipFile(path) as z:
                z.extractall(tmp)
            root = Path(tmp)
            return "7z:" + _members(
                (p.relative_to(root).as_posix(), p.read_bytes()) for p in root.rglob("*") if p.is_file()
            )
    if suffix == ".parquet":
        import pandas as pd

        buf = io.StringIO()
        pd.read_parquet(path).to_csv(buf)
        return "parquet:" + _sha(buf.getvalue().encode())
    return _sha(path.read_bytes())


def tree_digest(root: Path, most: int = 60) -> dict[str, str]:
    """Digest of every file below root by relative path; a large tree gets one line per folder."""
    files = sorted(p for p in root.rglob("*") if p.is_file())
    one = {p.relative_to(root).as_posix(): file_digest(p) for p in files}
    if len(one) <= most:
        return one
    folders: dict[str, list[tuple[str, bytes]]] = {}
    out: dict[str, str] = {}
    for rel, dig in one.items():
        parent = rel.rpartition("/")[0]
        if parent:
            folders.setdefault(parent, []).append((rel, dig.encode()))
        else:
            out[rel] = dig
    for folder, items in folders.items():
        out[f"{folder}/* ({len(items)} files)"] = _members(items)
    return out
