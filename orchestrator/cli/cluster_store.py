"""The runs store of a cluster's experiment: the one that $MLECTL_STORE_RUNS names, else the one its report is in."""

from __future__ import annotations

import os
import socket
from urllib.parse import parse_qs, urlsplit

from orchestrator.api.types import ExperimentRun
from orchestrator.cli.exits import UNREACHABLE, Trouble
from orchestrator.cli.place import key_of, keys_of
from orchestrator.storage.open import open_store, store_with
from orchestrator.storage.store import Store

VARIABLE = "MLECTL_STORE_RUNS"
ANSWER_SECONDS = 5.0


def open_runs(run: ExperimentRun) -> Store:
    """The store, reachable; Trouble that says what to set if it is not."""
    url = os.environ.get(VARIABLE) or _beside_report(run)
    if url is None:
        raise Trouble(
            f"{key_of(run)} has no report yet that would tell where its results are. Set {VARIABLE} to the cluster's "
            "runs store, such as s3://runs?endpoint=https://host:port, with AWS_ACCESS_KEY_ID and "
            f"AWS_SECRET_ACCESS_KEY; `mlectl runs {key_of(run)}` needs neither.",
            UNREACHABLE,
        )
    _must_answer(url)
    return open_store(url)


def _beside_report(run: ExperimentRun) -> str | None:
    """The store's URL out of its report's."""
    return store_with(run.status.report, keys_of(run).report) if run.status.report else None


def _must_answer(url: str) -> None:
    """Look for the server first: the store itself would try for long, as a worker has to."""
    endpoint = parse_qs(urlsplit(url).query).get("endpoint", [""])[0]
    parts = urlsplit(endpoint)
    if not parts.hostname:
        return
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), ANSWER_SECONDS).close()
    except OSError as error:
        raise Trouble(_unreachable(url, endpoint, parts.hostname, port, error), UNREACHABLE) from None


def _unreachable(url: str, endpoint: str, host: str, port: int, error: OSError) -> str:
    service = host.removesuffix(".cluster.local").split(".")
    if service[2:3] != ["svc"]:
        return (
            f"The runs store at {endpoint} does not answer: {error.strerror or error}. Set {VARIABLE} to where it does."
        )
    name, namespace = service[:2]
    way = (
        f"The results are in a store that only the cluster can reach, {endpoint}. Open a way to it:\n"
        f"  kubectl port-forward -n {namespace} service/{name} {port}:{port}\n"
    )
    if endpoint.startswith("https:"):
        return (
            f"{way}  echo '127.0.0.1 {host}' | sudo tee -a /etc/hosts      # its certificate holds for that name\n"
            "  export SSL_CERT_FILE=ca.crt      # of a private authority; and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"
        )
    local = url.replace(endpoint, f"http://127.0.0.1:{port}")
    return f"{way}  export {VARIABLE}='{local}'      # and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"
