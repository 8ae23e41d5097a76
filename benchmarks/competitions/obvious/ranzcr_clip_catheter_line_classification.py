"""Catheters and lines: pictures split at random; the mean AUC of nine labels."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

LABELS = [
    *("ETT - Abnormal", "ETT - Borderline", "ETT - Normal"),
    *("NGT - Abnormal", "NGT - Borderline", "NGT - Incompletely Imaged", "NGT - Normal"),
    *("CVC - Abnormal", "CVC - Borderline"),
]

grade = tables.scored(roc_auc_score, "StudyInstanceUID", LABELS)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    annotations = read(raw / "train_annotations.csv")
    is_train = annotations["StudyInstanceUID"].isin(train["StudyInstanceUID"])
    splitting.write(public / "train.csv", train)
    splitting.write(public / "train_annotations.csv", annotations[is_train])
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test[["StudyInstanceUID"]].assign(**dict.fromkeys(LABELS, 0)))
    splitting.copy_files(train["StudyInstanceUID"] + ".jpg", raw / "train", public / "train")
    splitting.copy_files(test["StudyInstanceUID"] + ".jpg", raw / "train", public / "test")
