"""The one place that knows keys: where datasets, answers, submissions and reports are in the three stores.

public   datasets/<version>/<competition>/manifest.json + shards/NNNNN.tar
         preparing/<version>/<competition>.json   while it is being prepared: how far that is
         preparing/rules.json                     of those that wait: whose rules nobody has accepted
private  answers/<version>/<competition>/manifest.json + shards/NNNNN.tar
         archives/<competition>/about.json + <which>/NNNNN   on a cluster, until it is prepared: its download in parts
runs     experiments/<namespace>/<name>-<uid8>/
             spec.yaml
             notes.json        what the controller has read of it, a copy; nobody depends on it
             runs/<competition>/seed-<k>/attempt-<n>/
                 submission.csv, snapshots/<minutes>/submission.csv, code.tar, logs.tar, logs/agent.log
                 pod.json      on a cluster: which pod may run it, claimed at the validation service
                 clock.json    the courier's clock, rewritten as the agent runs
                 run.json      what the agent had and how it ended, written last by the courier; if an agent filled its
                               disk and nothing was collected, by the grader
                 outcome.json  the controller's judgement of the attempt, written once
             reports/<competition>/seed-<k>.json
             report.json, report.html, record.json
"""

from __future__ import annotations

from dataclasses import dataclass


def dataset_prefix(version: str, competition: str) -> str:
    """Public store: the folder of a prepared dataset's manifest and shards."""
    return f"datasets/{version}/{competition}"


def answers_prefix(version: str, competition: str) -> str:
    """Private store: the folder of a competition's answers, packed the same way."""
    return f"answers/{version}/{competition}"


def headway(version: str, competition: str) -> str:
    """Public store: how far the preparation of a dataset is."""
    return f"preparing/{version}/{competition}.json"


RULES = "preparing/rules.json"
"""Public store: competitions that wait to be prepared and whose rules nobody has accepted."""


def archive_prefix(competition: str) -> str:
    """Private store: the raw archive of a competition that is not prepared yet. Raw files have answers in them."""
    return f"archives/{competition}"


MANIFEST = "manifest.json"
ARCHIVE_NOTE = "about.json"


def shard(number: int) -> str:
    """Name of a shard below a dataset's prefix."""
    return f"shards/{number:05d}.tar"


def archive_part(number: int) -> str:
    """Name of a part of an archive, below its prefix and which archive it is."""
    return f"{number:05d}"


@dataclass(frozen=True)
class AttemptKeys:
    """Keys of one attempt of one run, in the runs store."""

    prefix: str

    @property
    def submission(self) -> str:
        return f"{self.prefix}/submission.csv"

    def snapshot(self, minutes: float) -> str:
        return f"{self.prefix}/snapshots/{minutes:g}/submission.csv"

    @property
    def code(self) -> str:
        return f"{self.prefix}/code.tar"

    @property
    def logs(self) -> str:
        return f"{self.prefix}/logs.tar"

    @property
    def agent_log(self) -> str:
        return f"{self.prefix}/logs/agent.log"

    @property
    def pod(self) -> str:
        return f"{self.prefix}/pod.json"

    @property
    def clock(self) -> str:
        return f"{self.prefix}/clock.json"

    @property
    def run(self) -> str:
        return f"{self.prefix}/run.json"

    @property
    def outcome(self) -> str:
        return f"{self.prefix}/outcome.json"


@dataclass(frozen=True)
class ExperimentKeys:
    """Keys of one experiment, in the runs store. The uid keeps two experiments of one name apart."""

    namespace: str
    name: str
    uid: str

    @property
    def prefix(self) -> str:
        return f"experiments/{self.namespace}/{self.name}-{self.uid[:8]}"

    @classmethod
    def of_prefix(cls, prefix: str) -> ExperimentKeys:
        """The keys of the experiment with this prefix; of the uid only its start is known then."""
        _, namespace, folder = prefix.split("/")
        name, _, uid = folder.rpartition("-")
        return cls(namespace, name, uid)

    @property
    def spec(self) -> str:
        return f"{self.prefix}/spec.yaml"

    @property
    def notes(self) -> str:
        return f"{self.prefix}/notes.json"

    @property
    def runs(self) -> str:
        return f"{self.prefix}/runs/"

    def run(self, competition: str, seed: int) -> str:
        """What every key of a run's attempts starts with."""
        return f"{self.runs}{competition}/seed-{seed}/"

    @property
    def reports(self) -> str:
        return f"{self.prefix}/reports/"

    def attempt(self, competition: str, seed: int, attempt: int) -> AttemptKeys:
        return AttemptKeys(f"{self.prefix}/runs/{competition}/seed-{seed}/attempt-{attempt}")

    def run_report(self, competition: str, seed: int) -> str:
        return f"{self.reports}{competition}/seed-{seed}.json"

    @property
    def report(self) -> str:
        return f"{self.prefix}/report.json"

    @property
    def report_html(self) -> str:
        return f"{self.prefix}/report.html"

    @property
    def record(self) -> str:
        """Not signed. `record.dsse.json` beside it is kept for one that is."""
        return f"{self.prefix}/record.json"
