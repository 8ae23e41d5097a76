"""The page on installing: what it asks for is what the chart and the code ask for."""

from __future__ import annotations

import json

import yaml

from tests.cluster.rig import store
from tests.docs.pages import DOCS, ROOT, blocks

PAGE = DOCS / "install.md"
RIGHTS = {"Read": "s3:GetObject", "Write": "s3:PutObject", "List": "s3:ListBucket"}


def test_the_version_of_kubernetes_is_the_charts():
    chart = yaml.safe_load((ROOT / "helm" / "mlectl" / "Chart.yaml").read_text())
    wanted = chart["kubeVersion"].removeprefix(">=").removesuffix(".0-0")
    assert f"| Kubernetes {wanted} or newer |" in PAGE.read_text()


def granted(policy: dict) -> set[tuple[str, str]]:
    """Pairs of an action and a bucket."""
    pairs = set()
    for statement in policy["Statement"]:
        assert statement["Effect"] == "Allow"
        for resource in statement["Resource"]:
            bucket = resource.removeprefix("arn:aws:s3:::mlectl-").removesuffix("/*")
            pairs |= {(action, bucket) for action in statement["Action"]}
    return pairs


def test_the_identities_may_do_what_those_may_that_are_tried():
    """The rig's store has the same two identities, in its own words."""
    controller, grader, *_ = map(json.loads, blocks(PAGE, "json"))
    for policy, identity in ((controller, store.CONTROLLER), (grader, store.GRADER)):
        pairs = granted(policy)
        wanted = {tuple(one.split(":")) for one in identity.actions}
        for right, action in RIGHTS.items():
            assert {bucket for name, bucket in pairs if name == action} == {b for r, b in wanted if r == right}, action


def test_the_grader_can_change_nothing_but_results():
    _, grader, *_ = map(json.loads, blocks(PAGE, "json"))
    reading = {"s3:GetObject", "s3:ListBucket", "s3:GetBucketLocation"}
    assert {bucket for action, bucket in granted(grader) if action not in reading} == {"runs"}
