"""multi-modal-gesture-recognition: v2 has no label in the test archive, and takes an empty sequence for none."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.io

import preparers

ID = "multi-modal-gesture-recognition"


def sample_zip(name: str, gestures: list[str], *, frames: np.ndarray) -> bytes:
    """A sample as the contest packs it, with the fields that matter."""
    labels = np.array([(word, 1.0, 9.0) for word in gestures], dtype=[("Name", "O"), ("Begin", "O"), ("End", "O")])
    mat = io.BytesIO()
    scipy.io.savemat(mat, {"Video": {"NumFrames": 9.0, "FrameRate": 20.0, "Frames": frames, "Labels": labels}})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{name}_color.mp4", b"film" * 100)
        archive.writestr(f"{name}_data.mat", mat.getvalue())
    return packed.getvalue()


def labelled_raw(made: Any, folder: Path) -> Path:
    """The kit's raw files, with real labels in the last training archive."""
    shutil.copytree(made.raw, folder)
    with tarfile.open(made.raw / "training4.tar.gz") as old:
        names = [member.name for member in old if member.name.endswith(".zip")]
    with tarfile.open(folder / "training4.tar.gz", "w:gz") as new:
        for name in names:
            content = sample_zip(name.removesuffix(".zip"), ["vattene", "perfetto"], frames=np.arange(6.0))
            member = tarfile.TarInfo(name)
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return folder


def videos(archive: Path) -> dict[str, Any]:
    """The contents of each sample's .mat file, and the bytes of the others, by name."""
    found = {}
    with tarfile.open(archive) as samples:
        for member in samples:
            with zipfile.ZipFile(io.BytesIO(samples.extractfile(member).read())) as packed:  # type: ignore[union-attr]
                for name in packed.namelist():
                    content = packed.read(name)
                    is_mat = name.endswith(".mat")
                    found[name] = scipy.io.loadmat(io.BytesIO(content))["Video"][0, 0] if is_mat else content
    return found


def test_v1_shows_the_true_gestures_and_v2_has_all_but_them(prepared: Callable[..., Any], tmp_path: Path) -> None:
    raw = labelled_raw(prepared(ID), tmp_path / "raw")
    for version in ("v1", "v2"):
        preparers.prepare(ID, raw, tmp_path / version / "public", tmp_path / version / "private", version)
    v1, v2 = (videos(tmp_path / version / "public/test.tar.gz") for version in ("v1", "v2"))

    assert list(v1) == list(v2)
    for name in v1:
        if name.endswith(".mat"):
            assert v1[name]["Labels"].size == 2
            assert v2[name]["Labels"].size == 0
            assert (v1[name]["Frames"] == v2[name]["Frames"]).all()
            assert v1[name].dtype.names == v2[name].dtype.names
        else:
            assert v1[name] == v2[name]


def test_the_archive_of_v2_has_the_same_bytes_every_time(prepared: Callable[..., Any], tmp_path: Path) -> None:
    raw = labelled_raw(prepared(ID), tmp_path / "raw")
    digests = set()
    for turn in ("1", "2"):
        preparers.prepare(ID, raw, tmp_path / turn / "public", tmp_path / turn / "private", "v2")
        digests.add(hashlib.sha256((tmp_path / turn / "public/test.tar.gz").read_bytes()).hexdigest())

    assert len(digests) == 1


def test_a_sample_whose_labels_cannot_be_emptied_stops_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    raw = labelled_raw(prepared(ID), tmp_path / "raw")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Sample_data.mat", b"MATLAB 7.3 MAT-file".ljust(4000))
    with tarfile.open(raw / "training4.tar.gz") as old:
        name = next(member.name for member in old)
    with tarfile.open(raw / "training4.tar.gz", "w:gz") as new:
        member = tarfile.TarInfo(name)
        member.size = len(packed.getvalue())
        new.addfile(member, io.BytesIO(packed.getvalue()))

    with pytest.raises(preparers.PreparationError, match=r"Sample_data\.mat can't be read"):
        preparers.prepare(ID, raw, tmp_path / "public", tmp_path / "private", "v2")


def test_a_blank_sequence_is_rejected_in_v1_and_an_empty_list_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    truth = pd.read_csv(v1.private / "test.csv", dtype=str)
    blank = truth.assign(Sequence=truth["Sequence"].where(truth.index > 0, ""))
    lengths = truth["Sequence"].str.split().str.len()

    assert v1.grade(blank, tmp_path / "s.csv").rejection["reason"] == "Malformed"
    assert v2.grade(blank, tmp_path / "s.csv").score == pytest.approx(lengths[0] / lengths.sum(), abs=1e-5)
    assert v2.grade(truth, tmp_path / "s.csv").score == 0
