"""iWildCam 2020: whole places are held back until there are enough pictures; accuracy."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious.splitting import copy_files, split, write, write_json
from benchmarks.competitions.obvious.tables import scored

TRAIN, TEST = "iwildcam2020_train_annotations.json", "iwildcam2020_test_information.json"
SHARE = 0.22

grade = scored(accuracy_score, "Id", "Category", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    document, about = (json.loads((raw / name).read_text()) for name in (TRAIN, TEST))
    annotations, images = pd.DataFrame(document["annotations"]), pd.DataFrame(document["images"])
    places = held_back(images["location"])
    train_images, test_images = (images[images["location"].isin(places) == is_test] for is_test in (False, True))
    train_labels, test_labels = (
        annotations[annotations["image_id"].isin(some["id"])] for some in (train_images, test_images)
    )
    answers = test_labels[["image_id", "category_id"]].rename(columns={"image_id": "Id", "category_id": "Category"})
    write(private / "answers.csv", answers)
    np.random.seed(0)
    write(public / "sample_submission.csv", answers.assign(Category=np.random.randint(0, 676, size=len(answers))))
    shown = {"annotations": train_labels.to_dict("records"), "images": train_images.to_dict("records")}
    write_json(public / TRAIN, shown | {name: document[name] for name in ("categories", "info")})
    write_json(public / TEST, about | {"images": test_images.to_dict("records")})
    shutil.copy(raw / "iwildcam2020_megadetector_results.json", public)
    for part, some in (("train", train_images), ("test", test_images)):
        copy_files(some["id"] + ".jpg", raw / "train", public / part)


def held_back(locations: "pd.Series[Any]") -> list[Any]:
    """The places of the test part; the last ones change sides until their share of pictures is right."""
    train, test = (list(part) for part in split(locations.unique(), test_size=SHARE))

    def share() -> float:
        pictures = locations.isin(test).sum()
        return float(pictures / (len(locations) + pictures))

    while share() < SHARE:
        test.append(train.pop())
    while share() > SHARE:
        train.append(test.pop())
    return test
