"""The desk of the validation service: hands out URLs presigned for one attempt, to the workers beside its agent.

An attempt's pod may wait in a queue for weeks and run for days, longer than S3 lets a URL live, and nothing secret is
kept for it in the cluster but its run token. So its workers ask when they start, and again before their URLs expire:

    POST /urls   {"role": "stage", "pod": NONCE, "dataset": ["manifest.json", "shards/00000.tar"], "restore": 1}
                 {"role": "courier", "pod": NONCE, "uploads": ["clock.json", "snapshots/60/submission.csv"]}
              -> {"lasts_seconds": 43200, "expires_at": …, "dataset": {name: URL}, "restore": …, "uploads": …}

The token says which attempt; what may be asked for is a closed list of names, and a dataset's shards go by their
pattern: reading the manifest, which may name millions of files, is left to the client. URLs are signed for
`lasts_seconds` from now, and clients count that by their own clocks.

One pod an attempt. `stage` makes up a nonce for its pod, and the courier's first request claims the attempt with it:
pod.json is written to the runs store only if it is not there, so that of two pods of one Job, which there are for a
moment when an API server loses an answer, one begins and the other is refused, whoever asks first. A queue may take a
pod away and bring another as long as no courier has started. A courier that was restarted still has its pod's nonce.
An attempt that was judged gets nothing any more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orchestrator.storage import layout
from orchestrator.storage.layout import AttemptKeys, ExperimentKeys
from orchestrator.storage.store import Store
from orchestrator.worker.serving import Refusal
from orchestrator.worker.tokens import Ticket

MOST_NAMES = 256
"""In one request."""
MOST_SNAPSHOTS = 2_000
"""Of one attempt."""
MOST_BODY_BYTES = 1 << 16
SHARD = re.compile(r"shards/[0-9]{5,7}\.tar")
SNAPSHOT = re.compile(r"snapshots/(?P<minutes>[0-9]{1,7}(?:\.[0-9]{1,9})?)/submission\.csv")
UPLOADS = ("submission.csv", "clock.json", "run.json", "code.tar", "logs.tar", "logs/agent.log")
RESTORED = ("code.tar", "logs.tar", "submission.csv")

Name = Annotated[str, Field(max_length=100)]
Names = Annotated[tuple[Name, ...], Field(max_length=MOST_NAMES)]


class UrlRequest(BaseModel):
    """What a worker asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["stage", "courier"]
    pod: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    dataset: Names = ()
    restore: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    uploads: Names = ()


class Desk:
    """Signs URLs with the service's own rights, as far as an attempt may have them."""

    def __init__(self, public: Store, runs: Store, lasts: timedelta) -> None:
        self.public = public
        self.runs = runs
        self.lasts = lasts

    def urls(self, ticket: Ticket, body: bytes) -> Mapping[str, object]:
        """The answer to a request; a Refusal for whoever may not have what it asks for."""
        request = read_request(body)
        check_names(ticket, request)
        attempt = keys_of(ticket, ticket.attempt)
        self.check_pod(attempt, request)
        self.check_snapshots(attempt, request.uploads)
        dataset = layout.dataset_prefix(ticket.version, ticket.competition)
        expires_at = datetime.now(UTC) + self.lasts
        return {
            "lasts_seconds": self.lasts.total_seconds(),
            "expires_at": expires_at.isoformat(),
            "dataset": {name: self.public.presign(f"{dataset}/{name}", "GET", self.lasts) for name in request.dataset},
            "restore": self.restore(ticket, request.restore),
            "uploads": {
                name: self.runs.presign(f"{attempt.prefix}/{name}", "PUT", self.lasts) for name in request.uploads
            },
        }

    def check_pod(self, attempt: AttemptKeys, request: UrlRequest) -> None:
        """Refuse an attempt that was judged, and a pod that is not the attempt's own."""
        if self.runs.read(attempt.outcome) is not None:
            raise Refusal(410, "This attempt has been judged.", "It is over; end the pod.")
        claimed = self.runs.read(attempt.pod)
        if claimed is None and request.role == "courier":
            claim = {"pod": request.pod, "claimed_at": datetime.now(UTC).isoformat()}
            self.runs.write_new(attempt.pod, json.dumps(claim).encode())
            claimed = self.runs.read(attempt.pod)
        if claimed is not None and json.loads(claimed)["pod"] != request.pod:
            raise Refusal(409, "This attempt has begun in another pod.", "It can't begin twice; end this one.")

    def check_snapshots(self, attempt: AttemptKeys, names: Iterable[str]) -> None:
        """Refuse to let an attempt fill the store with copies of its submission."""
        wanted = {f"{attempt.prefix}/{name}" for name in names if SNAPSHOT.fullmatch(name)}
        if wanted and len(wanted | set(self.runs.keys(f"{attempt.prefix}/snapshots/"))) > MOST_SNAPSHOTS:
            raise Refusal(413, "This attempt has too many snapshots.", f"At most {MOST_SNAPSHOTS:,} are kept.")

    def restore(self, ticket: Ticket, earlier: int | None) -> dict[str, str]:
        """What the run's earlier attempt saved."""
        if earlier is None:
            return {}
        prefix = keys_of(ticket, earlier).prefix
        found = (name for name in RESTORED if self.runs.stat(f"{prefix}/{name}") is not None)
        return {name: self.runs.presign(f"{prefix}/{name}", "GET", self.lasts) for name in found}


def read_request(body: bytes) -> UrlRequest:
    try:
        return UrlRequest.model_validate_json(body)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        details = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'all of it'}: {one['msg']}" for one in problems[:5])
        raise Refusal(400, "The request for URLs can't be understood.", details) from error


def check_names(ticket: Ticket, request: UrlRequest) -> None:
    """Refuse whatever is not on the list for this role."""
    foreign: list[str] = [name for name in request.dataset if name != layout.MANIFEST and not SHARD.fullmatch(name)]
    foreign += [name for name in request.uploads if name not in UPLOADS and not is_snapshot(name)]
    if foreign:
        raise Refusal(400, "There are no URLs for these names.", ", ".join(map(repr, foreign[:5])))
    if request.role == "stage" and request.uploads:
        raise Refusal(400, "Only a courier uploads.", "Ask for the dataset and for what to restore.")
    if request.role == "courier" and (request.dataset or request.restore is not None):
        raise Refusal(400, "Only stage brings files into a pod.", "Ask for uploads.")
    if request.restore is not None and request.restore >= ticket.attempt:
        raise Refusal(400, "There is nothing to restore.", f"Attempt {ticket.attempt} can go on from an earlier one.")


def is_snapshot(name: str) -> bool:
    """A snapshot's name as the courier writes it: every moment has one name."""
    match = SNAPSHOT.fullmatch(name)
    return match is not None and f"{float(match['minutes']):g}" == match["minutes"] and float(match["minutes"]) > 0


def keys_of(ticket: Ticket, attempt: int) -> AttemptKeys:
    return ExperimentKeys.of_prefix(ticket.experiment).attempt(ticket.competition, ticket.seed, attempt)
