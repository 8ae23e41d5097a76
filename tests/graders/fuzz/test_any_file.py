"""Any bytes at all end in a report, in bounded time and memory, and win nothing that honesty would not."""

from __future__ import annotations

from collections.abc import Callable

import kit
import poison
import pytest
import rawbytes
from effort import effort
from honest import Target
from hypothesis import given
from hypothesis import strategies as st

every_grader = pytest.mark.parametrize("competition_id", kit.implemented())
both_versions = pytest.mark.parametrize("version", ["v1", "v2"])


@both_versions
@every_grader
def test_any_bytes_end_in_a_report(competition_id: str, version: str, target: Callable[[str, str], Target]) -> None:
    aim = target(competition_id, version)
    honest = [frame.to_csv(index=False).encode() for frame in aim.submissions.values()]

    @effort(f"{competition_id} {version}")
    @given(st.sampled_from(honest), rawbytes.files)
    def check(content: bytes, change: rawbytes.Change) -> None:
        aim.must_not_be_won_by(aim.grade_bytes(change(content)))

    check()


@both_versions
@every_grader
def test_any_table_ends_in_a_report(competition_id: str, version: str, target: Callable[[str, str], Target]) -> None:
    aim = target(competition_id, version)

    @effort(f"{competition_id} {version}")
    @given(st.sampled_from(list(aim.submissions)), st.lists(poison.changes, min_size=1, max_size=3))
    def check(name: str, changes: list[poison.Change]) -> None:
        aim.must_not_be_won_by(aim.grade(poison.table(aim.submissions[name], changes)))

    check()
