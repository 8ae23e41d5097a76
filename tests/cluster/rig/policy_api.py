"""The enforcer's line to the API server: fresh lists, and word of every change that may matter to a policy."""

import json
import ssl
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from urllib.parse import urlencode

from tests.cluster.rig.layout import MAIN, NODE
from tests.cluster.rig.policy_rules import Object

PATHS = {
    "pods": "/api/v1/pods",
    "namespaces": "/api/v1/namespaces",
    "networkpolicies": "/apis/networking.k8s.io/v1/networkpolicies",
}
SELECTION = {"pods": {"fieldSelector": f"spec.nodeName={NODE}"}}
LIST_SECONDS, WATCH_SECONDS = 10, 300


def read(*kinds: str) -> list[list[Object]]:
    """All objects of these kinds, one kind after the other.

    As they are at that moment: without a resourceVersion the API server promises the latest state.
    """
    with closing(connect(LIST_SECONDS)) as connection:
        return [json.loads(ask(connection, kind, {}).read())["items"] for kind in kinds]


def changes(kind: str) -> Iterator[None]:
    """Yields at the start, and when an object comes, goes or changes in its labels, annotations or spec.

    Ends when the API server closes the watch; whoever calls again hears of everything anew, so nothing is missed.
    """
    known: dict[str, Object] = {}
    with closing(connect(WATCH_SECONDS + LIST_SECONDS)) as connection:
        answer = ask(connection, kind, {"watch": "true", "timeoutSeconds": str(WATCH_SECONDS)})
        yield
        while line := answer.readline():
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise HTTPException(f"the watch of {kind} ended: {event['object'].get('message')}")
            if is_news(event, known):
                yield


def is_news(event: Object, known: dict[str, Object]) -> bool:
    metadata = event["object"]["metadata"]
    if event["type"] == "DELETED":
        known.pop(metadata["uid"], None)
        return True
    now = {key: metadata.get(key) for key in ("labels", "annotations")} | {"spec": event["object"].get("spec")}
    if known.get(metadata["uid"]) == now:
        return False
    known[metadata["uid"]] = now
    return True


def ask(connection: HTTPSConnection, kind: str, query: dict[str, str]) -> HTTPResponse:
    connection.request("GET", f"{PATHS[kind]}?{urlencode(query | SELECTION.get(kind, {}))}")
    answer = connection.getresponse()
    if answer.status != 200:
        raise HTTPException(f"the API server answers {answer.status} for {kind}: {answer.read(500)!r}")
    return answer


def connect(timeout_seconds: float) -> HTTPSConnection:
    return HTTPSConnection("127.0.0.1", MAIN.port("kube-apiserver"), timeout=timeout_seconds, context=credentials())


@cache
def credentials() -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(MAIN.pki / "ca.crt"))
    context.load_cert_chain(MAIN.pki / "admin.crt", MAIN.pki / "admin.key")
    return context
