"""UW-Madison GI Tract: scans of patients over several days; one case in ten is held back, and of the others every day
after the fourth. The pictures are never opened: their sizes stand in their names. v2 is the same.
"""

from pathlib import PurePosixPath

import pandas as pd

from preparers.toolkit import Dataset, has_columns, promise, sample, split_items

DAYS_TO_TRAIN = 4


def prepare(data: Dataset) -> None:
    masks = data.raw.csv("train.csv")
    has_columns(masks, "id", "class", "segmentation", name="train.csv")
    parts = masks["id"].str.split("_")
    slices = pd.DataFrame({"case": parts.str[0], "day": parts.str[1], "slice": parts.str[-1]})
    train_cases, test_cases = split_items(slices["case"].unique().tolist(), test=0.1, seed=42)
    later = _later_days(slices[slices["case"].isin(train_cases)])
    folders = slices["case"] + "_" + slices["day"]
    is_test = slices["case"].isin(test_cases) | folders.isin(later)
    test = masks[is_test]
    sizes = _sizes(data, slices[is_test].drop_duplicates())
    keys = pd.MultiIndex.from_frame(slices[is_test])

    data.public.csv("train.csv", masks[~is_test])
    data.public.csv("test.csv", test[["id", "class"]])
    data.public.csv("sample_submission.csv", sample(test, "id", "class", predicted="1 1 5 2"))
    answers = test.rename(columns={"segmentation": "predicted"})
    widths, heights = (sizes[side].loc[keys].to_numpy() for side in ("width", "height"))
    data.private.csv("test.csv", answers.assign(image_width=widths, image_height=heights))
    for part in ("train", "test"):
        data.public.make_folder(part)
    for case in train_cases:
        _place(data, case, later)
    for case in test_cases:
        data.public.tree(f"test/{case}", f"train/{case}")


def _later_days(slices: pd.DataFrame) -> set[str]:
    """The folders of each case's days after the first four, counted by the day's number."""
    days = slices[["case", "day"]].drop_duplicates()
    days = days.assign(number=days["day"].str.removeprefix("day").astype(int)).sort_values("number", kind="stable")
    after = days[days.groupby("case").cumcount() >= DAYS_TO_TRAIN]
    return set(after["case"] + "_" + after["day"])


def _place(data: Dataset, case: str, later: set[str]) -> None:
    """A train case's files, with its later days in the test folder."""
    data.public.make_folder(f"train/{case}")
    data.public.take((name, name) for name in data.raw.names(f"train/{case}/*"))
    for folder in data.raw.folders(f"train/{case}/*"):
        name = PurePosixPath(folder).name
        data.public.tree(f"{'test' if name in later else 'train'}/{case}/{name}", folder)


def _sizes(data: Dataset, slices: pd.DataFrame) -> pd.DataFrame:
    """Width and height of each slice, by case, day and slice: `slice_0001_266_234_1.50_1.50.png` is 266 wide."""
    rows = []
    for case, day in slices[["case", "day"]].drop_duplicates().itertuples(index=False):
        for path in data.raw.names(f"train/{case}/{case}_{day}/scans/slice_*_*.png"):
            _, number, width, height, *_ = PurePosixPath(path).name.split("_")
            rows.append((case, day, number, float(width), float(height)))
    found = pd.DataFrame(rows, columns=["case", "day", "slice", "width", "height"])
    found = slices.merge(found, how="left")
    twice, missing = found.duplicated(["case", "day", "slice"]).sum(), found["width"].isna().sum()
    promise(not twice and not missing, f"{missing:,} slices have no picture and {twice:,} have more than one.")
    return found.set_index(["case", "day", "slice"])
