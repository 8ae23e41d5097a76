"""Multi-modal Gesture Recognition: sequences of Italian gestures; the last training archive becomes the test set.

v1's test archive is that training archive as it is, with the true gestures in every sample. v2 empties the labels; a
`.mat` file that is too short to be one is left as it is, any other that can't be read stops the preparation.
"""

import gzip
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath
from random import Random
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import pandas as pd
import scipy.io

from preparers.toolkit import Dataset, PreparationError, promise, sample, unique

GESTURES = range(1, 21)
ARCHIVES = [
    *(f"training{number}.tar.gz" for number in (1, 2, 3)),
    *(f"validation{number}.tar.gz" for number in (1, 2, 3)),
    *("devel01-40.7z", "valid_all_files_combined.7z", "sample_code_mmrgc.zip"),
]

MAT_HEADER = 128
MAT_COMMENT = b"MATLAB 5.0 MAT-file".ljust(116)
"""In place of the one that scipy writes, which has the time in it."""


def prepare(data: Dataset) -> None:
    rows = data.raw.csv("training.csv", dtype=str)
    tested = _tested(data)
    answers = rows[rows["Id"].isin(tested["Id"])]
    unique(answers, "Id", name="training.csv")
    unlabelled = tested["Id"][~tested["Id"].isin(rows["Id"])]
    promise(unlabelled.empty, f"training.csv has no row for {len(unlabelled):,} samples: {', '.join(unlabelled[:3])}.")
    random = Random(0)
    guesses = [" ".join(map(str, random.sample(GESTURES, len(GESTURES)))) for _ in tested["Id"]]

    data.public.csv("training.csv", rows.drop(answers.index))
    data.public.csv("test.csv", tested)
    data.public.csv("randomPredictions.csv", sample(tested, "Id", Sequence=guesses))
    data.private.csv("test.csv", answers)
    for name in ARCHIVES:
        data.public.copy(name)
    if data.version == "v1":
        data.public.copy("test.tar.gz", "training4.tar.gz")
    else:
        _empty_labels(data.raw.path("training4.tar.gz"), data.public.path("test.tar.gz"))


def _tested(data: Dataset) -> pd.DataFrame:
    """The ids of the samples in the last training archive, sorted as text."""
    with tarfile.open(data.raw.path("training4.tar.gz"), "r|*") as archive:
        members = [PurePosixPath(member.name) for member in archive if member.isfile()]
    samples = [member.stem for member in members if len(member.parts) == 1 and member.suffix == ".zip"]
    tested = pd.DataFrame({"Id": sorted(stem[-4:] for stem in samples)})
    unique(tested, "Id", name="training4.tar.gz")
    return tested


def _empty_labels(source: Path, target: Path) -> None:
    """The archive of samples with the labels emptied in each, all else as it was. Samples pass one by one."""
    with (
        tarfile.open(source, "r|*") as labelled,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as emptied,
    ):
        for member in labelled:
            content = labelled.extractfile(member)
            if content is None or not member.name.endswith(".zip"):
                emptied.addfile(member, content)
                continue
            with TemporaryFile() as sample_file:
                _empty_sample(content, sample_file)
                member.size = sample_file.tell()
                sample_file.seek(0)
                emptied.addfile(member, sample_file)


def _empty_sample(labelled: IO[bytes], emptied: IO[bytes]) -> None:
    with zipfile.ZipFile(BytesIO(labelled.read())) as old, zipfile.ZipFile(emptied, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            new.writestr(member, _without_labels(content, member) if member.filename.endswith(".mat") else content)


def _without_labels(content: bytes, member: zipfile.ZipInfo) -> bytes:
    if len(content) < MAT_HEADER:
        return content
    try:
        variables = scipy.io.loadmat(BytesIO(content))
    except Exception as error:
        raise PreparationError(f"{member.filename} can't be read, so its labels can't be emptied: {error}.") from error
    variables = {name: value for name, value in variables.items() if not name.startswith("__")}
    for value in variables.values():
        if "Labels" in (value.dtype.names or ()):
            for place in np.ndindex(value.shape):
                value[place]["Labels"] = np.empty((0, 0))
    made = BytesIO()
    scipy.io.savemat(made, variables, do_compression=True)
    return MAT_COMMENT + made.getvalue()[len(MAT_COMMENT) :]
