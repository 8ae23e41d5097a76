"""Lyft 3D Object Detection: drives with cameras, lidar and boxed objects; one log in five is held back with all its
samples, sensors and poses.

v1's training map lists the logs of the test part by mistake; v2 lists those of the training part.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from preparers.toolkit import Dataset, promise, sample, split_items

Record = dict[str, Any]

COPIED = ("attribute", "category", "sensor", "visibility")
MAP = "map_raster_palo_alto.png"
FOLDERS = {"jpeg": "images", "bin": "lidar"}
OBJECT = 8
"""Pieces of an object: center_x center_y center_z width length height yaw class_name."""


@dataclass(frozen=True)
class Part:
    """One side of the split."""

    name: str
    logs: list[str]
    """Tokens in the split's order."""
    samples: frozenset[str]


def prepare(data: Dataset) -> None:
    logs, samples = _read(data, "log"), _read(data, "sample")
    tokens = [log["token"] for log in logs]
    promise(len(set(tokens)) == len(tokens), "log.json repeats tokens.")
    strange = {record["scene_token"] for record in samples} - set(tokens)
    promise(not strange, f"sample.json names {len(strange):,} scenes that are no logs of log.json.")
    train, test = parts = [
        Part(name, own, frozenset(record["token"] for record in _where(samples, "scene_token", own)))
        for name, own in zip(("train", "test"), split_items(tokens, test=0.2), strict=True)
    ]

    _write_objects(data, train, test)
    scenes, shots = _read(data, "scene"), _read(data, "sample_data")
    for part in parts:
        _write(data, part, "log", _where(logs, "token", part.logs))
        _write(data, part, "sample", _where(samples, "token", part.samples))
        _write(data, part, "scene", _where(scenes, "log_token", part.logs))
        _write(data, part, "sample_data", _where(shots, "sample_token", part.samples))
        data.public.copy(f"{part.name}_maps/{MAP}", f"train_maps/{MAP}")
        for name in COPIED:
            data.public.copy(f"{part.name}_data/{name}.json", f"train_data/{name}.json")
    _write_used(data, parts, shots, "calibrated_sensor", repeats=False)
    _write_used(data, parts, shots, "ego_pose", repeats=True)
    _write_maps(data, train, test)
    _write_annotations(data, train, test)
    _take_files(data, test, shots)


def _read(data: Dataset, name: str) -> list[Record]:
    records: list[Record] = data.raw.json(f"train_data/{name}.json")
    return records


def _write(data: Dataset, part: Part, name: str, records: Iterable[Record]) -> None:
    data.public.json(f"{part.name}_data/{name}.json", list(records))


def _where(records: Iterable[Record], key: str, wanted: Collection[str]) -> list[Record]:
    known = frozenset(wanted)
    return [record for record in records if record[key] in known]


def _write_objects(data: Dataset, train: Part, test: Part) -> None:
    """The tables of objects: train.csv, the answers and the sample submission."""
    rows = data.raw.csv("train.csv")
    is_listed_once = rows["Id"].is_unique and set(rows["Id"]) == train.samples | test.samples
    promise(is_listed_once, "train.csv must list every sample of sample.json once, and no other.")
    answers = rows[rows["Id"].isin(test.samples)]
    promise(answers["PredictionString"].notna().all(), "A test sample has no objects.")

    data.public.csv("train.csv", rows[rows["Id"].isin(train.samples)])
    data.public.csv("sample_submission.csv", sample(answers, "Id", PredictionString=""))
    sure = [_with_confidence(text) for text in answers["PredictionString"]]
    data.private.csv("test.csv", answers.assign(PredictionString=sure))


def _with_confidence(text: str) -> str:
    pieces = text.split()
    promise(len(pieces) > 0, "A test sample has no objects.")
    promise(len(pieces) % OBJECT == 0, f"A test sample has {len(pieces):,} pieces, not a multiple of {OBJECT}.")
    objects = (pieces[start : start + OBJECT] for start in range(0, len(pieces), OBJECT))
    return " ".join(" ".join(["1.0", *pieces]) for pieces in objects)


def _write_used(data: Dataset, parts: list[Part], shots: list[Record], table: str, *, repeats: bool) -> None:
    """The records that a part's sample data name, in the order of use: once for each use, or at the first one only."""
    records = {record["token"]: record for record in _read(data, table)}
    seen: set[str] = set()
    for part in parts:
        used = [shot[f"{table}_token"] for shot in _where(shots, "sample_token", part.samples)]
        promise(records.keys() >= set(used), f"sample_data.json names records that are not in {table}.json.")
        _write(data, part, table, (records[token] for token in (used if repeats else dict.fromkeys(used))))
        seen.update(used)
    promise(seen == records.keys(), f"{table}.json has {len(records) - len(seen):,} records that no sample data use.")


def _write_maps(data: Dataset, train: Part, test: Part) -> None:
    maps = _read(data, "map")
    promise(len(maps) == 1, f"map.json has {len(maps):,} records; expected one.")
    for part in (train, test):
        listed = part if data.version == "v2" else test
        _write(data, part, "map", [maps[0] | {"log_tokens": listed.logs}])


def _write_annotations(data: Dataset, train: Part, test: Part) -> None:
    """Annotations and instances of the train part; an instance seen in both parts counts as train."""
    annotations, instances = _read(data, "sample_annotation"), _read(data, "instance")
    mine = _where(annotations, "sample_token", train.samples)
    named, elsewhere = (
        {record["instance_token"] for record in records}
        for records in (mine, _where(annotations, "sample_token", test.samples))
    )
    unseen = [record for record in instances if record["token"] not in named | elsewhere]
    promise(not unseen, f"instance.json has {len(unseen):,} records that no annotation names.")
    _write(data, train, "sample_annotation", mine)
    _write(data, train, "instance", _where(instances, "token", named))


def _take_files(data: Dataset, test: Part, shots: list[Record]) -> None:
    strange = {shot["fileformat"] for shot in shots} - FOLDERS.keys()
    promise(not strange, f"sample_data.json has files of the formats {sorted(strange)}; expected {sorted(FOLDERS)}.")
    pairs = []
    for shot in shots:
        name, folder = PurePosixPath(shot["filename"]).name, FOLDERS[shot["fileformat"]]
        part = "test" if shot["sample_token"] in test.samples else "train"
        pairs.append((f"{part}_{folder}/{name}", f"train_{folder}/{name}"))
    data.public.take(dict.fromkeys(pairs))
