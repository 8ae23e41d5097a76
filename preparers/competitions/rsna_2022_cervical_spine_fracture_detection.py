"""RSNA 2022 Cervical Spine: fractures of seven vertebrae in CT scans; a tenth of the studies is drawn at random.

The draw keeps the shares of studies with boxes, with segmentations, and with both. v1 trains on the tenth that was
drawn and tests on all others, and drops boxes and segmentations of studies that were drawn for neither. v2 tests on the
tenth, and train studies keep what they have.
"""

from collections.abc import Sequence
from pathlib import PurePosixPath
from random import Random

from preparers.toolkit import Dataset, has_columns, promise, sample

STUDY = "StudyInstanceUID"
LABELS = ["patient_overall", "C1", "C2", "C3", "C4", "C5", "C6", "C7"]


def prepare(data: Dataset) -> None:
    studies, boxes = data.raw.csv("train.csv"), data.raw.csv("train_bounding_boxes.csv")
    has_columns(studies, STUDY, *LABELS, name="train.csv")
    has_columns(boxes, STUDY, "x", "y", "width", "height", "slice_number", name="train_bounding_boxes.csv")
    boxed = sorted(boxes[STUDY].unique())
    segmented = sorted(PurePosixPath(name).stem for name in data.raw.names("segmentations/*.nii"))
    both, only_segmented, only_boxed, rest = _draw(list(studies[STUDY]), boxed, segmented)
    is_drawn = studies[STUDY].isin([*both, *only_segmented, *only_boxed, *rest])
    if data.version == "v1":
        train, test = studies[is_drawn], studies[~is_drawn]
        with_boxes, with_segmentation = {*both, *only_boxed}, {*both, *only_segmented}
    else:
        train, test = studies[~is_drawn], studies[is_drawn]
        with_boxes, with_segmentation = set(boxed) & set(train[STUDY]), set(segmented) & set(train[STUDY])
    answers = test.melt(STUDY, LABELS, var_name="prediction_type", value_name="fractured")
    answers["row_id"] = answers[STUDY] + "_" + answers["prediction_type"]

    data.public.csv("train.csv", train)
    data.public.csv("train_bounding_boxes.csv", boxes[boxes[STUDY].isin(with_boxes)])
    data.public.csv("test.csv", answers.drop(columns="fractured"))
    data.public.csv("sample_submission.csv", sample(answers, "row_id", fractured=0.5))
    data.private.csv("answers.csv", answers)
    for study in sorted(with_segmentation):
        data.public.copy(f"segmentations/{study}.nii")
    for folder, rows in (("train_images", train), ("test_images", test)):
        for study in rows[STUDY]:
            data.public.tree(f"{folder}/{study}", f"train_images/{study}")


def _draw(studies: Sequence[str], boxed: Sequence[str], segmented: Sequence[str]) -> tuple[list[str], ...]:
    """A tenth of the studies: those with boxes and segmentation, with segmentation only, with boxes only, others."""
    random = Random(0)
    in_both = set(boxed) & set(segmented)
    overlap = [study for study in boxed if study in in_both]
    count = {"both": _tenth(overlap)}
    count["segmented"] = _tenth(segmented) - count["both"]
    count["boxed"] = _tenth(boxed) - count["both"]
    count["rest"] = _tenth(studies) - sum(count.values())
    promise(min(count.values()) >= 0, "A tenth of the studies is too few for a tenth of those with boxes and masks.")
    both = random.sample(overlap, count["both"])
    only_segmented = random.sample([study for study in segmented if study not in in_both], count["segmented"])
    only_boxed = random.sample([study for study in boxed if study not in in_both], count["boxed"])
    drawn = {*both, *only_segmented, *only_boxed}
    rest = random.sample([study for study in studies if study not in drawn], count["rest"])
    return both, only_segmented, only_boxed, rest


def _tenth(items: Sequence[str]) -> int:
    return round(0.1 * len(items))
