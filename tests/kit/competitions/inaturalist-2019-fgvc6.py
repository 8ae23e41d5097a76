"""Synthetic raw data and submissions for inaturalist-2019-fgvc6."""
from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, write

N = 300  # annotated images of the raw train set
GROUPS = ["Amphibians", "Birds", "Fungi", "Insects", "Plants", "Reptiles"]


def tar_gz(members: dict[str, bytes]) -> bytes:
    buf = io.BytesIO()
    with tarfile.open(fileobj=buf, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(buf.getvalue(), mtime=0)


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    count = min(1010, max(12, n // 10))
    kinds = rng.permutation(1010)[:count]
    sizes = [1, 2, 3, 4, 5, 6, 8, 9, 1, 4]  # below 5 images a category has a rule of its own
    which = np.repeat(np.arange(10), sizes)
    which = rng.permutation(np.concatenate([which, rng.integers(10, count, n - len(which))]))
    images, annotations, files = [], [], {}
    numbers = rng.permutation(3 * n)
    for k in range(n + 4):  # the last four are validation images
        kind = int(kinds[which[k % n]])
        name = f"train_val2019/{GROUPS[kind % 6]}/{kind}/{rng.bytes(16).hex()}.jpg"
        images.append({
            "license": int(rng.integers(1, 8)), "file_name": name, "rights_holder": "Zoë \"Z\" 木" if k % 7 == 0 else "Ann",
            "width": int(rng.integers(300, 800)), "id": int(numbers[k]), "height": 800,
        })
        annotations.append({"image_id": int(numbers[k]), "id": int(numbers[k]), "category_id": kind})
        files[name] = blob(rng)
    common = {
        "info": {"description": "synthetic", "year": 2019, "version": 1.0, "contributor": "none", "url": "", "date_created": "2019"},
        "categories": [{"id": int(i), "name": str(i), "kingdom": "Ⅎ", "class": "c"} for i in np.sort(kinds)],
        "licenses": [{"url": "u", "id": i, "name": f"CC {i}"} for i in range(1, 8)],
    }
    write(raw / "train2019.json", json.dumps({**common, "images": images[:n], "annotations": annotations[:n]}, ensure_ascii=False))
    write(raw / "val2019.json", json.dumps({**common, "images": images[n:], "annotations": annotations[n:]}))
    write(raw / "train_val2019.tar.gz", tar_gz({name: files[name] for name in sorted(files)}))
    write(raw / "test2019.json", "{}")
    write(raw / "kaggle_sample_submission.csv", "id,predicted\n268243,71 108 339 341 560\n")


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "kaggle_sample_submission.csv")
    truth = pd.read_csv(private / "answers.csv")
    n = len(sample)
    guess = sample.assign(predicted=rng.choice(truth["predicted"], n))
    good = truth.assign(predicted=np.where(rng.random(n) < 0.8, truth["predicted"], guess["predicted"]))
    five = good.assign(predicted=[f"{a} {b} {c}" for a, b, c in zip(good["predicted"], truth["predicted"], guess["predicted"])])
    first = np.arange(n) == 0
    return {
        "sample": sample,
        "guess": guess,
        "good_shuffled": good.iloc[rng.permutation(n)],
        "perfect": truth,
        "several_labels": five,
        "some_several_labels": five.assign(predicted=np.where(first, five["predicted"], good["predicted"].astype(str))),
        "quirk_unknown_class": good.assign(predicted=np.where(first, 5000, good["predicted"])),
        "quirk_extra_column": good.assign(note="x").iloc[:, ::-1],
        "quirk_rest_of_list_ignored": five.assign(predicted=five["predicted"] + " and more"),
        "bad_missing_row": sample.iloc[1:],
        "bad_extra_row": pd.concat([sample, sample.iloc[:1]]),
        "bad_no_predicted": sample.rename(columns={"predicted": "label"}),
        "bad_no_id": sample.rename(columns={"id": "image_id"}),
        "bad_ids": sample.assign(id=sample["id"] + 10**6),
        "bad_duplicate_id": sample.assign(id=np.where(first, sample["id"][1], sample["id"])),
        "bad_float": good.assign(predicted=good["predicted"].astype(float)),
        "bad_blank": good.assign(predicted=good["predicted"].where(~first)),
        "bad_blank_among_lists": five.assign(predicted=five["predicted"].where(~first)),
        "bad_words": good.assign(predicted="plant"),
    }
