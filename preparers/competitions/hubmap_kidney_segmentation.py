"""HuBMAP Kidney: microscope pictures with outlined glomeruli, 3 of the 15 held back.

v1 puts the outlines of the test objects, that is the answers, into public/test; v2 leaves them out.
"""

from preparers.toolkit import Dataset, has_columns, promise, sample, split_rows

INFORMATION = "HuBMAP-20-dataset_information.csv"
PICTURES = 15
TEST_PICTURES = 3


def prepare(data: Dataset) -> None:
    masks = data.raw.csv("train.csv")
    has_columns(masks, "id", "encoding", name="train.csv")
    promise(len(masks) == PICTURES, f"train.csv has {len(masks):,} rows; expected {PICTURES}.")
    train, test = split_rows(masks, train=PICTURES - TEST_PICTURES, test=TEST_PICTURES)
    table = data.raw.csv(INFORMATION)
    ids = table["image_file"].str.replace(".tiff", "", regex=False)
    sizes = table[["width_pixels", "height_pixels"]].assign(id=ids)
    answers = test.merge(sizes, on="id")
    promise(len(answers) == len(test) == test["id"].isin(ids).sum(), f"{INFORMATION} must list each id of train once.")
    empty = sample(test, "id", predicted="")

    data.public.csv("train.csv", train)
    data.public.csv(INFORMATION, table[ids.isin(masks["id"])])
    data.public.csv("sample_submission.csv", empty)
    data.public.csv("test/sample_submission.csv", empty)
    files = [".tiff", ".json", "-anatomical-structure.json"]
    for part, rows in (("train", train), ("test", test)):
        for file in files if part == "train" or data.version == "v1" else [".tiff", "-anatomical-structure.json"]:
            data.public.files(f"{part}/{{id}}{file}", rows, f"train/{{id}}{file}")
    data.private.csv("test.csv", answers)
    data.private.csv("gold_submission.csv", sample(test, "id", predicted=test["encoding"]))
