"""`mlectl run` from YAML to report, with real processes, a real sandbox and real grading."""

import json
import signal
import time

import pytest

from orchestrator.cluster.local.agents import bundled_agents

pytestmark = pytest.mark.slow


def results(report):
    return {(row["competition"], row["seed"]): (row["score"], row["medal"], row["valid"]) for row in report["rows"]}


def wait_until(condition, process):
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_an_experiment_ends_with_a_report_and_running_it_again_changes_nothing(machine):
    spec = machine.write_spec(seeds=2)
    first = machine.run(spec)
    assert first.returncode == 0, first.stderr
    assert "report.html" in first.stdout
    assert set(results(machine.report())) == {(c, s) for c in ("demo-wine", "demo-diabetes") for s in (0, 1)}
    assert all(valid for _, _, valid in results(machine.report()).values())
    before = (machine.experiment / "report.json").read_bytes()

    again = machine.run(spec)
    assert again.returncode == 0
    assert again.stdout == first.stdout
    assert (machine.experiment / "report.json").read_bytes() == before


def test_the_record_says_what_the_agent_had(machine):
    machine.run(machine.write_spec(competitions={"ids": ["demo-wine"]}))
    record = machine.record("demo-wine")
    assert record["isolation"] in ("namespaces", "unprotected")
    assert record["network"] == "none"
    assert record["image"] == "registry.example/test:1"
    assert len(record["dataset_digest"]) == 64
    assert 0 < record["clock"]["consumed_seconds"] < 20
    assert any("published: 24h" in line for line in record["departures"])


def test_without_namespaces_the_result_says_unprotected_everywhere(machine):
    ended = machine.run(machine.write_spec(competitions={"ids": ["demo-wine"]}), MLECTL_ISOLATION="none")
    assert ended.returncode == 0, ended.stderr
    assert "unprotected" in ended.stdout
    assert machine.record("demo-wine")["isolation"] == "unprotected"
    assert "unprotected" in (machine.experiment / "report.html").read_text()


def test_an_agent_that_leaves_nothing_is_a_result_and_not_a_missing_run(machine):
    machine.write_agent("echo I give up; exit 3")
    ended = machine.run(machine.write_spec(competitions={"ids": ["demo-wine"]}))
    assert ended.returncode == 0, ended.stderr
    report = machine.report()
    (row,) = report["rows"]
    assert (row["state"], row["reason"], row["valid"]) == ("Failed", "AgentError", False)
    assert [figures["counted_seeds"] for figures in report["figures"]] == [[0]]


def test_an_agent_out_of_time_is_graded_on_what_was_there(machine):
    machine.write_agent(
        """
        cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"
        trap 'echo broken > "$SUBMISSION_DIR/submission.csv"; exit 0' TERM
        while true; do sleep 0.1; done
        """
    )
    machine.run(machine.write_spec(competitions={"ids": ["demo-wine"]}, budget={"wallClock": "3s"}))
    (row,) = machine.report()["rows"]
    assert row["valid"] is True
    record = machine.record("demo-wine")
    assert record["deadline_reached"] is True
    assert 3 <= record["clock"]["consumed_seconds"] < 3.5


