"""RSNA 2022 Cervical Spine: a weighted log loss of fractures, in seven vertebrae and in the neck as a whole.

The neck weighs seven times as much as a vertebra, and a fracture twice as much as none; the weights are normalised
study by study. v2 is the same.
"""

import numpy as np
import pandas as pd

from graders.toolkit import Entry, pair_probabilities

NECK_WEIGHT, FRACTURE_WEIGHT = 7, 2
LEAST = 1e-15


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, "fractured", on="row_id")
    fractured = truth.to_numpy(dtype=np.float64)
    said = np.clip(predicted.to_numpy(dtype=np.float64), LEAST, 1 - LEAST)
    loss = -(fractured * np.log(said) + (1 - fractured) * np.log(1 - said))

    answers = entry.answers.loc[truth.index]
    is_neck = (answers["prediction_type"] == "patient_overall").to_numpy()
    weight = np.where(is_neck, NECK_WEIGHT, 1) * np.where(fractured == 1, FRACTURE_WEIGHT, 1)
    study = pd.factorize(answers["StudyInstanceUID"])[0]
    return float(np.mean(np.bincount(study, weight * loss) / np.bincount(study, weight)))
