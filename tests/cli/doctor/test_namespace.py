"""What the doctor says of the namespace that agents run in: others' policies, and the Pod Security profile."""

import pytest

from orchestrator.cli.doctor.pod_security import judge_pod_security, look_at_pod_security
from orchestrator.cli.doctor.policies import OF_EVERY_AGENT, OF_SOME_AGENT, judge_policies, look_at_policies
from orchestrator.cli.doctor.subject import Cluster, shielded
from orchestrator.cluster.kubernetes.jobs import agent_job
from orchestrator.cluster.kubernetes.network import network_policy
from tests.cli.doctor.build import subject
from tests.kubernetes.build import TOKEN, agent_start, experiment, settings
from tests.kubernetes.server import troubled

WEB = [{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}]
AGENTS = {"matchLabels": {"mlectl.dev/role": "agent"}}


def policy(selector=None, egress=WEB, types=("Ingress", "Egress"), **metadata):
    spec = {"podSelector": selector or {}, "policyTypes": list(types), "egress": egress}
    return {"metadata": {"name": "allow-web", **metadata}, "spec": spec}


def choosing(key, operator, *values):
    return policy({"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]})


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(policy(), id="every pod"),
        pytest.param(policy(AGENTS), id="agents by their role"),
        pytest.param(policy({"matchLabels": {"mlectl.dev/competition": "birds"}}), id="agents of a competition"),
        pytest.param(choosing("mlectl.dev/network", "In", "none"), id="agents of a network mode"),
        pytest.param(choosing("mlectl.dev/network", "NotIn", "none"), id="agents of the other mode"),
        pytest.param(choosing("mlectl.dev/seed", "NotIn", "0"), id="agents of other seeds"),
        pytest.param(choosing("job-name", "Exists"), id="pods of Jobs"),
        pytest.param(choosing("app", "DoesNotExist"), id="pods without a label that agents lack"),
        pytest.param(choosing("app", "NotIn", "web"), id="pods that are no web server"),
        pytest.param(policy(labels={"app.kubernetes.io/managed-by": "mlectl"}), id="one that looks like ours"),
    ],
)
def test_a_policy_that_lets_agents_reach_more_is_named(found):
    check = judge_policies([found], "runs")
    assert check.verdict == "warning"
    assert "allow-web" in check.found
    assert "kubectl -n runs describe networkpolicy" in check.what_to_do


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(policy(egress=[]), id="egress without a rule"),
        pytest.param(policy(types=["Ingress"]), id="ingress alone"),
        pytest.param(policy({"matchLabels": {"app": "notebook"}}), id="pods of another kind"),
        pytest.param(policy({"matchLabels": {"mlectl.dev/role": "grade"}}), id="another role"),
        pytest.param(choosing("mlectl.dev/network", "In", "open"), id="agents that no policy holds"),
        pytest.param(choosing("mlectl.dev/role", "NotIn", "agent"), id="all but agents"),
        pytest.param(choosing("mlectl.dev/role", "DoesNotExist"), id="what we advise"),
        pytest.param(choosing("mlectl.dev/seed", "DoesNotExist"), id="pods without a seed"),
        pytest.param(choosing("app", "Exists"), id="pods with a label that agents lack"),
        pytest.param(network_policy(experiment(network={"mode": "restricted"}), settings()), id="an experiment's own"),
    ],
)
def test_a_policy_that_gives_agents_nothing_is_passed_over(found):
    assert judge_policies([found], "runs").verdict == "ok"


def test_the_labels_by_which_policies_find_agents_are_those_of_their_pods():
    job = agent_job(experiment(network={"mode": "none"}), agent_start(), settings(), TOKEN)
    pod = job["spec"]["template"]["metadata"]["labels"]
    of_jobs = {key for key in OF_SOME_AGENT if "job-name" in key or "controller-uid" in key}
    assert pod.keys() == OF_EVERY_AGENT.keys() | OF_SOME_AGENT - of_jobs
    assert all(pod[key] in values for key, values in OF_EVERY_AGENT.items())


def namespace(**labels):
    marked = {f"pod-security.kubernetes.io/{key}": value for key, value in labels.items()}
    return {"metadata": {"name": "runs", "labels": marked}}


@pytest.mark.parametrize(
    "found, words",
    [
        pytest.param(namespace(), "no profile by a label", id="no label"),
        pytest.param(namespace(enforce="baseline"), "the profile baseline", id="a looser profile"),
        pytest.param(namespace(warn="restricted"), "no profile by a label", id="a label that only warns"),
        pytest.param({"metadata": {"name": "runs"}}, "no profile by a label", id="no labels at all"),
    ],
)
def test_a_namespace_that_does_not_enforce_the_profile_gets_the_command_that_makes_it(found, words):
    check = judge_pod_security(found)
    assert (check.verdict, words in check.found) == ("warning", True), check.found
    assert check.what_to_do == "kubectl label --overwrite namespace runs pod-security.kubernetes.io/enforce=restricted"


def test_a_namespace_as_the_chart_makes_it_is_as_it_should_be():
    assert judge_pod_security(namespace(enforce="restricted")).verdict == "ok"


def test_a_namespace_that_is_not_there_is_told(tmp_path):
    gone = {"kind": "Status", "code": 404, "reason": "NotFound", "message": 'namespaces "runs" not found'}
    with troubled(tmp_path, lambda exchange: exchange.say(404, gone)) as (api, _):
        whom = subject(cluster=Cluster(api, None, "here"))
        (check,) = shielded("pod security", lambda: look_at_pod_security(whom))
    assert (check.verdict, check.found) == ("problem", "there is no namespace runs")


def test_what_may_not_be_listed_could_not_be_looked_at(tmp_path):
    refused = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "networkpolicies is forbidden"}
    with troubled(tmp_path, lambda exchange: exchange.say(403, refused)) as (api, _):
        whom = subject(cluster=Cluster(api, None, "here"))
        (check,) = shielded("others' policies", lambda: look_at_policies(whom))
    assert (check.verdict, check.found) == ("warning", "not looked at: networkpolicies is forbidden")
