"""Lists of pictures in COCO's form, split within each category."""

from __future__ import annotations

from typing import Any

import pytest

from preparers.toolkit import PreparationError, split_pictures, with_pairs


def listed(*categories: int) -> dict[str, Any]:
    """A document with a picture of each of these categories."""
    return {
        "info": "about",
        "annotations": [{"image_id": 100 + k, "category_id": c} for k, c in enumerate(categories)],
        "images": [{"id": 100 + k} for k in range(len(categories))],
    }


def ids(pairs: list[Any]) -> list[int]:
    return [image["id"] for _, image in pairs]


def test_every_picture_is_on_one_side_with_its_annotation() -> None:
    document = listed(*[1] * 10, *[2] * 3, 3)

    train, test = split_pictures(document, test=0.2, rare="last")

    assert sorted(ids(train) + ids(test)) == list(range(100, 114))
    assert all(annotation["image_id"] == image["id"] for annotation, image in train + test)
    assert sorted(a["category_id"] for a, _ in test) == [1, 1, 2]
    assert ids(train)[-3:] == [110, 111, 113]


def test_the_test_part_is_shuffled_and_the_train_part_by_category() -> None:
    train, test = split_pictures(listed(*[c for c in range(20) for _ in range(5)]), test=0.2, rare="split")

    order = [annotation["category_id"] for annotation, _ in test]
    assert sorted(order) == list(range(20))
    assert order != sorted(order)
    assert [a["category_id"] for a, _ in train] == sorted(a["category_id"] for a, _ in train)


def test_a_document_keeps_all_but_its_pairs() -> None:
    document = listed(1, 1, 1)
    train, _ = split_pictures(document, test=0.2, rare="last")

    assert with_pairs(document, train) == {
        "info": "about",
        "annotations": document["annotations"][:2],
        "images": document["images"][:2],
    }


@pytest.mark.parametrize("broken", [{"images": [{"id": 101}, {"id": 100}]}, {"images": [{"id": 100}]}])
def test_lists_that_do_not_run_in_parallel_are_told(broken: dict[str, Any]) -> None:
    with pytest.raises(PreparationError, match="annotations"):
        split_pictures({**listed(1, 1), **broken}, test=0.2, rare="last")
