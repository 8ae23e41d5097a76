"""Apple leaves 2020: pictures split at random and numbered anew; the mean AUC of four labels."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

LABELS = ["healthy", "multiple_diseases", "rust", "scab"]

grade = tables.scored(roc_auc_score, "image_id", LABELS)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    renamed = []
    for prefix, rows in (("Train", train), ("Test", test)):
        new = [f"{prefix}_{number}" for number in range(len(rows))]
        splitting.copy_files(
            rows["image_id"] + ".jpg", raw / "images", public / "images", [f"{name}.jpg" for name in new]
        )
        renamed.append(rows.assign(image_id=new))
    train, test = renamed
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test[["image_id"]])
    splitting.write(public / "sample_submission.csv", test[["image_id"]].assign(**dict.fromkeys(LABELS, 0.25)))
