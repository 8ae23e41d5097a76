"""Bristol-Myers Squibb: pictures of molecules and their InChI texts, one row in five held back at random.

v2 is the same.
"""

from preparers.toolkit import Dataset, sample, split_rows

PICTURE = "{image_id[0]}/{image_id[1]}/{image_id[2]}/{image_id}.png"
WATER = "InChI=1S/H2O/h1H2"


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train_labels.csv"), test=0.2)

    data.public.csv("train_labels.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "image_id", InChI=WATER))
    data.public.files(f"train/{PICTURE}", train, source=f"train/{PICTURE}")
    data.public.files(f"test/{PICTURE}", test, source=f"train/{PICTURE}")
    data.public.copy("extra_approved_InChIs.csv")
    data.private.csv("test.csv", test)
