"""How far this pod's clock is from others': they tell theirs in the Date of any answer, also of a refusal."""

from __future__ import annotations

import http.client
import os
import ssl
import time
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, urlsplit

from orchestrator.storage.open import AWS
from orchestrator.worker.orders import Stores

SECONDS = 5.0


def look(stores: Stores | None) -> dict[str, float | str]:
    """Seconds by which this clock is ahead of each, or why that can't be known."""
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST", ""), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    found = {"API server": ahead_of(f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}")}
    if stores is not None:
        endpoint = parse_qs(urlsplit(stores.runs).query).get("endpoint", [AWS])[0]
        found["store"] = ahead_of(endpoint)
    return found


def ahead_of(url: str) -> float | str:
    """Of an HTTP server. A Date has whole seconds, so the answer is good to half of one."""
    parts = urlsplit(url)
    try:
        connection = _connection(parts.scheme, parts.hostname or "", parts.port)
        try:
            begun = time.time()
            connection.request("GET", "/")
            told = connection.getresponse().getheader("Date")
            ended = time.time()
        finally:
            connection.close()
        if told is None:
            return "its answer has no Date"
        return round((begun + ended) / 2 - parsedate_to_datetime(told).timestamp() - 0.5, 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}"


def _connection(scheme: str, host: str, port: int | None) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=SECONDS)
    context = ssl.create_default_context()
    context.check_hostname = False  # nothing is sent, and nothing but the time is read
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, port, timeout=SECONDS, context=context)
