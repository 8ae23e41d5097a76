"""Freesound 2019: Kaggle's own split, labels from an archive; scikit-learn's label ranking, weighted."""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.metrics import label_ranking_average_precision_score

import catalog
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import unpacked, write
from benchmarks.competitions.obvious.tables import scored

CLASSES = catalog.load("freesound-audio-tagging-2019").data["classes"]
META = "FSDKaggle2019.meta"


def lwlrap(truth: Any, predicted: Any) -> float:
    true, said = truth.to_numpy(), predicted.to_numpy()
    labels = true.sum(axis=1)
    has_any = labels > 0
    return float(label_ranking_average_precision_score(true[has_any], said[has_any], sample_weight=labels[has_any]))


grade = scored(lwlrap, "fname")


def prepare(raw: Path, public: Path, private: Path) -> None:
    public.mkdir(parents=True)
    for path in raw.iterdir():
        if META in path.name:
            continue
        if path.is_dir():
            shutil.copytree(path, public / path.name)
        else:
            shutil.copy(path, public)
    with unpacked(raw / f"{META}.zip", public) as folder:
        clips = read(folder / META / "test_post_competition.csv")
    clips = clips[clips["usage"] == "Private"]
    labels = clips["labels"].fillna("").str.split(",")
    columns = pd.DataFrame({name: [int(name in some) for some in labels] for name in CLASSES}, index=clips.index)
    write(private / "test.csv", pd.concat([clips[["fname"]], columns], axis=1))
