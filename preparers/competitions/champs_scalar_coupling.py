"""Predicting Molecular Properties: one molecule in ten is held back with all its couplings.

v1 gives no structures of the test molecules, without which the task can't be solved as it is meant; v2 gives them.
"""

from preparers.toolkit import Dataset, has_columns, promise, sample, split_groups

TARGET = "scalar_coupling_constant"
TABLES = (
    "structures",
    "dipole_moments",
    "magnetic_shielding_tensors",
    "mulliken_charges",
    "potential_energy",
    "scalar_coupling_contributions",
)


def prepare(data: Dataset) -> None:
    couplings = data.raw.csv("train.csv")
    has_columns(couplings, "id", "molecule_name", "atom_index_0", "atom_index_1", "type", TARGET, name="train.csv")
    train, test = split_groups(couplings, by="molecule_name", test=0.1, keys="sorted", rows="split")

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns=TARGET))
    data.public.csv("sample_submission.csv", sample(test, "id", **{TARGET: 0}))
    data.private.csv("answers.csv", test)

    trained = train[["molecule_name"]].drop_duplicates()
    shown = couplings[["molecule_name"]].drop_duplicates() if data.version == "v2" else trained
    data.public.files("structures/{molecule_name}.xyz", shown, source="structures/{molecule_name}.xyz")
    for name in TABLES:
        table = data.raw.csv(f"{name}.csv")
        without = trained[~trained["molecule_name"].isin(table["molecule_name"])]
        promise(without.empty, f"{name}.csv lacks {len(without):,} of the train molecules.")
        kept = shown if name == "structures" else trained
        data.public.csv(f"{name}.csv", table[table["molecule_name"].isin(kept["molecule_name"])])
