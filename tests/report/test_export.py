"""Export: the reference's run-group layout, and nothing that an agent packed can leave its folder."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from orchestrator.report.aggregate import aggregate
from orchestrator.report.export import ExportError, export
from orchestrator.report.unpack import unpack

SPOOKY = "spooky-author-identification"


@pytest.fixture
def lab(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=2)
    for seed in (0, 1):
        lab.graded(SPOOKY, seed, 0.2)
        lab.submission(SPOOKY, seed, f"id,EAP\n{seed},1\n")
        keys = lab.keys.attempt(SPOOKY, seed, 1)
        lab.folder(keys.code, {"solve.py": b"print(1)", "lib/model.py": b"x = 1"})
        lab.folder(keys.logs, {"trace.json": b"{}"})
        lab.store.write(keys.agent_log, b"hello\n")
    return lab


def test_an_export_has_a_run_group_for_each_seed(lab, tmp_path):
    done = export(lab.store, lab.keys, tmp_path / "out")
    assert [group.name for group in done.groups] == [
        "2026-05-04T00-00-00-GMT_run-group_aide-seed-0",
        "2026-05-04T00-00-00-GMT_run-group_aide-seed-1",
    ]
    assert (done.runs, done.left_out) == (2, ())
    (run,) = [path for path in done.groups[1].iterdir() if path.is_dir()]
    assert run.name == f"{SPOOKY}_3f1c9f6e-seed-1-attempt-1"
    found = {str(path.relative_to(run)): path.read_text() for path in run.rglob("*") if path.is_file()}
    assert found == {
        "submission/submission.csv": "id,EAP\n1,1\n",
        "code/solve.py": "print(1)",
        "code/lib/model.py": "x = 1",
        "logs/trace.json": "{}",
        "logs/agent.log": "hello\n",
    }


def test_the_group_says_what_its_runs_are(lab, tmp_path):
    group = export(lab.store, lab.keys, tmp_path).groups[0]
    metadata = json.loads((group / "metadata.json").read_text())
    assert (metadata["run_group"], metadata["agent_id"], metadata["seed"]) == (group.name, "aide", 0)
    assert [run["competition_id"] for run in metadata["runs"].values()] == [SPOOKY]
    (entry,) = [json.loads(line) for line in (group / "submission.jsonl").read_text().splitlines()]
    assert entry["competition_id"] == SPOOKY
    assert Path(entry["submission_path"]).read_text() == "id,EAP\n0,1\n"


def test_grading_reports_of_an_export_aggregate_to_the_same_figures(lab, tmp_path):
    done = export(lab.store, lab.keys, tmp_path)
    (low,) = aggregate([group / "grading_report.json" for group in done.groups], pad_missing=True).splits
    assert low.valid.mean == pytest.approx(100 / 22)


def test_a_run_without_submission_and_folders_is_exported_as_such(make_lab, tmp_path):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.empty(SPOOKY, 0)
    group = export(lab.store, lab.keys, tmp_path).groups[0]
    (run,) = [path for path in group.iterdir() if path.is_dir()]
    assert sorted(path.name for path in run.rglob("*")) == ["code", "logs", "submission"]


def test_an_export_overwrites_nothing(lab, tmp_path):
    export(lab.store, lab.keys, tmp_path)
    with pytest.raises(ExportError, match="is there already; export into another folder"):
        export(lab.store, lab.keys, tmp_path)


def test_nothing_to_export_is_said(make_lab, tmp_path):
    with pytest.raises(ExportError, match="has no run with a result yet"):
        export(make_lab().store, make_lab().keys, tmp_path)


def tar_of(*members, data=b"evil"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member in members:
            content = data if member.isreg() else b""
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    buffer.seek(0)
    return buffer


def member(name, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    "bad, why",
    [
        pytest.param([member("../escaped")], "leads out", id="a path upwards"),
        pytest.param([member("a/../../escaped")], "leads out", id="a path down and up"),
        pytest.param([member("/tmp/escaped-absolutely")], "leads out", id="an absolute path"),
        pytest.param([member("link", tarfile.SYMTYPE, "/etc")], "a link", id="a symbolic link"),
        pytest.param([member("link", tarfile.LNKTYPE, "/etc/passwd")], "a link", id="a hard link"),
        pytest.param([member("pipe", tarfile.FIFOTYPE)], "not a plain file", id="a pipe"),
        pytest.param([member("disk", tarfile.BLKTYPE)], "not a plain file", id="a device"),
        pytest.param([member("l", tarfile.SYMTYPE, ".."), member("l/escaped")], "a link", id="a file behind a link"),
        pytest.param([member("file"), member("file/below")], "can't be used here", id="a file below a file"),
        pytest.param([member("twice"), member("twice")], "can't be used here", id="a file twice"),
        pytest.param([member("n" * 300)], "can't be used here", id="a name too long"),
    ],
)
def test_what_is_no_plain_file_below_the_folder_is_left_out_and_the_rest_is_there(tmp_path, bad, why):
    target = tmp_path / "deep" / "code"
    left_out = unpack(tar_of(*bad, member("good")), target)
    assert any(why in line for line in left_out)
    assert (target / "good").read_bytes() == b"evil"
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} <= {"good", "file", "twice", "escaped"}
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))
    assert all(target in path.parents for path in tmp_path.rglob("*") if path.is_file())


def test_a_damaged_tar_gives_what_it_has_and_says_so(tmp_path):
    whole = tar_of(member("first"), member("second"), data=b"x" * 5000).getvalue()
    left_out = unpack(io.BytesIO(whole[:7000]), tmp_path / "code")
    assert (tmp_path / "code" / "first").stat().st_size == 5000
    assert any("damaged" in line for line in left_out)


def test_control_characters_in_names_are_not_passed_on(tmp_path):
    (line,) = unpack(tar_of(member("\x1b[31mred", tarfile.SYMTYPE, "x")), tmp_path / "code")
    assert line == "red: a link"
