"""Tells whoever runs `kubectl describe exp NAME` what happened, as Kubernetes Events. Nothing depends on them."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import AlreadyExists, ApiError
from orchestrator.cluster.kubernetes.kinds import EVENTS, EXPERIMENTS, Object
from orchestrator.core.model import Event, Experiment

log = logging.getLogger(__name__)

COMPONENT = "mlectl-controller"
LONGEST_MESSAGE = 1024
LONGEST_NAME = 253
PATIENCE_SECONDS = 5.0


def tell(api: Api, experiment: Experiment, events: Iterable[Event], *, now: datetime | None = None) -> None:
    """Write the events on the experiment, as well as that goes: a failure is logged, and the rest is left out.

    The same event has the same name. One that is told again, after a reconcile that was cut short or because it
    happened again, renews the time of the one that is there.
    """
    hasty = api.within(PATIENCE_SECONDS)
    for event in events:
        body = event_object(experiment, event, now or datetime.now(UTC))
        try:
            _write(hasty, experiment.namespace, body)
        except ApiError as error:
            log.warning("An event of %s/%s was not told: %s", experiment.namespace, experiment.name, error)
            return


def event_object(experiment: Experiment, event: Event, now: datetime) -> Object:
    """The Kubernetes Event; it follows from the arguments alone."""
    told_at = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = sha256("\0".join((experiment.uid, event.reason, event.message)).encode()).hexdigest()[:16]
    return {
        "apiVersion": EVENTS.api_version,
        "kind": EVENTS.name,
        "metadata": {
            "name": f"{experiment.name[: LONGEST_NAME - len(digest) - 1].rstrip('.-')}.{digest}",
            "namespace": experiment.namespace,
        },
        "involvedObject": {
            "apiVersion": EXPERIMENTS.api_version,
            "kind": EXPERIMENTS.name,
            "namespace": experiment.namespace,
            "name": experiment.name,
            "uid": experiment.uid,
        },
        "type": "Warning" if event.is_warning else "Normal",
        "reason": event.reason,
        "message": _cut(event.message),
        "firstTimestamp": told_at,
        "lastTimestamp": told_at,
        "count": 1,
        "source": {"component": COMPONENT},
        "reportingComponent": COMPONENT,
    }


def _write(api: Api, namespace: str, body: Object) -> None:
    try:
        api.create(EVENTS, namespace, body)
    except AlreadyExists:
        renewal = {"lastTimestamp": body["lastTimestamp"]}
        api.patch(EVENTS, namespace, body["metadata"]["name"], renewal)


def _cut(message: str) -> str:
    """The API server refuses messages of more bytes than that."""
    data = message.encode()
    if len(data) <= LONGEST_MESSAGE:
        return message
    return data[: LONGEST_MESSAGE - 3].decode(errors="ignore") + "…"
