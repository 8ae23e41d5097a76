"""How numbers and strangers' texts are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.api.types import Figure
from orchestrator.report import words

FIGURE = Figure(mean=62.1212, sem=1.5152, low95=59.15, high95=65.09)


@pytest.mark.parametrize(
    "value, shown",
    [
        (None, "–"),
        (0.0, "0"),
        (0.98123, "0.98123"),
        (0.00001, "0.00001"),
        (-0.00002, "-0.00002"),
        (1.5, "1.5"),
        (5423.12345, "5423.1"),
        (123456.7, "123457"),
        (-3.14159, "-3.1416"),
    ],
)
def test_a_score_has_five_digits_and_no_exponent(value, shown):
    assert words.score(value) == shown


@given(st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda x: round(x, 5)))
def test_a_score_is_never_written_with_an_exponent(value):
    assert "e" not in words.score(value)


@pytest.mark.parametrize(
    "seconds, shown",
    [
        (None, "–"),
        (0, "0 s"),
        (45.4, "45 s"),
        (60, "1 min"),
        (75, "1 min 15 s"),
        (3600, "1 h"),
        (86_399.9, "24 h"),
        (4320, "1 h 12 min"),
    ],
)
def test_a_time_has_the_units_that_matter(seconds, shown):
    assert words.duration(seconds) == shown


def test_figures_are_written_as_the_board_has_them():
    assert words.plus_minus(FIGURE) == "62.12 ± 1.52"
    assert words.interval(FIGURE) == "59.1 to 65.1"
    assert words.plus_minus(None) == words.interval(None) == words.percent(None) == "–"


def test_lists_and_counts():
    assert (words.count(1, "seed"), words.count(1200, "run")) == ("1 seed", "1,200 runs")
    assert words.listed(["a", "b", "c"], 2) == "a, b and 1 more"
    assert words.listed(["a", "b"], 2) == "a, b"


@pytest.mark.parametrize(
    "text, shown",
    [
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colours"),
        pytest.param("\x1b]0;title\x07after", "after", id="a terminal's title"),
        pytest.param("a\x00b\x08c", "abc", id="control characters"),
        pytest.param("exe\u202egpj", "exegpj", id="text turned round"),
        pytest.param("zero\u200bwidth\ufeff", "zerowidth", id="what is not seen"),
        pytest.param("two\r\nlines\rthree", "two\nlines\nthree", id="line breaks stay"),
        pytest.param("Größe 日本 é 🙂", "Größe 日本 é 🙂", id="people's letters stay"),
    ],
)
def test_a_strangers_text_loses_what_acts(text, shown):
    assert words.plain(text) == shown


@given(st.text())
def test_cleaning_twice_changes_nothing_and_one_line_is_one_line(text):
    assert words.plain(words.plain(text)) == words.plain(text)
    assert "\n" not in words.one_line(text)
    assert len(words.one_line(text, 20)) <= 20


@pytest.mark.parametrize(
    "name, parts",
    [("NodeLost", ["Node", "Lost"]), ("OOMKilled", ["OOM", "Killed"]), ("pending", ["pending"]), ("", [""])],
)
def test_names_break_between_their_words(name, parts):
    assert words.camel_parts(name) == parts
