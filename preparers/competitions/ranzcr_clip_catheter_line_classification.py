"""RANZCR CLiP: chest X-rays with catheters and lines, one in ten held back.

v1 holds back pictures at random and asks for nine of the eleven labels. v2 holds back patients with all their pictures
and asks for all eleven.
"""

from preparers.toolkit import Dataset, sample, split_groups, split_rows

ID = "StudyInstanceUID"


def prepare(data: Dataset) -> None:
    labels, notes = data.raw.csv("train.csv"), data.raw.csv("train_annotations.csv")
    if data.version == "v1":
        train, test = split_rows(labels, test=0.1)
        asked = data.tables["scored"]
    else:
        train, test = split_groups(labels, by="PatientID", test=0.1, keys="sorted", rows="split")
        asked = data.tables["labels"]

    data.public.csv("train.csv", train)
    data.public.csv("train_annotations.csv", notes[notes[ID].isin(train[ID])])
    data.public.csv("sample_submission.csv", sample(test, ID, **dict.fromkeys(asked, 0)))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}/{{{ID}}}.jpg", rows, source=f"train/{{{ID}}}.jpg")
    data.private.csv("test.csv", test)
