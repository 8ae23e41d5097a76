"""Run tokens: what a courier shows to speak for its run, and what nobody can make up."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.worker.tokens import InvalidToken, Ticket, check, mint

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TICKET = Ticket("experiments/ns/name-0123abcd", "demo-wine", 3, 2, "v2")


def test_a_token_carries_its_ticket() -> None:
    assert check(mint(TICKET, "key", expires=NOW + timedelta(seconds=1)), "key", NOW) == TICKET


def test_a_token_expires() -> None:
    made = mint(TICKET, "key", expires=NOW)
    with pytest.raises(InvalidToken, match="expired"):
        check(made, "key", NOW)


def test_a_token_of_another_key_is_refused() -> None:
    with pytest.raises(InvalidToken, match="not made here"):
        check(mint(TICKET, "key", expires=NOW + timedelta(days=1)), "other", NOW)


@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_no_byte_of_a_token_can_be_changed(place: int, change: int) -> None:
    made = mint(TICKET, "key", expires=NOW + timedelta(days=1)).split(".")
    part = 1 + place % 2
    data = bytearray(base64.urlsafe_b64decode(made[part] + "=="))
    data[place % len(data)] ^= change
    made[part] = base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    with pytest.raises(InvalidToken):
        check(".".join(made), "key", NOW)


@given(st.text())
def test_no_text_at_all_passes_or_breaks_the_check(text: str) -> None:
    with pytest.raises(InvalidToken):
        check(text, "key", NOW)


def test_an_empty_key_makes_no_tokens() -> None:
    with pytest.raises(ValueError, match="empty"):
        mint(TICKET, "", expires=NOW)
