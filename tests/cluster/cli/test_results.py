"""Reports, exports and logs from the store of a cluster's experiment, a real bucket."""

import pytest

from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.open import url_of
from tests.cli.stored import StoredExperiment
from tests.cluster.cli.played import row
from tests.s3server import OWNER, S3Server


@pytest.fixture(scope="module")
def s3():
    with S3Server.start() as server:
        server.make_bucket("runs")
        yield server


@pytest.fixture
def graded(played, home, s3, monkeypatch):
    """An experiment whose runs are graded and whose report is published, in a bucket."""
    for name, value in OWNER.environment.items():
        monkeypatch.setenv(name, value)
    rows = [row("demo-digits", 0, "Graded", score=0.99, medal="gold", valid=True)]
    counts = {"total": 1, "graded": 1}
    run = played.create(seeds=1, competitions={"ids": ["demo-digits"]})
    keys = ExperimentKeys(run.metadata.namespace, run.metadata.name, run.metadata.uid)
    report = url_of(s3.url("runs"), keys.report)
    played.status(phase="Succeeded", runs=counts, results=rows, report=report, observedGeneration=1)
    monkeypatch.setenv("MLECTL_STORE_RUNS", s3.url("runs"))
    writer = StoredExperiment(home, run)
    monkeypatch.delenv("MLECTL_STORE_RUNS")
    writer.attempt("demo-digits", 0, log="from the store\n", isolation="pod")
    lines = {"gold_threshold": 0.98, "silver_threshold": 0.95, "bronze_threshold": 0.9, "median_threshold": 0.8}
    writer.report("demo-digits", 0, 0.99, "gold", **lines)
    return played


def test_the_report_is_made_from_the_store_that_the_status_names(in_namespace, graded):
    answer = in_namespace("report", "aide-lite")
    assert (answer.code, answer.err) == (0, "")
    assert "1 of 1 run with a result" in answer.out
    assert "isolation pod" in answer.out


def test_every_result_command_works(in_namespace, graded, tmp_path):
    assert "Nothing went wrong" in in_namespace("failures", "aide-lite").out
    assert "A aide-lite" in in_namespace("compare", "aide-lite", "aide-lite").out
    assert in_namespace("leaderboard", "aide-lite", "--split", "lite").code in (0, 2)
    assert in_namespace("export", "aide-lite", tmp_path / "out").code == 0
    assert list((tmp_path / "out").rglob("submission.csv"))
    page = tmp_path / "report.html"
    assert in_namespace("report", "aide-lite", "--html", "--to", page).code == 0
    assert "aide-lite" in page.read_text()


def test_a_log_of_a_pod_that_is_gone_comes_from_the_store(in_namespace, graded):
    assert in_namespace("logs", "aide-lite", "demo-digits", "0").out == "from the store\n"
    assert in_namespace("logs", "aide-lite", "demo-digits", "0", "--follow").out == "from the store\n"


@pytest.mark.parametrize(
    "scheme, then",
    [
        ("http", "export MLECTL_STORE_RUNS='s3://runs?endpoint=http://127.0.0.1:8333'"),
        ("https", "echo '127.0.0.1 seaweedfs.mlectl-system.svc.cluster.local' | sudo tee -a /etc/hosts"),
    ],
)
def test_a_store_that_only_the_cluster_knows(in_namespace, graded, scheme, then):
    run = graded.run()
    keys = ExperimentKeys(run.metadata.namespace, run.metadata.name, run.metadata.uid)
    inside = f"s3://runs?endpoint={scheme}://seaweedfs.mlectl-system.svc.cluster.local:8333"
    graded.status(report=url_of(inside, keys.report))
    answer = in_namespace("report", "aide-lite")
    assert answer.code == 3
    assert "kubectl port-forward -n mlectl-system service/seaweedfs 8333:8333" in answer.err
    assert then in answer.err


def test_an_experiment_without_a_report_yet(in_namespace, graded, s3, monkeypatch):
    graded.status(report=None)
    answer = in_namespace("report", "aide-lite")
    assert answer.code == 3
    assert "has no report yet that would tell where its results are. Set MLECTL_STORE_RUNS" in answer.err
    monkeypatch.setenv("MLECTL_STORE_RUNS", s3.url("runs"))
    assert in_namespace("report", "aide-lite").code == 0


def test_credentials_that_are_missing(in_namespace, graded, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    answer = in_namespace("report", "aide-lite")
    assert answer.code == 3
    assert "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in answer.err
