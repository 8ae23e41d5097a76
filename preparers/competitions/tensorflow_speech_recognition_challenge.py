"""TensorFlow Speech Recognition: clips of spoken words in folders, one in ten held back.

v1 splits clips at random, so that a speaker is on both sides, and its answers are the names of all 31 folders. v2
splits speakers, numbers the test clips in a random order, and its answers are the task's labels: a word that is none of
the ten commands is `unknown`. Recordings of noise stay in train, so that no answer is `silence`.
"""

from pathlib import PurePosixPath

import numpy as np
import pandas as pd

from preparers.toolkit import Dataset, sample, split_groups, split_rows

NOISE = "_background_noise_"


def prepare(data: Dataset) -> None:
    archive = data.raw.unpack("train.7z")
    paths = [PurePosixPath(name) for name in archive.names("train/audio/**/*.wav")]
    clips = pd.DataFrame(
        {
            "path": [str(path) for path in paths],
            "label": [path.parent.name for path in paths],
            "name": [p.name for p in paths],
        }
    )
    clips = clips.sort_values("name", key=lambda names: clips["label"] + "_" + names, kind="stable")
    train, test = split_rows(clips, test=0.1) if data.version == "v1" else _split_speakers(clips)
    test = test.assign(fname=[f"clip_{number:08d}.wav" for number in range(len(test))])
    answers = test[["fname", "label"]]
    if data.version == "v2":
        answers = answers.assign(label=answers["label"].where(answers["label"].isin(data.classes), "unknown"))

    data.public.files("train/audio/{label}/{name}", train, "{path}", origin=archive)
    data.public.files("test/audio/{fname}", test, "{path}", origin=archive)
    data.public.csv("sample_submission.csv", sample(test, "fname", label="silence"))
    data.private.csv("test.csv", answers)


def _split_speakers(clips: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """v2: a tenth of the speakers, their clips in a random order, so that the number does not tell the label."""
    words = clips[clips["label"] != NOISE]
    words = words.assign(speaker=words["name"].str.partition("_nohash_")[0])
    _, test = split_groups(words, by="speaker", test=0.1, keys="sorted", rows="raw")
    return clips.drop(index=test.index), test.iloc[np.random.RandomState(0).permutation(len(test))]
