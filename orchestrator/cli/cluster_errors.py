"""What a cluster refused, as a sentence that says what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.cli.exits import UNREACHABLE, USAGE, Trouble
from orchestrator.cluster.kubernetes.errors import (
    ApiError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    NotServed,
    Unauthorized,
    Unavailable,
)
from orchestrator.cluster.kubernetes.kinds import Kind

INSTALL = "kubectl apply --server-side -f manifests/crd"


@contextmanager
def explained(context: str, verb: str, kind: Kind, namespace: str) -> Iterator[None]:
    """Turn what an API server says into Trouble; a Conflict stays one. `context` names the cluster to people."""
    try:
        yield
    except Conflict:
        raise
    except ApiError as error:
        raise Trouble(*_sentence(error, context, verb, kind, namespace)) from error


def _sentence(error: ApiError, context: str, verb: str, kind: Kind, namespace: str) -> tuple[str, int]:
    right, cluster = f"{verb} {kind}", f"The cluster {context}"
    match error:
        case Unavailable():
            words = f"{cluster} can't be reached: {_clause(error)}. Check it with `kubectl cluster-info`"
            return f"{words}, or choose another with --context.", UNREACHABLE
        case Unauthorized():
            return f"{cluster} does not accept your credentials; log in again, as for kubectl.", UNREACHABLE
        case Forbidden():
            return (
                f"You may not {right} in namespace {namespace} of the cluster {context}. Ask whoever runs it for a "
                f"role with that right; `kubectl auth can-i {right} -n {namespace}` says yes once you have it.",
                UNREACHABLE,
            )
        case NotServed():
            return f"{cluster} does not know ExperimentRuns yet. Install the definition with: {INSTALL}", UNREACHABLE
        case NotFound() if "namespaces" in error.message:
            return f"{cluster} has no namespace {namespace}; choose another with -n, or create it.", USAGE
        case Invalid():
            return f"{cluster} refused it: {_clause(error)}.", USAGE
        case _:
            return f"{cluster} could not {right} in namespace {namespace}: {_clause(error)}.", UNREACHABLE


def _clause(error: ApiError) -> str:
    return error.message.rstrip(".")
