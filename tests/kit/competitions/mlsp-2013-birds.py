"""Synthetic raw data and submissions for mlsp-2013-birds."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from rawfiles import blob, write_zip

N = 322  # recordings of fold 0, as in Kaggle's data (64 of them become the test set)
SPECIES = 19


def make_raw(raw: Path, rng: np.random.Generator, n: int) -> None:
    """Write what Kaggle delivers, after the outer competition zip is unpacked."""
    total = n + max(10, n // 8)
    fold = np.zeros(total, dtype=int)
    fold[rng.choice(total, total - n, replace=False)] = 1
    stamps = rng.choice(10**6, total, replace=False)
    names = [f"PC{1 + s % 18}_20{90606 + i}_{s:06d}_0{s % 10}0" for i, s in enumerate(stamps)]
    base = "mlsp_contest_dataset/"
    essential, extra = base + "essential_data/", base + "supplemental_data/"
    files: dict[str, bytes | str] = {base + "README.txt": "readme\n"}
    files[essential + "CVfolds_2.txt"] = "rec_id,fold\n" + "".join(f"{i},{f}\n" for i, f in enumerate(fold))
    # the order of the next two differs from the order of rec_id
    files[essential + "rec_id2filename.txt"] = "rec_id,filename\n" + "".join(f"{i},{names[i]}\n" for i in rng.permutation(total))
    lines = []
    for i in rng.permutation(total):
        count = int(rng.choice([0, 0, 1, 1, 2, 3]))
        found = sorted(int(s) for s in rng.choice(SPECIES, count, replace=False))
        if fold[i]:
            lines.append(f"{i},?")
        elif found:
            lines.append(f"{i}," + ",".join(map(str, found)))
        else:
            lines.append(f"{i}" + ("," if rng.random() < 0.1 else ""))
    files[essential + "rec_labels_test_hidden.txt"] = "rec_id,[labels]\r\n" + "".join(s + "\r\n" for s in lines)
    files[essential + "species_list.txt"] = "class_id,code,species\n" + "".join(f"{k},SP{k},Bird {k}\n" for k in range(SPECIES))
    features, boxes, histogram = [], [], []
    for i in range(total):
        count = int(rng.integers(0, 4))
        for s in range(count):
            features.append(f"{i},{s}," + ",".join(f"{v:.6f}" for v in rng.random(5)))
            boxes.append(f"{i},{s}," + ",".join(map(str, rng.integers(0, 1246, 4))))
        histogram.append(f"{i}," + ",".join(f"{v:.4f}" for v in rng.random(4)) if count else f"{i}")
    files[extra + "segment_features.txt"] = "rec_id,segment_id,[feature vector]\n" + "\n".join(features) + "\n"
    files[extra + "segment_rectangles.txt"] = "rec_id,segment_id,min_x,max_x,min_y,max_y\n" + "\n".join(boxes)
    files[extra + "histogram_of_segments.txt"] = "rec_id,[histogram of segment features]\n" + "\n".join(histogram) + "\n"
    files[extra + "segment_clusters.bmp"] = blob(rng)
    files[extra + "segment_mosaic.bmp"] = blob(rng)
    for i, name in enumerate(names):
        if fold[i] and i % 9:
            continue  # the files of fold 1 are never used
        files[essential + f"src_wavs/{name}.wav"] = blob(rng, 16)
        for folder in ("filtered_spectrograms", "spectrograms", "supervised_segmentation"):
            files[extra + f"{folder}/{name}.bmp"] = blob(rng, 16)
        if i % 16 == 3:
            files[extra + f"segmentation_examples/{name}.bmp"] = blob(rng, 16)
    write_zip(raw / "mlsp_contest_dataset.zip", files)


def submissions(public: Path, private: Path, rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """Submissions by name; those named bad_* must be rejected."""
    sample = pd.read_csv(public / "sample_submission.csv")
    truth = pd.read_csv(private / "answers.csv")
    n = len(sample)
    noisy = sample.assign(Probability=rng.random(n))
    good = truth.assign(Probability=np.clip(0.5 * truth["Probability"] + 0.6 * rng.random(n), 0, 1))
    order = int(rng.integers(1 << 30))
    twice = noisy.copy()
    twice.loc[0, "Id"] = twice.loc[1, "Id"]
    missing = noisy.copy()
    missing.loc[0, "Probability"] = np.nan
    return {
        "sample": sample,
        "noisy": noisy,
        "good_shuffled": good.sample(frac=1, random_state=order),
        "perfect": truth,
        "ties": good.assign(Probability=good["Probability"].round(1)),
        "quirk_extra_column": good.assign(note="x"),
        "bad_missing_row": noisy.iloc[1:],
        "bad_extra_row": pd.concat([noisy, noisy.iloc[:1]]),
        "bad_missing_column": noisy.drop(columns="Probability"),
        "bad_no_id": noisy.rename(columns={"Id": "id"}),
        "bad_ids": noisy.assign(Id=noisy["Id"] + 1),
        "bad_duplicate_id": twice,
        "bad_above_one": noisy.assign(Probability=noisy["Probability"] + 0.5),
        "bad_negative": noisy.assign(Probability=noisy["Probability"] - 0.5),
        "bad_missing_value": missing,
        "bad_text": noisy.assign(Probability="likely"),
    }
