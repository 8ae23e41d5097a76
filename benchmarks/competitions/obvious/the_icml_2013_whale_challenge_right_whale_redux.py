"""Right whales: clips of two days for training, of two days to test; the AUC."""

import re
import shutil
from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(roc_auc_score, "clip", "probability")


def prepare(raw: Path, public: Path, private: Path) -> None:
    with splitting.unpacked(raw / "train2.zip", public) as files:
        clips = sorted(path.name for path in (files / "train2").iterdir())
        days = sorted({clip.split("_")[0] for clip in clips})
        train = [clip for clip in clips if clip.split("_")[0] in days[:2]]
        test = [clip for clip in clips if clip.split("_")[0] in days[2:]]
        numbered = [re.sub(r"TRAIN\d+", f"TRAIN{number}", clip) for number, clip in enumerate(train)]
        hidden = [f"{clip.split('TRAIN')[0]}Test{number}.aif" for number, clip in enumerate(test)]
        for part, old, new in (("train2", train, numbered), ("test2", test, hidden)):
            splitting.copy_files(old, files / "train2", public / part, new)
            shutil.make_archive(str(public / part), "zip", public, part)
            shutil.rmtree(public / part)
    answers = pd.DataFrame({"clip": hidden, "probability": [int(Path(clip).stem.endswith("_1")) for clip in test]})
    splitting.write(private / "test.csv", answers)
    splitting.write(public / "sampleSubmission.csv", answers.assign(probability=0))
