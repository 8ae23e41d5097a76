"""SETI Breakthrough Listen: radio snippets, one in ten held back at random, and the contest's earlier data.

v1 gives that folder, old_leaky_data, as it is. v2 drops from it the snippets that equal a test snippet, and their rows
in its tables.
"""

from pathlib import PurePosixPath

from preparers.toolkit import Dataset, expand, find_copies, sample, split_rows

OLD = "old_leaky_data"
SNIPPET = "train/{id[0]}/{id}.npy"


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("train_labels.csv", dtype={"id": str}), test=0.1)

    data.public.csv("train_labels.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "id", target=0.5))
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}/{{id[0]}}/{{id}}.npy", rows, source=SNIPPET)
    data.private.csv("test.csv", test)
    if data.version == "v1":
        data.public.tree(OLD)
    else:
        _give_old_data(data, hidden=expand(SNIPPET, test))


def _give_old_data(data: Dataset, hidden: list[str]) -> None:
    """v2: the earlier data without copies of test snippets."""
    files = data.raw.names(f"{OLD}/**")
    copies = find_copies(data.raw, files, of=hidden)
    stems = {PurePosixPath(name).stem for name in copies}
    tables = {name for name in files if name.endswith(".csv")} if copies else set()

    for folder in data.raw.folders(f"{OLD}/**"):
        data.public.make_folder(folder)
    data.public.take((name, name) for name in files if name not in copies | tables)
    for name in sorted(tables):
        table = data.raw.csv(name, dtype={"id": str})
        data.public.csv(name, table[~table["id"].isin(stems)] if "id" in table else table)
