from pathlib import Path

import yaml

from orchestrator.cli.doctor.rights import Right, judge_controller, judge_own, of_controller

(ROLES,) = (Path(__file__).parents[3] / "manifests").rglob("rbac.yaml")
SYSTEM = "mlectl-system"


def granted():
    """What the Roles give, in the doctor's words."""
    for role in yaml.safe_load_all(ROLES.read_text()):
        if role["kind"] != "Role":
            continue
        for rule in role["rules"]:
            for group, whole, verb in (
                (group, resource, verb)
                for group in rule["apiGroups"]
                for resource in rule["resources"]
                for verb in rule["verbs"]
            ):
                resource, _, subresource = whole.partition("/")
                (name,) = rule.get("resourceNames", [""])
                yield Right(verb, resource, role["metadata"].get("namespace", SYSTEM), group, subresource, name)


def test_the_rights_that_are_checked_are_those_that_the_controller_was_shown_to_need():
    found = set(granted())
    assert set(of_controller(SYSTEM, sorted({right.namespace for right in found} - {SYSTEM}))) == found


def test_a_missing_right_is_named():
    missing = [Right("create", "jobs", "runs", "batch")]
    found = judge_controller(missing, [], "mlectl-controller")
    assert (found.verdict, found.found) == ("problem", "mlectl-controller may not create jobs.batch in runs")


def test_a_controller_that_may_read_secrets_is_worth_a_warning():
    found = judge_controller([], [Right("list", "secrets", "runs")], "c")
    assert (found.verdict, found.found) == ("warning", "c may list secrets in runs, which it does not need")


def test_without_some_rights_a_person_can_do_less_and_without_others_nothing():
    logs = Right("get", "pods", "runs", subresource="log")
    assert judge_own([], [], "runs").verdict == "ok"
    assert judge_own([], [logs], "runs").verdict == "warning"
    assert "not get pods/log in runs" in judge_own([], [logs], "runs").found
    assert judge_own([Right("create", "experimentruns", "runs", "mlectl.dev")], [logs], "runs").verdict == "problem"


def test_a_long_list_of_rights_is_cut():
    many = [Right("list", f"kind{number}", "runs") for number in range(9)]
    assert judge_own(many, [], "runs").found.endswith("list kind2 in runs, and 6 more")
