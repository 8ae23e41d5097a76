"""Molecular Translation: the edit distance cell by cell; pictures copied one after the other."""

import shutil
from pathlib import Path

from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.cells import edit_distance
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.tables import cell_by_cell

grade = cell_by_cell(edit_distance, "image_id", "InChI")


def prepare(raw: Path, public: Path, private: Path) -> None:
    private.mkdir(parents=True)
    public.mkdir()
    train, test = train_test_split(read(raw / "train_labels.csv"), test_size=0.2, random_state=0)
    train.to_csv(public / "train_labels.csv", index=False)
    test.to_csv(private / "test.csv", index=False)
    test.assign(InChI="InChI=1S/H2O/h1H2").to_csv(public / "sample_submission.csv", index=False)
    for part, rows in (("train", train), ("test", test)):
        for _, row in rows.iterrows():
            place = Path(*row["image_id"][:3]) / f"{row['image_id']}.png"
            (public / part / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(raw / "train" / place, public / part / place)
    shutil.copy(raw / "extra_approved_InChIs.csv", public)
