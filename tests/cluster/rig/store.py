"""A real S3 store in the cluster: SeaweedFS in one pod behind a Service, with the identities of a true installation.

`controller` (and prepare) reads and writes all three buckets; `grader` (and validation) reads the public and the
private one and writes runs; agents have none. `owner` is the person who made the buckets; no part of mlectl gets it.
"""

import io
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import urllib3
from minio import Minio
from minio.error import S3Error
from urllib3.exceptions import HTTPError

from tests.cluster.images.made import STORE
from tests.cluster.rig import certificates
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.kubectl import Object
from tests.cluster.rig.layout import NODE
from tests.cluster.rig.pods import CONTAINER_SECURITY, POD_SECURITY
from tests.s3server import Account

NAME, PORT = "store", 8333
LABELS = {"app": NAME}
BUCKETS = PUBLIC, PRIVATE, RUNS = ("public", "private", "runs")
REGION = "us-east-1"
READ, WRITE = ("Read", "List"), ("Read", "List", "Write", "Tagging")
READY_SECONDS = 60
FILES, CERTIFICATE, KEY = "/identities", "tls.crt", "tls.key"


def on(actions: tuple[str, ...], *buckets: str) -> tuple[str, ...]:
    return tuple(f"{action}:{bucket}" for bucket in buckets for action in actions)


OWNER = Account("owner", "owner-secret", ("Admin", *WRITE))
CONTROLLER = Account("controller", "controller-secret", on(WRITE, *BUCKETS))
GRADER = Account("grader", "grader-secret", (*on(READ, PUBLIC, PRIVATE), *on(WRITE, RUNS)))


@dataclass(frozen=True)
class ClusterStore:
    """A store that runs. Its address is the Service's, good in pods and on this machine; its name is good in pods."""

    namespace: str
    address: str
    authority: str = ""
    """The certificate, as PEM, of whoever signed the store's. Empty: it speaks plain HTTP."""
    controller: Account = CONTROLLER
    grader: Account = GRADER
    owner: Account = OWNER

    @property
    def scheme(self) -> str:
        return "https" if self.authority else "http"

    @property
    def endpoint(self) -> str:
        """Good everywhere. Presigned URLs hold only for the endpoint that they were signed for."""
        return f"{self.scheme}://{self.address}:{PORT}"

    @property
    def endpoint_by_name(self) -> str:
        """Good in pods alone."""
        return f"{self.scheme}://{name_in(self.namespace)}:{PORT}"

    @property
    def peer(self) -> Object:
        """As a NetworkPolicy names it; the port is PORT."""
        namespace = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}
        return {"namespaceSelector": namespace, "podSelector": {"matchLabels": LABELS}}

    def url(self, bucket: str, *, by_name: bool = False) -> str:
        """What `open_store` takes."""
        return f"s3://{bucket}?endpoint={self.endpoint_by_name if by_name else self.endpoint}&region={REGION}"

    def client(self, identity: Account, *, by_name: bool = False) -> Minio:
        """By name it is of use here for signing alone."""
        host = (self.endpoint_by_name if by_name else self.endpoint).removeprefix(f"{self.scheme}://")
        return Minio(
            host,
            access_key=identity.access_key,
            secret_key=identity.secret_key,
            secure=bool(self.authority),
            region=REGION,
            http_client=trusting(self.authority) if self.authority else None,
        )


def trusting(authority: str) -> urllib3.PoolManager:
    return urllib3.PoolManager(ssl_context=ssl.create_default_context(cadata=authority))


@contextmanager
def run(plane: ControlPlane, *, tls: bool = False) -> Iterator[ClusterStore]:
    """A store with three buckets in a namespace of its own. With `tls` its certificate is of a private authority."""
    with plane.namespace(restricted=True, prefix=NAME) as namespace:
        plane.apply(service(namespace))
        address = plane.get("service", NAME, f"--namespace={namespace}")["spec"]["clusterIP"]
        authority, files = certified(f"DNS:{name_in(namespace)},IP:{address}") if tls else ("", {})
        plane.apply(*manifests(namespace, files))
        plane.kubectl("rollout", "status", f"--namespace={namespace}", f"deployment/{NAME}", "--timeout=300s")
        store = ClusterStore(namespace, address, authority)
        for bucket in BUCKETS:
            make_bucket(store.client(OWNER), bucket)
        yield store


