"""Nomad2018: energies of transparent conductors, one material in ten held back at random.

Ids count anew from 1 in train and in test, and geometry files go by the new ones. v2 is the same.
"""

import pandas as pd

from preparers.toolkit import Dataset, Origin, promise, renumber, sample, split_rows

GUESSES = {"formation_energy_ev_natom": 0.1779, "bandgap_energy_ev": 1.8892}


def prepare(data: Dataset) -> None:
    for unused in ("test.csv.zip", "test.zip"):
        data.raw.unpack(unused)
    geometries = data.raw.unpack("train.zip")
    parts = split_rows(data.raw.unpack("train.csv.zip").csv("train.csv"), test=0.1)
    train, test = (renumber(part.assign(old=part["id"]), "id", start=1) for part in parts)

    data.public.csv("train.csv", train.drop(columns="old"))
    data.public.csv("test.csv", test.drop(columns=["old", *GUESSES]))
    data.public.csv("sample_submission.csv", sample(test, "id", **GUESSES))
    data.private.csv("test.csv", test.drop(columns="old"))
    for part, rows in (("train", train), ("test", test)):
        located = rows.assign(source=_geometry_of(rows["old"], geometries))
        data.public.files(part + "/{id}/geometry.xyz", located, source="{source}", origin=geometries)


def _geometry_of(ids: "pd.Series[int]", geometries: Origin) -> "pd.Series[str]":
    """The geometry file of each material; of several in one folder the last by name."""
    last = {name.split("/")[1]: name for name in geometries.names("train/*/*.xyz")}
    found = ids.astype(str).map(last)
    promise(bool(found.notna().all()), f"{found.isna().sum():,} materials of train.csv have no geometry in train.zip.")
    return found
