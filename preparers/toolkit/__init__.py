"""The words that competitions' preparations are written in: read, split, shape, promise, write.

A preparation is a function `prepare(data: Dataset) -> None`:

- *read*     `data.raw.csv("train.csv")`, `.tsv`, `.json`, `.jsonl`, `.array`, `.parquet`, `.text`;
             `.names("train/*.jpg")` lists files; `data.raw.unpack("train.zip")` gives an archive's members, same words;
             `find_copies(data.raw, names, of=others)`: which files have the bytes of others;
             `number_contents(data.raw, names)`: a number for each, the same for copies.
- *split*    `split_rows(frame, test=0.1)`, `split_groups(frame, by=, test=, keys=, rows=)`, `split_items(list, test=)`,
             `split_each(list, keys, test=, rare=)`, `split_positions(count, test=)`; `rows_of(part, group, rows=)`;
             `split_pictures(document, test=, rare=)` for lists of pictures in COCO's form, with what goes with them.
- *shape*    `one_hot`, `sample(test, "id", label=0.5)`, `renumber(test, "id", "Test_{}")`.
- *promise*  `has_columns`, `unique`, `disjoint`, `promise(condition, sentence)`: where preparation must fail.
- *write*    `data.public.csv(name, frame)`, `.json`, `.jsonl`, `.array`, `.parquet`, `.text`; files by pattern over
             rows: `.files("test/{id}.jpg", test, "train/{id}.jpg")`, `.zip(name, rows, member, source)`;
             `.copy(name)`, `.tree(folder)`, `.take(pairs)`, `.pack(archive, *files)`. The same on `data.private` and
             `data.scratch`. `write_pretty(data.public.path(name), document)`: long JSON lists, indented.

`preparers.toolkit.tfrecords` reads and writes TFRecord files.

`data.version` is "v1" or "v2"; `data.classes` and `data.tables` are the competition's constant tables.
"""

from preparers.errors import PreparationError
from preparers.toolkit.coco import number_answers, prepare_sheets, split_pictures, with_pairs
from preparers.toolkit.copies import find_copies, number_contents
from preparers.toolkit.dataset import Dataset, Version
from preparers.toolkit.names import expand
from preparers.toolkit.origin import Origin
from preparers.toolkit.pretty import write_pretty
from preparers.toolkit.promise import disjoint, has_columns, promise, unique
from preparers.toolkit.shape import one_hot, renumber, sample
from preparers.toolkit.source import Source
from preparers.toolkit.split import rows_of, split_each, split_groups, split_items, split_positions, split_rows
from preparers.toolkit.target import Target
from preparers.toolkit.tokens import prepare_tokens

__all__ = [
    "Dataset",
    "Origin",
    "PreparationError",
    "Source",
    "Target",
    "Version",
    "disjoint",
    "expand",
    "find_copies",
    "has_columns",
    "number_answers",
    "number_contents",
    "one_hot",
    "prepare_sheets",
    "prepare_tokens",
    "promise",
    "renumber",
    "rows_of",
    "sample",
    "split_each",
    "split_groups",
    "split_items",
    "split_pictures",
    "split_positions",
    "split_rows",
    "unique",
    "with_pairs",
    "write_pretty",
]
