"""NFL Player Contact: videos and tracks of plays, one play in ten held back.

v1 reads numbers with pandas' own parser, which changes the last digit of some long ones; v2 passes cells on as they
stand. Rows of plays without labels are left out.
"""

from typing import Any

import pandas as pd

from preparers.toolkit import Dataset, sample, split_groups

TABLES = ("baseline_helmets", "player_tracking", "video_metadata")
VIEWS = ("All29", "Endzone", "Sideline")


def prepare(data: Dataset) -> None:
    labels = _read(data, "train_labels.csv")
    train, test = split_groups(labels, by="game_play", test=0.1, keys="seen", rows="raw")
    plays = {part: rows[["game_play"]].drop_duplicates() for part, rows in (("train", train), ("test", test))}

    data.public.csv("train_labels.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "contact_id", contact=0))
    data.private.csv("test.csv", test)
    for name in TABLES:
        table = _read(data, f"train_{name}.csv")
        for part, chosen in plays.items():
            data.public.csv(f"{part}_{name}.csv", table[table["game_play"].isin(chosen["game_play"])])
    for part, chosen in plays.items():
        for view in VIEWS:
            data.public.files(f"{part}/{{game_play}}_{view}.mp4", chosen, source=f"train/{{game_play}}_{view}.mp4")


def _read(data: Dataset, name: str) -> pd.DataFrame:
    options: dict[str, Any] = {"float_precision": None, "low_memory": False}
    if data.version == "v2":
        options = {"dtype": "string[pyarrow]", "keep_default_na": False}
    return data.raw.csv(name, **options)
