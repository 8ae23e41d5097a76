"""Cassava Leaf Disease: photographs of leaves, also packed in 16 TFRecord files, of which two are held back.

v1 gives the test records out as they are, each with the true label in its feature `target`; v2 leaves that out.
"""

from pathlib import PurePosixPath

from preparers.toolkit import Dataset, sample, split_items
from preparers.toolkit.tfrecords import first_text, read_features, read_records, write_features, write_records

LABEL = "target"


def prepare(data: Dataset) -> None:
    train_files, test_files = split_items(data.raw.names("train_tfrecords/*.tfrec"), test=0.1)
    photos = data.raw.csv("train.csv")
    is_test = photos["image_id"].isin(_names(data, test_files))
    train, test = photos[~is_test], photos[is_test]

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "image_id", label=4))
    data.public.copy("label_num_to_disease_map.json")
    for part, rows in (("train", train), ("test", test)):
        data.public.files(f"{part}_images/{{image_id}}", rows, "train_images/{image_id}")
    data.public.take(_renamed("train", train_files))
    if data.version == "v1":
        data.public.take(_renamed("test", test_files))
    else:
        _write_without_labels(data, test_files)
    data.private.csv("test.csv", test)


def _names(data: Dataset, files: list[str]) -> set[str]:
    """The names of the pictures in these files."""
    names: set[str] = set()
    for name in files:
        with data.raw.open(name) as file:
            names.update(first_text(read_features(record)["image_name"]) for record in read_records(file))
    return names


def _renamed(part: str, files: list[str]) -> list[tuple[str, str]]:
    """Files numbered anew; the count of their records, after the first hyphen, stays."""
    counts = [PurePosixPath(name).stem.split("-")[1] for name in files]
    return [
        (f"{part}_tfrecords/ld_{part}{number:02d}-{count}.tfrec", name)
        for number, (count, name) in enumerate(zip(counts, files, strict=True))
    ]


def _write_without_labels(data: Dataset, files: list[str]) -> None:
    for target, source in _renamed("test", files):
        with data.raw.open(source) as file, data.public.path(target).open("wb") as out:
            features = (read_features(record) for record in read_records(file))
            write_records(
                out, (write_features({name: f for name, f in known.items() if name != LABEL}) for known in features)
            )
