"""Hotels: pictures split at random; average precision of the first five guesses, row by row."""

from pathlib import Path

from benchmarks.competitions.obvious.cells import average_precision
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import cell_by_cell

grade = cell_by_cell(lambda true, said: average_precision({str(true)}, str(said).split(" "), 5), "image", "hotel_id")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    train, test = split(table[table["image"] != "ce27d36c9147cc19.jpg"])
    write(public / "train.csv", train)
    write(private / "test.csv", test)
    guess = "36363 53586 18807 64314 60181"
    write(public / "sample_submission.csv", test[["image"]].assign(hotel_id=guess))
    train_names, test_names = (rows["chain"].astype(str) + "/" + rows["image"] for rows in (train, test))
    copy_files(train_names, raw / "train_images", public / "train_images")
    copy_files(test_names, raw / "train_images", public / "test_images", test["image"])
