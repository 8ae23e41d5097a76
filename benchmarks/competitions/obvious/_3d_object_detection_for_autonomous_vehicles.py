"""Lyft 3D: boxes one by one, rectangles clipped against each other edge by edge; whole logs are held back."""

import json
import shutil
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious.reading import read, sorted_pair
from benchmarks.competitions.obvious.splitting import copy_files, split, write, write_json

Record = dict[str, Any]
Point = tuple[float, float]
Found = tuple[float, list[float], str]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "Id")
    thresholds = [0.5 + 0.05 * step for step in range(10)]
    rows = zip(predicted["PredictionString"], truth["PredictionString"], strict=True)
    values = [sample_value(parse(said), parse(true), t) for said, true in rows for t in thresholds]
    return float(np.mean(values))


def parse(text: object) -> list[Found]:
    if pd.isna(text) or not str(text).strip():
        return []
    words = str(text).split(" ")
    return [
        (float(words[at]), [float(word) for word in words[at + 1 : at + 8]], words[at + 8])
        for at in range(0, len(words), 9)
    ]


def sample_value(said: list[Found], true: list[Found], threshold: float) -> float:
    precisions = []
    for kind in sorted({name for _, _, name in true}):
        boxes = [box for _, box, name in true if name == kind]
        found = sorted(((c, box) for c, box, name in said if name == kind), key=lambda one: -one[0])
        precisions.append(average_precision([box for _, box in found], boxes, threshold) if found else 0.0)
    return float(np.mean(precisions))


def average_precision(found: list[list[float]], boxes: list[list[float]], threshold: float) -> float:
    taken = [False] * len(boxes)
    hits = []
    for box in found:
        overlaps = [iou(box, other) for other in boxes]
        best = int(np.argmax(overlaps))
        is_hit = overlaps[best] > threshold and not taken[best]
        taken[best] |= is_hit
        hits.append(is_hit)
    tp = np.cumsum(hits)
    recall = np.concatenate([[0], tp / len(boxes), [1]])
    precision = np.concatenate([[0], tp / np.arange(1, len(hits) + 1), [0]])
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * precision[1:]))


def iou(a: list[float], b: list[float]) -> float:
    area = overlap_area(corners(a), corners(b))
    height = max(0.0, min(a[2] + a[5] / 2, b[2] + b[5] / 2) - max(a[2] - a[5] / 2, b[2] - b[5] / 2))
    common = area * height
    return min(1.0, max(0.0, common / (a[3] * a[4] * a[5] + b[3] * b[4] * b[5] - common)))


def corners(box: list[float]) -> list[Point]:
    x, y, _, width, length, _, yaw = box
    ahead = (length / 2 * cos(yaw), length / 2 * sin(yaw))
    aside = (width / 2 * sin(yaw), -width / 2 * cos(yaw))
    signs = ((1, 1), (1, -1), (-1, -1), (-1, 1))
    return [(x + i * ahead[0] + j * aside[0], y + i * ahead[1] + j * aside[1]) for i, j in signs]


def overlap_area(first: list[Point], second: list[Point]) -> float:
    """Sutherland and Hodgman: cut the first by each edge of the second, which runs counter-clockwise."""
    shape = first
    for (ax, ay), (bx, by) in zip(second, second[1:] + second[:1], strict=True):
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in shape]
        cut: list[Point] = []
        for place, (point, side) in enumerate(zip(shape, sides, strict=True)):
            before, side_before = shape[place - 1], sides[place - 1]
            if (side >= 0) != (side_before >= 0):
                share = side_before / (side_before - side)
                cut.append((before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1])))
            if side >= 0:
                cut.append(point)
        shape = cut
        if not shape:
            return 0.0
    turned = shape[1:] + shape[:1]
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(shape, turned, strict=True))) / 2


def prepare(raw: Path, public: Path, private: Path) -> None:
    names = ("log", "scene", "sample", "sample_data", "calibrated_sensor", "ego_pose", "sample_annotation", "instance")
    data: dict[str, list[Record]] = {
        name: json.loads((raw / "train_data" / f"{name}.json").read_text()) for name in (*names, "map")
    }
    objects = read(raw / "train.csv")
    parts = split([log["token"] for log in data["log"]], test_size=0.2)
    for part, logs in zip(("train", "test"), parts, strict=True):
        out = public / f"{part}_data"
        samples = where(data["sample"], "scene_token", set(logs))
        tokens = {sample["token"] for sample in samples}
        shots = where(data["sample_data"], "sample_token", tokens)
        sensors = {record["token"]: record for record in data["calibrated_sensor"]}
        poses = {record["token"]: record for record in data["ego_pose"]}
        write_json(out / "log.json", where(data["log"], "token", set(logs)))
        write_json(out / "scene.json", where(data["scene"], "log_token", set(logs)))
        write_json(out / "sample.json", samples)
        write_json(out / "sample_data.json", shots)
        used = dict.fromkeys(shot["calibrated_sensor_token"] for shot in shots)
        write_json(out / "calibrated_sensor.json", [sensors[token] for token in used])
        write_json(out / "ego_pose.json", [poses[shot["ego_pose_token"]] for shot in shots])
        write_json(out / "map.json", [data["map"][0] | {"log_tokens": parts[1]}])
        copy_files(["map_raster_palo_alto.png"], raw / "train_maps", public / f"{part}_maps")
        for name in ("attribute", "category", "sensor", "visibility"):
            shutil.copy(raw / "train_data" / f"{name}.json", out)
        for kind, folder in (("jpeg", "images"), ("bin", "lidar")):
            files = [Path(shot["filename"]).name for shot in shots if shot["fileformat"] == kind]
            copy_files(files, raw / f"train_{folder}", public / f"{part}_{folder}")
        rows = objects[objects["Id"].isin(tokens)]
        if part == "train":
            write(public / "train.csv", rows)
            annotations = where(data["sample_annotation"], "sample_token", tokens)
            write_json(out / "sample_annotation.json", annotations)
            seen = {annotation["instance_token"] for annotation in annotations}
            write_json(out / "instance.json", where(data["instance"], "token", seen))
        else:
            write(private / "test.csv", rows.assign(PredictionString=rows["PredictionString"].map(with_confidence)))
            write(public / "sample_submission.csv", rows.assign(PredictionString=""))


def where(records: list[Record], field: str, values: set[str]) -> list[Record]:
    return [record for record in records if record[field] in values]


def with_confidence(text: str) -> str:
    words = text.split()
    return " ".join(" ".join(["1.0", *words[at : at + 8]]) for at in range(0, len(words), 8))
