"""Ventilator Pressure: the pressure in a lung over 80 steps of a breath, one breath in ten held back at random.

Ids count anew from 1 in train and in test, and all numbers are rounded to ten digits. v2 is the same.
"""

from preparers.toolkit import Dataset, has_columns, renumber, sample, split_groups

TYPES = {
    "id": "int32",
    "breath_id": "int32",
    "R": "int8",
    "C": "int8",
    "time_step": "float64",
    "u_in": "float64",
    "u_out": "int8",
    "pressure": "float64",
}
TEN_DIGITS = "%.10g"


def prepare(data: Dataset) -> None:
    steps = data.raw.csv("train.csv", dtype=TYPES)
    has_columns(steps, *TYPES, name="train.csv")
    parts = split_groups(steps, by="breath_id", test=0.1, keys="sorted", rows="split")
    train, test = (renumber(part, "id", start=1) for part in parts)

    data.public.csv("train.csv", train, float_format=TEN_DIGITS)
    data.public.csv("test.csv", test.drop(columns="pressure"), float_format=TEN_DIGITS)
    data.public.csv("sample_submission.csv", sample(test, "id", pressure=0))
    data.private.csv("test.csv", test, float_format=TEN_DIGITS)
