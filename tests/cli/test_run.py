from pathlib import Path

import pytest

from orchestrator.cli.places import place_of

SAMPLES = Path(__file__).resolve().parents[2] / "manifests" / "samples"

BAD = """\
apiVersion: mlectl.dev/v1alpha1
kind: ExperimentRun
metadata: {name: bad}
spec:
  competitions: {ids: [spooky-author-identificaton]}
  agent: {name: a, image: mlectl/agent-dummy:0.1.0}
  seeds: none
"""


def test_a_file_with_mistakes_starts_nothing_and_lists_them(mlectl, home, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(BAD)
    answer = mlectl("run", path)
    assert answer.code == 2
    assert answer.err == (
        f"mlectl: {path} has 2 mistakes:\n"
        "  line 5: spec.competitions.ids[0]: no competition 'spooky-author-identificaton'; "
        "did you mean spooky-author-identification?\n"
        "  line 7: spec.seeds: write a whole number, not 'none'\n"
    )
    assert not home.experiments.exists()


@pytest.mark.parametrize("content, words", [(None, "can't be read"), (b"\xff\xfe\x00", "is not UTF-8 text")])
def test_a_file_that_cannot_be_read_is_told_in_a_sentence(mlectl, tmp_path, content, words):
    path = tmp_path / "spec.yaml"
    if content is not None:
        path.write_bytes(content)
    answer = mlectl("run", path)
    assert answer.code == 2
    assert words in answer.err


def test_an_image_that_is_no_bundled_agent_says_what_to_do(mlectl):
    answer = mlectl("run", SAMPLES / "smallest.yaml")
    assert answer.code == 2
    assert "--agent-folder" in answer.err


def test_an_object_is_where_a_person_can_look():
    assert place_of("file:///data/my%20runs", "a/report.html") == "/data/my runs/a/report.html"
    assert place_of("s3://runs/x?endpoint=http://h:1", "a/report.html") == "s3://runs/x/a/report.html"