def name_in(namespace: str) -> str:
    return f"{NAME}.{namespace}.svc.cluster.local"


def certified(names: str) -> tuple[str, dict[str, str]]:
    """A new authority's certificate, and a certificate and key that it gave a store of these names; all as PEM."""
    with TemporaryDirectory() as folder:
        pki = Path(folder)
        certificates.make_authority(pki)
        certificates.certify(pki, NAME, f"/CN={NAME}", "serverAuth", names)
        files = {file: (pki / f"{NAME}{Path(file).suffix}").read_text() for file in (CERTIFICATE, KEY)}
        return (pki / "ca.crt").read_text(), files


def make_bucket(client: Minio, bucket: str) -> None:
    """Make a bucket and wait until it takes objects: the server makes room for a new one at the first write."""
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            if not client.bucket_exists(bucket):
                client.make_bucket(bucket)
            client.put_object(bucket, "probe", io.BytesIO(b"probe"), 5)
            client.remove_object(bucket, "probe")
            return
        except (S3Error, HTTPError, OSError) as error:
            if time.monotonic() > deadline:
                raise RigError(f"The store takes no object into {bucket}: {error}") from error
            time.sleep(0.1)


def service(namespace: str) -> Object:
    metadata = {"name": NAME, "namespace": namespace}
    spec = {"selector": LABELS, "ports": [{"port": PORT, "targetPort": PORT}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def manifests(namespace: str, certificate: dict[str, str]) -> list[Object]:
    metadata = {"name": NAME, "namespace": namespace}
    identities = json.dumps({"identities": [each.config() for each in (OWNER, CONTROLLER, GRADER)]})
    files = {"s3.json": identities, **certificate}
    template = {"metadata": {"labels": LABELS}, "spec": pod_spec(tls=bool(certificate))}
    deployment = {"selector": {"matchLabels": LABELS}, "strategy": {"type": "Recreate"}, "template": template}
    return [
        {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": files},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": deployment},
    ]


def pod_spec(*, tls: bool) -> Object:
    folders = {"data": "/data", "tmp": "/tmp", "identities": FILES}
    options = {**OPTIONS, **(TLS if tls else {})}
    health = {"path": "/healthz", "port": PORT, "scheme": "HTTPS" if tls else "HTTP"}
    container = {
        "name": NAME,
        "image": STORE,
        "args": ["server", *(f"-{name}={value}" for name, value in options.items())],
        "readinessProbe": {"httpGet": health, "periodSeconds": 1},
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in folders.items()],
        "securityContext": CONTAINER_SECURITY,
    }
    return {
        "nodeSelector": {"kubernetes.io/hostname": NODE},
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 1,
        "securityContext": POD_SECURITY,
        "containers": [container],
        "volumes": [
            {"name": "data", "emptyDir": {}},
            {"name": "tmp", "emptyDir": {}},
            {"name": "identities", "secret": {"secretName": NAME}},
        ],
    }


OPTIONS: dict[str, Any] = {
    "dir": "/data",
    "ip": "127.0.0.1",  # master, volume and filer know no identities: only the pod itself reaches them
    "ip.bind": "127.0.0.1",
    "master.telemetry": "false",
    "master.volumeSizeLimitMB": 64,
    "volume.max": 100,
    "volume.preStopSeconds": 0,
    "filer": "true",
    "s3": "true",
    "s3.ip.bind": "0.0.0.0",
    "s3.port": PORT,
    "s3.port.iceberg": 0,
    "s3.port.lance": 0,
    "s3.config": f"{FILES}/s3.json",
}
TLS = {"s3.cert.file": f"{FILES}/{CERTIFICATE}", "s3.key.file": f"{FILES}/{KEY}"}
"""On the same port, which then speaks nothing else."""
