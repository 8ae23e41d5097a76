"""Brain Tumor Radiogenomics: scans of brains, one subject in ten held back at random.

v2 keeps the three subjects that the organisers call faulty out of the test part: those that fall there go to the end of
the train part.
"""

import pandas as pd

from preparers.toolkit import Dataset, sample, split_rows

FAULTY = ["00109", "00123", "00709"]


def prepare(data: Dataset) -> None:
    labels = data.raw.csv("train_labels.csv", dtype={"BraTS21ID": str, "MGMT_value": int})
    train, test = split_rows(labels, test=0.1)
    if data.version == "v2":
        faulty = test["BraTS21ID"].isin(FAULTY)
        train, test = pd.concat([train, test[faulty]]), test[~faulty]

    data.public.csv("train_labels.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "BraTS21ID", MGMT_value=0.5))
    for part, rows in (("train", train), ("test", test)):
        data.public.make_folder(part)
        for subject in rows["BraTS21ID"]:
            data.public.tree(f"{part}/{subject}", f"train/{subject}")
    data.private.csv("test.csv", test)
