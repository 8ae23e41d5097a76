"""Transparent conductors: rows split and numbered anew; the mean of two logarithmic errors."""

from pathlib import Path

from sklearn.metrics import root_mean_squared_log_error

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read

TARGETS = ["formation_energy_ev_natom", "bandgap_energy_ev"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "test.csv")
    return float(sum(root_mean_squared_log_error(truth[name], predicted[name]) for name in TARGETS) / 2)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv.zip"))
    with splitting.unpacked(raw / "train.zip", public) as files:
        for part, rows in (("train", train), ("test", test)):
            old = [f"{number}/geometry.xyz" for number in rows["id"]]
            new = [f"{number}/geometry.xyz" for number in range(1, len(rows) + 1)]
            splitting.copy_files(old, files / "train", public / part, new)
    train, test = (rows.assign(id=range(1, len(rows) + 1)) for rows in (train, test))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test.drop(columns=TARGETS))
    sample = test[["id"]].assign(formation_energy_ev_natom=0.1779, bandgap_energy_ev=1.8892)
    splitting.write(public / "sample_submission.csv", sample)
