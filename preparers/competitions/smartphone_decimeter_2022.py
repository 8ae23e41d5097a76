"""Google Smartphone Decimeter Challenge: satellite logs of phones on drives, one day in ten held back.

v1 leaves the reference receiver's log (`span_log.nmea`), that is the answer, in the test folders; v2 takes it out.
"""

from pathlib import PurePosixPath

import pandas as pd

from preparers.toolkit import Dataset, promise, sample, split_items

TRUTH = "ground_truth.csv"
REFERENCE = "*span*.nmea"
PLACE = ["LatitudeDegrees", "LongitudeDegrees"]


def prepare(data: Dataset) -> None:
    date_of = {drive: _date(drive) for drive in (PurePosixPath(path).name for path in data.raw.folders("train/*"))}
    parts = split_items(sorted(set(date_of.values())), test=0.1)
    train, test = ([drive for drive, date in date_of.items() if date in dates] for dates in map(set, parts))
    truths = _truths(data, test)
    known = sum(len(data.raw.names(f"train/{drive}/**/{TRUTH}")) for drive in train)
    promise(known >= len(train), f"The {len(train):,} train drives have only {known:,} files {TRUTH}.")

    answers = pd.concat([_trip(data, path) for path in truths], ignore_index=True)
    trips = answers["tripId"].drop_duplicates()
    drives = trips.str.rpartition("-")[0].nunique()
    promise(drives == len(test), f"Names of phones with a hyphen: {len(test):,} test drives look like {drives:,}.")
    for drive in train:
        data.public.tree(f"train/{drive}")
    for drive in test:
        withheld = (TRUTH,) if data.version == "v1" else (TRUTH, REFERENCE)
        data.public.tree(f"test/{drive}", f"train/{drive}", without=withheld)
    data.public.tree("metadata")
    guess = sample(
        answers, "tripId", "UnixTimeMillis", LatitudeDegrees=37.904611315634504, LongitudeDegrees=-86.48107806249548
    )
    data.public.csv("sample_submission.csv", guess)
    data.private.csv("test.csv", answers)


def _date(drive: str) -> str:
    """The day of a drive, whether its name is written 2020-5-9-US-MTV-1 or 2020-05-09-US-MTV-1."""
    parts = drive.split("-")[:3]
    promise(len(parts) == 3 and all(part.isdigit() for part in parts), f"The drive {drive!r} has no date in its name.")
    year, month, day = parts
    return f"{year}-{month.zfill(2)}-{day.zfill(2)}"


def _truths(data: Dataset, drives: list[str]) -> list[PurePosixPath]:
    """The drives' true places, one file for each phone, in order of path, part by part."""
    paths = []
    for drive in drives:
        found = [PurePosixPath(name) for name in data.raw.names(f"train/{drive}/**/{TRUTH}")]
        promise(len(found) > 0, f"The test drive {drive} has no {TRUTH}.")
        astray = [str(path) for path in found if len(path.parts) != 4]
        promise(not astray, f"{TRUTH} is expected at train/<drive>/<phone>/, found {astray[:1]}.")
        paths += found
    return sorted(paths, key=lambda path: path.parts)


def _trip(data: Dataset, truth: PurePosixPath) -> pd.DataFrame:
    columns = ["UnixTimeMillis", *PLACE]
    places = data.raw.csv(str(truth), float_precision=None, usecols=columns)  # as published, not quite exact
    _, drive, phone, _ = truth.parts
    return places[columns].assign(tripId=f"{drive}-{phone}")[["tripId", *columns]]
