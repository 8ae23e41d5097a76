"""TGS Salt Identification Challenge: seismic pictures with masks, a quarter of them held back at random.

v1 withholds the depths of the test pictures, which Kaggle gave; v2 gives them.
"""

from preparers.toolkit import Dataset, promise, sample, split_rows


def prepare(data: Dataset) -> None:
    archive = data.raw.unpack("competition_data.zip")
    masks = archive.csv("competition_data/train.csv").fillna({"rle_mask": ""})
    promise(masks["id"].map(type).eq(str).all(), "The ids of train.csv look like numbers; they must be text.")
    train, test = (part.sort_values("id") for part in split_rows(masks, test=0.25))
    depths = data.raw.csv("depths.csv").sort_values("id")
    shown = train if data.version == "v1" else masks

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "id", rle_mask="1 1"))
    data.public.csv("depths.csv", depths[depths["id"].isin(shown["id"])])
    for kind in ("images", "masks"):
        source = f"competition_data/train/{kind}/{{id}}.png"
        data.public.files(f"train/{kind}/{{id}}.png", train, source=source, origin=archive)
    data.public.files("test/images/{id}.png", test, source="competition_data/train/images/{id}.png", origin=archive)
    data.private.csv("test.csv", test)
