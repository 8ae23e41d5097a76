"""Vesuvius Ink Detection: scans of three papyrus fragments; the third, named `a`, is held back. v2 is the same.

The size of the test fragment's picture is told by `mask.png` and the slices, as its infrared picture is withheld.
"""

from pathlib import PurePosixPath

from PIL import Image

from preparers.toolkit import Dataset, has_columns, promise

TRAIN = ("train/1", "train/2")
TEST = "train/3"
WITHHELD = ("inklabels.png", "inklabels_rle.csv", "ir.png")
SUFFIXES = {".png", ".csv", ".tif"}
NAME = "a"


def prepare(data: Dataset) -> None:
    fragment = data.raw.within(TEST)
    files = [PurePosixPath(name) for name in fragment.names("**")]
    strange = [str(file) for file in files if file.suffix not in SUFFIXES]
    promise(not strange, f"{TEST} holds {len(strange):,} files of an unknown kind, such as {strange[:1]}.")
    for name in WITHHELD:
        count = [file.name for file in files].count(name)
        promise(count == 1, f"{TEST} holds {count} files named {name}; expected one.")

    with fragment.open("ir.png") as file, Image.open(file) as picture:
        width, height = picture.size
    labels = fragment.csv("inklabels_rle.csv").assign(Id=NAME)
    has_columns(labels, "Id", "Predicted", name=f"{TEST}/inklabels_rle.csv")

    for folder in TRAIN:
        data.public.tree(folder)
    data.public.tree(f"test/{NAME}", TEST, without=WITHHELD)
    data.public.csv("sample_submission.csv", labels.assign(Predicted="1 1 5 1"))
    data.private.csv("inklabels_rle.csv", labels.assign(width=width, height=height))
    data.private.csv("gold_submission.csv", labels)
