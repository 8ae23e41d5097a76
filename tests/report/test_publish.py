"""Publishing: three documents, the deciding one last, and a record whose digests can be recomputed."""

import json
from hashlib import sha256

import pytest

from orchestrator.report.publish import publish
from orchestrator.report.reportjson import from_json

SPOOKY = "spooky-author-identification"


class Stopped(Exception):
    """The process ended."""


class Dying:
    """A store whose process ends after some writes."""

    def __init__(self, store, writes):
        self.store, self.left = store, writes

    def __getattr__(self, name):
        return getattr(self.store, name)

    def write(self, key, data):
        if not self.left:
            raise Stopped
        self.left -= 1
        self.store.write(key, data)


@pytest.fixture
def lab(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=2)
    for seed in (0, 1):
        lab.graded(SPOOKY, seed, 0.2)
        lab.submission(SPOOKY, seed, f"{SPOOKY} {seed}")
    return lab


def test_publishing_writes_report_page_and_record(lab):
    result = publish(lab.store, lab.keys, results_digest="d1")
    assert from_json(lab.store.read(lab.keys.report)) == result
    assert result.results_digest == "d1"
    assert lab.store.read(lab.keys.report_html).startswith(b"<!doctype html>")
    assert json.loads(lab.store.read(lab.keys.record))["predicateType"] == "https://mlectl.dev/record/v1"


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_stop_at_any_write_leaves_no_report_and_the_next_try_writes_all(lab, writes):
    with pytest.raises(Stopped):
        publish(Dying(lab.store, writes), lab.keys)
    assert lab.store.read(lab.keys.report) is None
    publish(lab.store, lab.keys)
    assert None not in [lab.store.read(key) for key in (lab.keys.report, lab.keys.report_html, lab.keys.record)]


def test_publishing_twice_changes_nothing(lab):
    keys = (lab.keys.report, lab.keys.report_html, lab.keys.record)
    publish(lab.store, lab.keys)
    first = [lab.store.read(key) for key in keys]
    publish(lab.store, lab.keys)
    assert [lab.store.read(key) for key in keys] == first


def test_every_subject_of_the_record_has_the_digest_of_its_file(lab):
    publish(lab.store, lab.keys)
    statement = json.loads(lab.store.read(lab.keys.record))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    subjects = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    files = ("spec.yaml", "report.json")
    each = (
        "reports/{0}/seed-{1}.json",
        "runs/{0}/seed-{1}/attempt-1/run.json",
        "runs/{0}/seed-{1}/attempt-1/outcome.json",
        "runs/{0}/seed-{1}/attempt-1/submission.csv",
    )
    assert set(subjects) == {*files, *(name.format(SPOOKY, seed) for name in each for seed in (0, 1))}
    for name, digest in subjects.items():
        assert sha256(lab.store.read(f"{lab.keys.prefix}/{name}")).hexdigest() == digest, name


def test_the_record_holds_every_run_record_and_the_report(lab):
    result = publish(lab.store, lab.keys)
    predicate = json.loads(lab.store.read(lab.keys.record))["predicate"]
    assert predicate["report"]["figures"][0]["any_medal"]["mean"] == result.figures[0].any_medal.mean
    assert [(run["seed"], run["record"]["isolation"]) for run in predicate["runs"]] == [(0, "pod"), (1, "pod")]


def test_a_run_without_a_submission_has_no_digest_of_one(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.empty(SPOOKY, 0)
    publish(lab.store, lab.keys)
    names = [subject["name"] for subject in json.loads(lab.store.read(lab.keys.record))["subject"]]
    assert not any(name.endswith("submission.csv") for name in names)
