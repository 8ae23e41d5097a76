"""Ways to gain by nonsense, or to be scored without what the task asks for: what v1 gives for each, and what v2 does.

docs/nonsense.md tells of each in words. A trick is made from an honest submission; some look at the answers, to show
how far the trick carries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from honest import Target

import catalog

Table = pd.DataFrame


@dataclass(frozen=True)
class Trick:
    """One trick in one competition."""

    competition: str
    what: str
    make: Callable[[Target], tuple[Table, Table]]
    """The honest submission and the one with the trick in it."""
    gains: bool = True
    """Whether v1 gives the trick a better score than the honest submission."""
    v2: Literal["rejects", "gives nothing"] = "rejects"


def answers(target: Target, name: str) -> Table:
    return pd.read_csv(target.made.private / name, float_precision="round_trip")


def honest(target: Target) -> Table:
    """A poor submission that keeps the rules, in the order of the sample."""
    return next(
        target.submissions[name] for name in ("noisy", "random", "noise", "guess") if name in target.submissions
    )


def with_easy_ids_repeated(column: str, answers_file: str, key: str) -> Callable[[Target], tuple[Table, Table]]:
    """The rows that are nearly right stand there a hundred times."""

    def make(target: Target) -> tuple[Table, Table]:
        frame = honest(target)
        truth = answers(target, answers_file).set_index(key)[column]
        error = (frame[column].to_numpy() - truth.loc[frame[key]].to_numpy()).astype(float)
        easy = frame[np.abs(error) <= np.quantile(np.abs(error), 0.2)]
        return frame, pd.concat([frame, *[easy] * 100])

    return make


def with_other_ids(key: str) -> Callable[[Target], tuple[Table, Table]]:
    """Ids are made up, in the order of the right ones."""

    def make(target: Target) -> tuple[Table, Table]:
        frame = honest(target)
        made_up = frame[key] + 1 if pd.api.types.is_numeric_dtype(frame[key]) else "zz" + frame[key]
        return frame, frame.assign(**{key: made_up})

    return make


def with_an_id_in_place_of_its_neighbour(key: str) -> Callable[[Target], tuple[Table, Table]]:
    def make(target: Target) -> tuple[Table, Table]:
        frame = honest(target).sort_values(key, ignore_index=True)
        ids = frame[key].to_numpy(copy=True)
        changes = np.flatnonzero(ids[1:] != ids[:-1])
        ids[changes[len(changes) // 2] + 1] = ids[changes[len(changes) // 2]]
        return frame, frame.assign(**{key: ids})

    return make


def with_a_customer_twice(target: Target) -> tuple[Table, Table]:
    frame = honest(target)
    return frame, pd.concat([frame, frame])


def predicting_nothing(target: Target) -> tuple[Table, Table]:
    frame = honest(target)
    return frame, frame.assign(PredictionString="")


def with_empty_masks(target: Target) -> tuple[Table, Table]:
    """tgs: one wrong pixel wherever there is salt, and the same with nothing instead."""
    truth = target.perfect
    return truth.assign(rle_mask=truth["rle_mask"].where(truth["rle_mask"].isna(), "1 1")), truth.assign(rle_mask="")


def with_a_scored_id_in_place_of_another(target: Target) -> tuple[Table, Table]:
    """jigsaw: rows whose labels are -1 in the answers are not scored."""
    frame = honest(target)
    truth = answers(target, catalog.load(target.made.id).answers).set_index("id")
    first, second = frame.index[(truth.loc[frame["id"], "toxic"] >= 0).to_numpy()][:2]
    return frame, frame.assign(id=frame["id"].where(frame.index != second, frame["id"][first]))


def without_hard_rows(target: Target) -> tuple[Table, Table]:
    """osic: only the rows that are nearly right are handed in."""
    frame = honest(target)
    truth = answers(target, "test.csv").set_index("Patient_Week")["FVC"]
    error = np.abs(frame["FVC"].to_numpy() - truth.loc[frame["Patient_Week"]].to_numpy())
    return frame, frame[~(error > np.nanquantile(error, 0.3))]


def without_last_rows(target: Target) -> tuple[Table, Table]:
    return honest(target), honest(target).iloc[: len(honest(target)) // 2]


def with_votes_left_out(target: Target) -> tuple[Table, Table]:
    """hms: all goes to one kind of vote, and the others are left blank."""
    frame = honest(target)
    votes = [column for column in frame.columns if column.endswith("_vote")]
    return frame, frame.assign(**(dict.fromkeys(votes, np.nan) | {votes[0]: 1.0}))


def with_boxes_of_negative_confidence(target: Target) -> tuple[Table, Table]:
    """siim: a box of every class in every row, nowhere near anything, that ranks below all that was missed."""
    kinds = ("atypical", "indeterminate", "negative", "none", "opacity", "typical")
    nowhere = " ".join(f"{kind} -1 9000 9000 9001 9001" for kind in kinds)
    return honest(target), honest(target).assign(PredictionString=nowhere)


def with_endless_boxes(far: str) -> Callable[[Target], tuple[Table, Table]]:
    """vinbigdata: a box of every class from the origin to nowhere."""
    boxes = " ".join(f"{kind} 1 0 0 {far} {far}" for kind in range(15))
    return lambda target: (honest(target), honest(target).assign(PredictionString=boxes))


def with_sure_cases_overstated(column: str, top: int) -> Callable[[Target], tuple[Table, Table]]:
    """The top ones right and the others guessed; then the top ones are said to be beyond the scale."""

    def make(target: Target) -> tuple[Table, Table]:
        truth = target.perfect
        true = pd.to_numeric(truth[column]).to_numpy()
        is_top = true == true.max()
        said = np.where(is_top, true, np.roll(true, 1))
        overstated = np.where(is_top, top + 1, said)
        return truth.assign(**{column: said}), truth.assign(**{column: overstated})

    return make


TRICKS = (
    Trick(
        "champs-scalar-coupling",
        "repeat the ids of which one is sure",
        with_easy_ids_repeated("scalar_coupling_constant", "answers.csv", "id"),
    ),
    Trick(
        "predict-volcanic-eruptions-ingv-oe",
        "repeat the ids of which one is sure",
        with_easy_ids_repeated("time_to_eruption", "test.csv", "segment_id"),
    ),
    Trick("osic-pulmonary-fibrosis-progression", "leave out hard rows", without_hard_rows),
    Trick("uw-madison-gi-tract-image-segmentation", "leave out the last rows", without_last_rows, gains=False),
    Trick("hms-harmful-brain-activity-classification", "leave votes blank", with_votes_left_out),
    Trick(
        "hms-harmful-brain-activity-classification",
        "write an id in place of another",
        with_an_id_in_place_of_its_neighbour("eeg_id"),
        gains=False,
    ),
    Trick(
        "siim-covid19-detection",
        "give wrong boxes negative confidences",
        with_boxes_of_negative_confidence,
        v2="gives nothing",
    ),
    Trick("vinbigdata-chest-xray-abnormalities-detection", "write nan for far corners", with_endless_boxes("nan")),
    Trick("tgs-salt-identification-challenge", "leave masks empty", with_empty_masks, v2="gives nothing"),
    Trick("tensorflow2-question-answering", "predict nothing", predicting_nothing, v2="gives nothing"),
    Trick(
        "aptos2019-blindness-detection", "predict grades beyond the scale", with_sure_cases_overstated("diagnosis", 4)
    ),
    Trick(
        "learning-agency-lab-automated-essay-scoring-2",
        "predict scores beyond the scale",
        with_sure_cases_overstated("score", 6),
    ),
    Trick("new-york-city-taxi-fare-prediction", "make ids up", with_other_ids("key"), gains=False),
    Trick("google-quest-challenge", "make ids up", with_other_ids("qa_id"), gains=False),
    Trick("nomad2018-predict-transparent-conductors", "make ids up", with_other_ids("id"), gains=False),
    Trick("smartphone-decimeter-2022", "make times up", with_other_ids("UnixTimeMillis"), gains=False),
    Trick("uw-madison-gi-tract-image-segmentation", "make ids up", with_other_ids("id"), gains=False),
    Trick(
        "h-and-m-personalized-fashion-recommendations",
        "list customers twice",
        with_a_customer_twice,
        gains=False,
    ),
    Trick(
        "jigsaw-toxic-comment-classification-challenge",
        "write an id in place of another",
        with_a_scored_id_in_place_of_another,
        gains=False,
    ),
)
