"""Speech commands: clips in folders of words, split at random, and the share of right ones."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(accuracy_score, "fname", "label")


def prepare(raw: Path, public: Path, private: Path) -> None:
    with splitting.unpacked(raw / "train.7z", public) as files:
        clips = sorted((files / "train/audio").rglob("*.wav"), key=lambda clip: f"{clip.parent.name}_{clip.name}")
        train, test = splitting.split([clip.relative_to(files) for clip in clips])
        train_names = [f"{clip.parent.name}/{clip.name}" for clip in train]
        test_names = [f"clip_{place:08d}.wav" for place in range(len(test))]
        splitting.copy_files(train, files, public / "train/audio", train_names)
        splitting.copy_files(test, files, public / "test/audio", test_names)
    answers = pd.DataFrame({"fname": test_names, "label": [clip.parent.name for clip in test]})
    splitting.write(private / "test.csv", answers)
    splitting.write(public / "sample_submission.csv", answers.assign(label="silence"))
