"""Synthetic raw data and submissions for cassava-leaf-disease-classification."""
from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, csv_text, write

N = 320  # images of the raw train set, in 16 TFRecord files
DISEASES = {
    "0": "Cassava Bacterial Blight (CBB)", "1": "Cassava Brown Streak Disease (CBSD)", "2": "Cassava Green Mottle (CGM)",
    "3": "Cassava Mosaic Disease (CMD)", "4": "Healthy",
}
TABLE = []
for _i in range(256):
    for _ in range(8):
        _i = (_i >> 1) ^ (0x82F63B78 if _i & 1 else 0)
    TABLE.append(_i)


def crc(data: bytes) -> int:
    """TFRecord's masked CRC-32C."""
    c = 0xFFFFFFFF
    for b in data:
        c = TABLE[(c ^ b) & 0xFF] ^ (c >> 8)
    c ^= 0xFFFFFFFF
    return (((c >> 15) | (c << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def varint(n: int) -> bytes:
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number: int, data: bytes) -> bytes:
    """A length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(name: str, image: bytes, target: int) -> bytes:
    """A serialised tf.train.Example with the features of the real files."""
    features = {
        b"image": field(1, field(1, image)),
        b"image_name": field(1, field(1, name.encode())),
        b"target": field(3, field(1, varint(target))),
    }
    return field(1, b"".join(field(1, field(1, k) + field(2, v)) for k, v in features.items()))


def record(data: bytes) -> bytes:
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", crc(size)) + data + struct.pack("<I", crc(data))


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    names = [f"{c}.jpg" for c in np.sort(rng.permutation(10 * n)[:n]) + 10**7]
    labels = rng.choice(5, n, p=[0.05, 0.1, 0.11, 0.62, 0.12])
    images = [blob(rng) for _ in names]
    write(raw / "train.csv", csv_text([{"image_id": i, "label": int(k)} for i, k in zip(names, labels)]))
    write(raw / "sample_submission.csv", "image_id,label\n2216849948.jpg,4\n")
    write(raw / "label_num_to_disease_map.json", json.dumps(DISEASES))
    for i, data in zip(names, images):
        write(raw / "train_images" / i, data)
    order = rng.permutation(n)[1:]  # one image is in no record
    cuts = np.arange(1, 16) * (n // 16) + rng.integers(-(n // 64), n // 64 + 1, 15)  # unequal files
    for k, part in enumerate(np.split(order, cuts)):
        records = [record(example(names[i], images[i], int(labels[i]))) for i in part]
        records.append(record(example(f"unlisted{k}.jpg", b"", 0)))  # and one record is of no listed image
        write(raw / f"train_tfrecords/ld_train{k:02d}-{len(part)}.tfrec", b"".join(records))
    write(raw / "train_tfrecords/notes.txt", "not a record file\n")
    write(raw / "test_images/2216849948.jpg", blob(rng))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    n = len(sample)
    guess = sample.assign(label=rng.integers(0, 5, n))
    good = truth.assign(label=np.where(rng.random(n) < 0.8, truth["label"], guess["label"]))
    first = np.arange(n) == 0
    return {
        "sample": sample,
        "guess": guess,
        "good_shuffled": good.iloc[rng.permutation(n)],
        "perfect": truth,
        "quirk_whole_floats": good.assign(label=good["label"].astype(float)),
        "quirk_unknown_class": good.assign(label=np.where(first, 17, good["label"])),
        "quirk_extra_column": good.assign(note="x").iloc[:, ::-1],
        "quirk_words_all_wrong": sample.assign(label=[DISEASES[str(k)] for k in truth["label"]]),
        "bad_missing_row": sample.iloc[1:],
        "bad_extra_row": pd.concat([sample, sample.iloc[:1]]),
        "bad_no_label": sample.rename(columns={"label": "Label"}),
        "bad_no_id": sample.rename(columns={"image_id": "id"}),
        "bad_ids": sample.assign(image_id=sample["image_id"].str.replace(".jpg", "")),
        "bad_fraction": good.assign(label=good["label"] + 0.5 * first),
        "bad_blank": good.assign(label=good["label"].where(~first)),
    }
