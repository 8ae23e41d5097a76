"""Ids and splits by name, and what one is told about a name that is not there."""

import pytest

import catalog


def test_ids_are_sorted_without_regard_to_case() -> None:
    names = catalog.ids("all")
    assert list(names) == sorted(names, key=str.lower)
    assert (
        names.index("aerial-cactus-identification") < names.index("AI4Code") < names.index("alaska2-image-steganalysis")
    )


def test_every_split_can_be_asked_for() -> None:
    assert catalog.splits() == ("lite", "low", "medium", "high", "all", "dev", "demo")
    for split in catalog.splits():
        assert set(catalog.ids(split)) <= set(catalog.ids())


def test_a_split_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(catalog.UnknownSplit, match=r"'easy'.*lite, low, medium, high, all, dev or demo"):
        catalog.ids("easy")


@pytest.mark.parametrize(
    "name, first",
    [
        pytest.param("dog-bred-identification", "dog-breed-identification", id="a slip"),
        pytest.param("ai4code", "AI4Code", id="in lower case"),
        pytest.param("LEAF-CLASSIFICATION", "leaf-classification", id="in upper case"),
        pytest.param("titanic", "spaceship-titanic", id="a word of it"),
        pytest.param("dog-breed", "dog-breed-identification", id="its beginning"),
        pytest.param("iwildcam2020", "iwildcam-2020-fgvc7", id="a missing hyphen"),
    ],
)
def test_an_unknown_id_is_answered_with_the_nearest(name: str, first: str) -> None:
    with pytest.raises(catalog.UnknownCompetition) as caught:
        catalog.load(name)
    assert caught.value.nearest[0] == first == catalog.nearest(name)[0]
    assert f"{name!r}: did you mean {first}" in str(caught.value)


def test_a_word_of_several_ids_names_them_all() -> None:
    assert catalog.nearest("herbarium") == ["herbarium-2020-fgvc7", "herbarium-2021-fgvc8", "herbarium-2022-fgvc9"]


def test_an_id_like_no_other_is_answered_with_where_to_look() -> None:
    with pytest.raises(catalog.UnknownCompetition, match="mlectl competitions"):
        catalog.load("qqqqqq")


@pytest.mark.parametrize("name", ["../competitions/AI4Code", "AI4Code/", "", "."])
def test_an_id_is_a_name_and_not_a_path(name: str) -> None:
    with pytest.raises(catalog.UnknownCompetition):
        catalog.load(name)
