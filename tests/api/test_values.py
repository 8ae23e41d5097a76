from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.api.values import format_duration, parse_duration, parse_quantity, show


@pytest.mark.parametrize(
    "text, seconds",
    [("24h", 86400), ("90m", 5400), ("1h30m", 5400), ("45s", 45), ("1h2m3s", 3723), ("500ms", 0.5), ("1s500ms", 1.5)],
)
def test_a_duration_is_read_as_written(text, seconds):
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "1 day", "24", "h", "1d", "-1h", "1.5h", "30m1h", "1h ", "١h", "9" * 30 + "h"])
def test_anything_else_is_not_a_duration(text):
    with pytest.raises(ValueError, match="24h, 90m or 30s"):
        parse_duration(text)


@given(st.integers(min_value=0, max_value=10**12).map(lambda ms: timedelta(milliseconds=ms)))
def test_a_duration_that_is_written_is_read_back(duration):
    assert parse_duration(format_duration(duration)) == duration


@pytest.mark.parametrize("text, short", [("90m", "1h30m"), ("3600s", "1h"), ("168h", "168h"), ("0s", "0s")])
def test_a_duration_is_written_short(text, short):
    assert format_duration(parse_duration(text)) == short


@pytest.mark.parametrize(
    "text, number",
    [
        ("36", 36),
        ("500m", Decimal("0.5")),
        ("1.5", Decimal("1.5")),
        ("440Gi", 440 * 2**30),
        ("1k", 1000),
        ("2Ki", 2048),
    ],
)
def test_a_quantity_has_the_value_that_kubernetes_gives_it(text, number):
    assert parse_quantity(text) == number


@pytest.mark.parametrize("text", ["", "Gi", "1Xi", "-1", "1 Gi"])
def test_anything_else_is_not_a_quantity(text):
    with pytest.raises(ValueError, match="440Gi"):
        parse_quantity(text)


def test_a_long_value_is_cut_where_it_is_quoted():
    assert len(show("x" * 1000)) == 60
