"""The dummy agent: hands in the sample."""

from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "name",
    ["sample_submission.csv", "sampleSubmission.csv", "kaggle_sample_submission.csv", "folder/sample_submission.csv"],
)
def test_the_sample_is_handed_in_whatever_it_is_called(place, tmp_path: Path, name: str):
    sample = tmp_path / "data" / name
    sample.parent.mkdir(parents=True)
    sample.write_bytes(b"id,y\n1,0.5\n")
    run = place("dummy", tmp_path / "data")

    printed = run.run()

    assert run.submission.read_bytes() == b"id,y\n1,0.5\n"
    assert str(sample) in printed


def test_of_several_samples_the_plain_one_is_handed_in(place, tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "sample_submission_stage_2.csv").write_text("other")
    (data / "sampleSubmission.csv").write_text("plain")
    run = place("dummy", data)

    run.run()

    assert run.submission.read_text() == "plain"


def test_a_task_without_a_sample_is_an_error_that_says_where_it_looked(place, tmp_path: Path):
    data = tmp_path / "data"
    data.mkdir()
    run = place("dummy", data)

    printed = run.run(exit_code=1)

    assert f"no sample submission in {data}" in printed
    assert not run.submission.exists()
