"""Names of tasks: valid, short, recognisable, and never shared."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.model import AttemptKey, Role
from orchestrator.core.names import agent_task, grade_task, prepare_task, task_name

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
ids = st.text("abcAB12-_.", min_size=1, max_size=120)
numbers = st.integers(min_value=0, max_value=10_000)
identities = st.tuples(
    st.sampled_from(["uid-1", "uid-2"]),
    ids,
    st.none() | numbers,
    st.sampled_from(Role),
    numbers,
    st.none() | numbers,
)


def name(identity):
    *rest, grades_attempt = identity
    return task_name(*rest, grades_attempt=grades_attempt)


@given(identities)
def test_a_name_is_a_dns_label_that_leaves_room_for_the_suffix_of_a_pod(identity):
    assert LABEL.fullmatch(name(identity))
    assert len(name(identity)) <= 52


@given(identities, identities)
def test_two_tasks_share_a_name_only_if_they_are_the_same(one, other):
    assert (name(one) == name(other)) == (one == other)


@pytest.mark.parametrize(
    "one, other",
    [
        pytest.param(("AI4Code", 0, 1), ("ai4code", 0, 1), id="ids that differ by case"),
        pytest.param(("a-b", 0, 1), ("a_b", 0, 1), id="ids that differ by a character that labels do not have"),
        pytest.param(("x" * 60 + "1", 0, 1), ("x" * 60 + "2", 0, 1), id="ids that differ where they are cut off"),
        pytest.param(("birds", 1, 11), ("birds", 11, 1), id="numbers that look alike in a row"),
    ],
)
def test_names_that_could_be_confused_differ(one, other):
    assert agent_task("uid", AttemptKey(*one)) != agent_task("uid", AttemptKey(*other))


def test_a_name_stays_what_it_is_from_release_to_release():
    """A new controller must find the Jobs that an old one created."""
    key = AttemptKey("spooky-author-identification", 0, 1)
    assert agent_task("u", key) == "agent-spooky-author-identificatio-s0-a1-85823340114b"
    assert grade_task("u", key, 1) == "grade-spooky-author-identifica-s0-a1-t1-a9f1671dd94b"
    assert prepare_task("u", key.competition, 1) == "prepare-spooky-author-identification-t1-0d3237c99296"


def test_a_regrading_of_another_attempt_has_another_name():
    assert grade_task("u", AttemptKey("birds", 0, 1), 1) != grade_task("u", AttemptKey("birds", 0, 2), 1)
