"""Player contact: whole plays are held back, tables filtered, videos copied; Matthews' coefficient."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import matthews_corrcoef

from benchmarks.competitions.obvious import splitting, tables

TABLES = ("baseline_helmets", "player_tracking", "video_metadata")
VIEWS = ("All29", "Endzone", "Sideline")

grade = tables.scored(matthews_corrcoef, "contact_id", "contact")


def prepare(raw: Path, public: Path, private: Path) -> None:
    labels = pd.read_csv(raw / "train_labels.csv")
    train, test = splitting.split(labels["game_play"].unique())
    answers = labels[labels["game_play"].isin(test)]
    splitting.write(public / "train_labels.csv", labels[labels["game_play"].isin(train)])
    splitting.write(private / "test.csv", answers)
    splitting.write(public / "sample_submission.csv", answers[["contact_id"]].assign(contact=0))
    for name in TABLES:
        table = pd.read_csv(raw / f"train_{name}.csv")
        splitting.write(public / f"train_{name}.csv", table[table["game_play"].isin(train)])
        splitting.write(public / f"test_{name}.csv", table[table["game_play"].isin(test)])
    for part, plays in (("train", train), ("test", test)):
        videos = [f"{play}_{view}.mp4" for play in plays for view in VIEWS]
        splitting.copy_files(videos, raw / "train", public / part)
