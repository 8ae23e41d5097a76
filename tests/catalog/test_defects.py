"""What is known to be wrong: which scores it makes doubtful, and that the rows can be shown to people as they are."""

import pytest

import catalog

OFFICIAL = [*catalog.ids("all"), *catalog.ids("dev")]
DOUBTFUL = {
    "cassava-leaf-disease-classification": "leak",
    "champs-scalar-coupling": "defect",
    "facebook-recruiting-iii-keyword-extraction": "leak",
    "hms-harmful-brain-activity-classification": "defect",
    "hubmap-kidney-segmentation": "leak",
    "invasive-species-monitoring": "defect",
    "jigsaw-unintended-bias-in-toxicity-classification": "defect",
    "ml2021spring-hw2": "leak",
    "multi-modal-gesture-recognition": "leak",
    "random-acts-of-pizza": "leak",
    "rsna-2022-cervical-spine-fracture-detection": "defect",
    "siim-isic-melanoma-classification": "leak",
    "smartphone-decimeter-2022": "leak",
    "tensorflow-speech-recognition-challenge": "defect",
    "tensorflow2-question-answering": "defect",
    "vinbigdata-chest-xray-abnormalities-detection": "defect",
}
ROWS = [(name, defect) for name in OFFICIAL for defect in catalog.load(name).defects]


def test_the_doubtful_ones_are_those_with_answers_in_reach_or_a_task_that_cannot_be_done() -> None:
    assert {name: defect.kind for name, defect in ROWS if defect.doubtful} == DOUBTFUL
    assert {name for name in OFFICIAL if catalog.load(name).is_doubtful} == set(DOUBTFUL)


def test_every_doubt_has_a_fix_in_v2() -> None:
    assert [name for name, defect in ROWS if defect.doubtful and not defect.v2] == []


def test_scores_stay_comparable_where_v2_changes_nothing() -> None:
    assert [name for name, defect in ROWS if not defect.v2 and not defect.comparable] == []
    assert catalog.load("dog-breed-identification").is_comparable
    assert not catalog.load("champs-scalar-coupling").is_comparable


def test_contamination_is_told_but_never_held_against_a_score() -> None:
    contaminated = {name: defect for name, defect in ROWS if defect.kind == "contaminated"}
    assert sorted(contaminated) == [
        "alaska2-image-steganalysis",
        "dog-breed-identification",
        "jigsaw-toxic-comment-classification-challenge",
        "jigsaw-unintended-bias-in-toxicity-classification",
    ]
    assert not any(defect.doubtful for defect in contaminated.values())


@pytest.mark.parametrize("name", OFFICIAL)
def test_rows_are_whole_sentences_told_once(name: str) -> None:
    defects = catalog.load(name).defects
    sentences = [text for defect in defects for text in (defect.what, defect.v2) if text]
    assert all(text[0].isupper() and text.endswith(".") for text in sentences)
    assert len({defect.what for defect in defects}) == len(defects)
