"""Right Whale Redux: sounds of four days; the first two are for training, the last two are held back.

v2 is the same: names of test clips keep date and time, as on Kaggle.
"""

import re

import pandas as pd

from preparers.toolkit import Dataset, promise, sample

DAYS = 4
FOLDER = "train2/"


def prepare(data: Dataset) -> None:
    archive = data.raw.unpack("train2.zip")
    clips = sorted(name.removeprefix(FOLDER) for name in archive.names(f"{FOLDER}*"))
    days = sorted({_day(clip) for clip in clips})
    promise(len(days) == DAYS, f"train2.zip holds clips of {len(days)} days; expected {DAYS}.")
    train = [clip for clip in clips if _day(clip) in days[: DAYS // 2]]
    test = [clip for clip in clips if _day(clip) in days[DAYS // 2 :]]
    numbered = [re.sub(r"TRAIN\d+", f"TRAIN{k}", clip) for k, clip in enumerate(train)]
    hidden = [f"{clip.partition('TRAIN')[0]}Test{k}.aif" for k, clip in enumerate(test)]
    answers = pd.DataFrame({"clip": hidden, "probability": [int(_stem(clip).endswith("_1")) for clip in test]})

    for part, names, sources in (("train2", numbered, train), ("test2", hidden, test)):
        members = [(f"{part}/{name}", FOLDER + source) for name, source in zip(names, sources, strict=True)]
        data.public.archive(f"{part}.zip", [(f"{part}/", ""), *members], origin=archive)
    data.public.csv("sampleSubmission.csv", sample(answers, "clip", probability=0))
    data.private.csv("test.csv", answers)


def _day(clip: str) -> str:
    return clip.partition("_")[0]


def _stem(clip: str) -> str:
    return clip.rpartition(".")[0]
