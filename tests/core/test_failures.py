"""The closed list of failures."""

import pytest

from orchestrator.core.failures import FAILURES, Reason, fault_of, is_agents
from orchestrator.core.model import Fault


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_row_that_says_what_it_means_and_what_to_do(reason):
    row = FAILURES[reason]
    assert row.reason is reason
    assert row.meaning.endswith(".")
    assert row.what_to_do.endswith(".")


def test_only_what_the_agent_did_is_held_against_it():
    assert {reason for reason in Reason if is_agents(reason)} == {
        Reason.OOM_KILLED,
        Reason.DISK_FULL,
        Reason.DEADLINE_WITHOUT_SUBMISSION,
        Reason.NO_SUBMISSION,
        Reason.INVALID_SUBMISSION,
        Reason.AGENT_ERROR,
        Reason.MODEL_BUDGET_SPENT,
    }


def test_a_reason_that_only_a_newer_version_knows_is_not_the_agents_fault():
    assert fault_of("SomethingNew") is Fault.INFRASTRUCTURE
    assert not is_agents("SomethingNew")
    assert not is_agents(None)
