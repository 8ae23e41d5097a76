"""OpenVaccine: how RNA molecules decay, base by base; one in ten is held back, of those with a clean signal.

v1 draws the test molecules at random, so that near-identical ones fall on both sides. v2 draws whole families, which
are molecules that share one half of their scored bases, directly or through others; members of a test family without a
clean signal are on neither side.
"""

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from preparers.toolkit import Dataset, has_columns, promise

TARGETS = ["reactivity", "deg_Mg_pH10", "deg_pH10", "deg_Mg_50C", "deg_50C"]
ID = "id_seqpos"
TEN_DECIMALS = "%.10f"

Mask = npt.NDArray[np.bool_]
Lines = npt.NDArray[np.intp]


def prepare(data: Dataset) -> None:
    molecules, given = (pd.read_json(data.raw.path(name), lines=True) for name in ("train.json", "test.json"))
    has_columns(data.raw.csv("sample_submission.csv", nrows=0), ID, *TARGETS, name="sample_submission.csv")
    _check(molecules)
    is_clean = (molecules["SN_filter"] > 0).to_numpy()
    count = int(0.1 * len(molecules))
    if data.version == "v1":
        is_test = _draw(is_clean, count)
        is_train = ~is_test
    else:
        family = _families(molecules)
        is_test = _draw_families(family, is_clean, count)
        is_train = ~np.isin(family, family[is_test])
    train, test = (molecules[side].assign(index=range(side.sum())) for side in (is_train, is_test))
    promise(test["seq_length"].nunique() <= 1, "The test molecules are not all of one length.")
    answers = pd.concat([_bases(molecule) for molecule in test.to_dict("records")])

    data.public.text("train.json", train.to_json(orient="records", lines=True))
    data.public.text("test.json", test[list(given.columns)].to_json(orient="records", lines=True))
    guesses = answers[[ID, *TARGETS]].assign(**dict.fromkeys(TARGETS, 0.0))
    data.public.csv("sample_submission.csv", guesses, float_format=TEN_DECIMALS)
    data.private.csv("test.csv", answers, float_format=TEN_DECIMALS)


def _check(molecules: pd.DataFrame) -> None:
    for target in TARGETS:
        odd = (molecules[target].str.len() != molecules["seq_scored"]).sum()
        promise(not odd, f"{odd:,} molecules of train.json have another number of {target} values than seq_scored.")
    whole = (molecules["seq_scored"] >= molecules["seq_length"]).sum()
    promise(not whole, f"{whole:,} molecules of train.json are scored over their whole length.")


def _draw(is_clean: Mask, count: int) -> Mask:
    """v1: so many of the clean molecules, at random."""
    candidates = np.flatnonzero(is_clean)
    is_drawn = np.zeros(len(is_clean), dtype=np.bool_)
    is_drawn[candidates[np.random.RandomState(0).choice(len(candidates), size=count, replace=False)]] = True
    return is_drawn


def _draw_families(family: Lines, is_clean: Mask, count: int) -> Mask:
    """v2: the clean molecules of families drawn at random, each taken if it does not make them more than so many."""
    clean_members = np.bincount(family[is_clean], minlength=family.max() + 1)
    drawn: list[int] = []
    for candidate in np.random.RandomState(0).permutation(len(clean_members)):
        if clean_members[candidate] <= count:
            drawn.append(candidate)
            count -= clean_members[candidate]
    return is_clean & np.isin(family, drawn)


def _families(molecules: pd.DataFrame) -> Lines:
    """The number of each molecule's family."""
    half = molecules["seq_scored"].min() // 2
    halves = [pd.factorize(molecules["sequence"].str[start : start + half])[0] for start in (0, half)]
    count = len(molecules)
    ends = np.concatenate([halves[0], halves[1] + count]) + count  # nodes: molecules, first halves, second halves
    links = coo_array((np.ones(2 * count), (np.tile(np.arange(count), 2), ends)), shape=(3 * count, 3 * count))
    family: Lines = connected_components(links, directed=False)[1][:count]
    return family


def _bases(molecule: dict[str, object]) -> pd.DataFrame:
    """A row for each base; those that were not scored have zeros."""
    length, scored = int(str(molecule["seq_length"])), int(str(molecule["seq_scored"]))
    values = np.zeros((length, len(TARGETS)))
    values[:scored] = np.column_stack([np.asarray(molecule[target], dtype=np.float64) for target in TARGETS])
    bases = pd.DataFrame(values, columns=TARGETS)
    bases.insert(0, ID, [f"{molecule['id']}_{base}" for base in range(length)])
    return bases.assign(keep=np.arange(length) < scored)
