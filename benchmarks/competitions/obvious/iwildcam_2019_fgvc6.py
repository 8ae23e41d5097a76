"""iWildCam 2019: whole places are held back, pictures packed again; macro F1."""

from pathlib import Path

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import pack, split, unpacked, write
from benchmarks.competitions.obvious.tables import macro_f1, scored

grade = scored(lambda truth, predicted: macro_f1(truth, predicted.astype(int)), "Id", "Category", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    _, places = split(table["location"].unique(), seed=8)
    is_test = table["location"].isin(places)
    train, test = table[~is_test], table[is_test]
    write(public / "train.csv", train)
    write(public / "test.csv", test.drop(columns="category_id"))
    write(private / "test.csv", test)
    answers = test[["id", "category_id"]].rename(columns={"id": "Id", "category_id": "Category"})
    write(private / "answers.csv", answers)
    answers.assign(Category=0).to_csv(public / "sample_submission.csv")
    with unpacked(raw / "train_images.zip", public) as folder:
        for part, rows in (("train", train), ("test", test)):
            pack(public / f"{part}_images.zip", *(folder / f"{name}.jpg" for name in rows["id"].unique()))
