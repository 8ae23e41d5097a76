"""Synthetic raw data and submissions for siim-isic-melanoma-classification."""
from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, write

N = 320  # rows of the raw train set

_CRC = []
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = (_c >> 1) ^ (0x82F63B78 if _c & 1 else 0)
    _CRC.append(_c)


def masked_crc(data: bytes) -> bytes:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def example(features: dict[str, bytes | int]) -> bytes:
    """A serialised tf.train.Example."""
    entries = b""
    for name, value in features.items():
        if isinstance(value, bytes):
            feature = _field(1, _field(1, value))
        else:
            feature = _field(3, _field(1, _varint(value)))
        entries += _field(1, _field(1, name.encode()) + _field(2, feature))
    return _field(1, entries)


def tfrecord(records: list[bytes]) -> bytes:
    out = b""
    for data in records:
        length = struct.pack("<Q", len(data))
        out += length + masked_crc(length) + data + masked_crc(data)
    return out


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    numbers = rng.permutation(20 * n)[:n]
    names = [f"ISIC_{int(k):07d}" for k in numbers]
    target = (rng.random(n) < 0.25).astype(int)
    age = rng.choice([np.nan, 0, 15, 20, 45, 50, 70, 90], n)
    frame = pd.DataFrame({
        "image_name": names,
        "patient_id": [f"IP_{int(k):07d}" for k in rng.integers(0, n // 5 + 1, n)],
        "sex": rng.choice(["male", "female", ""], n, p=[0.5, 0.45, 0.05]),
        "age_approx": age,
        "anatom_site_general_challenge": rng.choice(["torso", "lower extremity", "head/neck", "palms/soles", ""], n),
        "diagnosis": np.where(target == 1, "melanoma", rng.choice(["unknown", "nevus"], n)),
        "benign_malignant": np.where(target == 1, "malignant", "benign"),
        "target": target,
    })
    write(raw / "train.csv", frame.to_csv(index=False))
    for name in names:
        write(raw / "train" / f"{name}.dcm", blob(rng, 48))
        write(raw / "jpeg/train" / f"{name}.jpg", blob(rng, 40))
    # 16 record files; the last row is in none, and one record of a test file has no row
    order = rng.permutation(n - 1)
    for k in range(16):
        records = [example({"image": blob(rng, 20), "image_name": names[i].encode(), "target": int(target[i])}) for i in order[k::16]]
        if k == 6:
            records.append(example({"target": 1, "image": blob(rng, 200), "image_name": b"ISIC_stranger"}))
        write(raw / "tfrecords" / f"train{k:02d}-{2071 if k < 15 else 2061}.tfrec", tfrecord(records))
    write(raw / "tfrecords/test00-687.tfrec", tfrecord([example({"image": b"x", "image_name": b"ISIC_test"})]))


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "test.csv")
    noisy = sample.assign(target=rng.random(len(sample)))
    good = truth.assign(target=0.4 * truth["target"] + 0.6 * rng.random(len(truth)))
    with_nan = noisy.copy()
    with_nan.loc[3, "target"] = np.nan
    text = noisy.astype({"target": object})
    text.loc[0, "target"] = "malignant"
    repeated = noisy.copy()
    repeated.loc[1, "image_name"] = repeated.loc[0, "image_name"]
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.sample(frac=1, random_state=int(rng.integers(1 << 30))),
        "perfect": truth,
        "ties": good.assign(target=good["target"].round(1)),
        "quirk_extra_column": noisy.assign(sex="male"),
        "bad_missing_row": sample.iloc[1:],
        "bad_no_target": sample.drop(columns="target"),
        "bad_no_name": sample.rename(columns={"image_name": "id"}),
        "bad_above_one": noisy.assign(target=noisy["target"] * 100),
        "bad_negative": noisy.assign(target=noisy["target"] - 1),
        "bad_nan": with_nan,
        "bad_text": text,
        "bad_ids": sample.assign(image_name=sample["image_name"] + ".jpg"),
        "bad_repeated_id": repeated,
    }