def test_the_agent_validates_on_port_5000_and_never_hears_a_score(machine):
    machine.write_agent(
        """
        cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"
        "$AGENT_PYTHON" - <<'PYTHON'
        import os, urllib.request
        data = open(os.environ["SUBMISSION_DIR"] + "/submission.csv", "rb").read()
        head = b'--b\\r\\nContent-Disposition: form-data; name="file"; filename="s.csv"\\r\\n\\r\\n'
        body = head + data + b"\\r\\n--b--\\r\\n"
        request = urllib.request.Request(
            os.environ["VALIDATION_URL"] + "/validate", body, {"Content-Type": "multipart/form-data; boundary=b"}
        )
        print(urllib.request.urlopen(request).read().decode())
        PYTHON
        """
    )
    machine.run(machine.write_spec(competitions={"ids": ["demo-wine"]}))
    attempt = machine.experiment / "runs" / "demo-wine" / "seed-0" / "attempt-1"
    said = json.loads((attempt / "logs" / "agent.log").read_text())
    assert said == {"result": "Submission is valid.", "is_valid": True}
    assert machine.record("demo-wine")["validations"]


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(machine):
    machine.write_agent(
        """
        cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"
        echo step >> "$CODE_DIR/steps"
        [ "$(wc -l < "$CODE_DIR/steps")" -ge 2 ] && exit 0
        while true; do sleep 0.1; done
        """
    )
    agent = {"name": "test", "image": "registry.example/test:1", "resume": True}
    spec = machine.write_spec(competitions={"ids": ["demo-wine"]}, agent=agent)
    process = machine.start(spec)
    wait_until(lambda: list((machine.home / "control" / "tasks").glob("agent-*/control/started")), process)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "mlectl run" in stderr

    ended = machine.run(spec)
    assert ended.returncode == 0, ended.stderr
    (row,) = machine.report()["rows"]
    assert (row["attempt"], row["valid"]) == (2, True)
    first, second = machine.record("demo-wine", 1), machine.record("demo-wine", 2)
    assert first["interrupted"] is True
    assert second["clock"]["consumed_seconds"] > first["clock"]["consumed_seconds"]


def test_two_runs_of_one_experiment_at_once_are_refused(machine):
    machine.write_agent("sleep 3; cp $DATA_DIR/sample_submission.csv $SUBMISSION_DIR/submission.csv")
    spec = machine.write_spec(competitions={"ids": ["demo-wine"]})
    process = machine.start(spec)
    wait_until(lambda: list((machine.home / "control" / "tasks").glob("agent-*")), process)
    second = machine.run(spec)
    assert second.returncode != 0
    assert "already being run" in second.stderr
    process.communicate(timeout=120)
    assert process.returncode == 0


def test_raw_files_that_are_not_to_be_had_end_the_experiment_with_a_sentence_and_running_again_tries_again(machine):
    """The plug-in's raw files can't be fetched at first (its folder is a file), then they can."""
    raw = machine.home / "raw"
    raw.parent.mkdir(parents=True)
    raw.write_text("in the way")
    spec = machine.write_spec(competitions={"ids": ["demo-wine"]}, retries={"infrastructure": 0})
    first = machine.run(spec)
    assert first.returncode == 1
    assert "DatasetUnavailable" in first.stdout
    (row,) = machine.report()["rows"]
    assert (row["state"], row["reason"], row["counts"]) == ("Failed", "DatasetUnavailable", False)

    raw.unlink()
    second = machine.run(spec)
    assert second.returncode == 0, second.stderr
    (row,) = machine.report()["rows"]
    assert (row["state"], row["valid"]) == ("Graded", True)


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_the_task_text_names_folders_that_are_there(machine, isolation):
    machine.write_agent(
        """
        cp "$HOME/instructions.txt" "$LOGS_DIR/"
        sample=$(sed -n 's/^Data *\\([^,]*\\),.*/\\1/p' "$HOME/instructions.txt")/sample_submission.csv
        cp "$sample" "$(sed -n 's/^Hand in *//p' "$HOME/instructions.txt")"
        """
    )
    ended = machine.run(machine.write_spec(competitions={"ids": ["demo-wine"]}), MLECTL_ISOLATION=isolation)
    assert ended.returncode == 0, ended.stderr
    (row,) = machine.report()["rows"]
    assert row["valid"] is True


def test_the_bundled_baseline_works_in_the_sandbox(machine):
    agent = {"name": "baseline", "image": "mlectl/agent-baseline:0.1.0"}
    spec = machine.write_spec(competitions={"ids": ["demo-wine"]}, agent=agent, budget={"wallClock": "2m"})
    machine.agent = bundled_agents()["baseline"]
    ended = machine.run(spec)
    assert ended.returncode == 0, ended.stderr
    (row,) = machine.report()["rows"]
    assert (row["reason"], row["medal"]) == (None, "silver")
    assert row["validations"] > 0
