"""INGV Volcanic Eruptions: sensor records and the time until the eruption, one segment in ten held back at random.

v2 is the same: neighbours in time can't be kept together, because the time of a segment is not published.
"""

from preparers.toolkit import Dataset, disjoint, has_columns, sample, split_rows

ID, TARGET = "segment_id", "time_to_eruption"


def prepare(data: Dataset) -> None:
    segments = data.raw.csv("train.csv")
    has_columns(segments, ID, TARGET, name="train.csv")
    train, test = split_rows(segments, test=0.1)
    disjoint(train, test, ID)

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, ID, **{TARGET: 0}))
    data.public.files("train/{segment_id}.csv", train, source="train/{segment_id}.csv")
    data.public.files("test/{segment_id}.csv", test, source="train/{segment_id}.csv")
    data.private.csv("test.csv", test)
