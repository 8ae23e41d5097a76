"""OSIC Pulmonary Fibrosis: lung volumes of patients over weeks, and their scans; one patient in ten is held back.

Asked for is every week of a range. v1 takes the range of the test patients' visits, which tells a little about the
latest one; v2 takes the one of the original contest.
"""

import pandas as pd

from preparers.toolkit import Dataset, has_columns, promise, sample, split_groups

COLUMNS = ["Patient", "Weeks", "FVC", "Percent", "Age", "Sex", "SmokingStatus"]
CONTEST_WEEKS = range(-12, 134)


def prepare(data: Dataset) -> None:
    visits = data.raw.csv("train.csv")
    has_columns(visits, *COLUMNS, name="train.csv")
    train, test = split_groups(visits, by="Patient", test=0.1, keys="sorted", rows="split")
    weeks = CONTEST_WEEKS
    if data.version == "v1":
        weeks = range(test["Weeks"].min(), test["Weeks"].max() + 1)
    outside = (~test["Weeks"].isin(weeks)).sum()
    promise(not outside, f"{outside:,} test visits are not within the weeks {weeks[0]} to {weeks[-1]}.")
    grid = _grid(test, weeks)

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.sort_values("Weeks").groupby("Patient").first().reset_index()[COLUMNS])
    data.public.csv("sample_submission.csv", sample(grid, "Patient_Week", FVC=2000, Confidence=100))
    data.private.csv("test.csv", grid)
    for part, rows in (("train", train), ("test", test)):
        for patient in rows["Patient"].unique():
            data.public.tree(f"{part}/{patient}", f"train/{patient}")


def _grid(visits: pd.DataFrame, weeks: range) -> pd.DataFrame:
    """A row for each patient and week, with what was measured if there was a visit."""
    asked = pd.MultiIndex.from_product([visits["Patient"].unique(), weeks], names=["Patient", "Weeks"])
    grid = asked.to_frame(index=False).merge(visits, how="left", on=["Patient", "Weeks"])
    rows = grid.groupby("Patient").size()
    promise(rows.nunique() == 1, "A test patient has two visits in one week.")
    key = grid["Patient"] + "_" + grid["Weeks"].astype(str)
    return grid.assign(Patient_Week=key, Confidence=100)
