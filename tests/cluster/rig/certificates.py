"""One authority for an instance, a certificate for each component, and a kubeconfig for each client."""

import os
import subprocess
from pathlib import Path

from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import API_SERVICE, NODE, NODE_ADDRESS, Instance

# client: its subject; Kubernetes reads CN as user and O as group
CLIENTS = {
    "admin": "/O=system:masters/CN=admin",
    "controller-manager": "/CN=system:kube-controller-manager",
    "scheduler": "/CN=system:kube-scheduler",
    "proxy": "/CN=system:kube-proxy",
    "kubelet": f"/O=system:nodes/CN=system:node:{NODE}",
    "apiserver-to-kubelet": "/O=system:masters/CN=apiserver-to-kubelet",
}
SERVICE_NAMES = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost")
API_NAMES = ",".join(
    [*(f"DNS:{name}" for name in SERVICE_NAMES), *(f"IP:{each}" for each in ("127.0.0.1", NODE_ADDRESS, API_SERVICE))]
)
ELLIPTIC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
DAYS = "3650"


def make(rig: Instance) -> None:
    """Everything the components need to trust each other. What exists is kept."""
    pki = rig.pki
    make_authority(pki)
    if not (pki / "service-account.pub").exists():
        openssl("genrsa", "-out", pki / "service-account.key", "2048")
        openssl("rsa", "-in", pki / "service-account.key", "-pubout", "-out", pki / "service-account.pub")

    certify(pki, "apiserver", "/CN=kube-apiserver", "serverAuth", API_NAMES)
    certify(pki, "kubelet-server", f"/CN={NODE}", "serverAuth", f"DNS:{NODE},IP:{NODE_ADDRESS}")
    for name, subject in CLIENTS.items():
        certify(pki, name, subject, "clientAuth")
        write_kubeconfig(rig, name)


def make_authority(pki: Path) -> None:
    """A folder with ca.crt and ca.key, whom `certify` signs with."""
    pki.mkdir(parents=True, exist_ok=True)
    if not (pki / "ca.crt").exists():
        files = ("-keyout", pki / "ca.key", "-out", pki / "ca.crt")
        openssl("req", "-x509", *ELLIPTIC, "-days", DAYS, "-subj", "/CN=rig", *files)


def certify(pki: Path, name: str, subject: str, usage: str, names: str = "") -> None:
    if (pki / f"{name}.crt").exists():
        return
    extensions = pki / f"{name}.ext"
    extensions.write_text(f"extendedKeyUsage={usage}\n" + (f"subjectAltName={names}\n" if names else ""))
    request, authority = pki / f"{name}.csr", ("-CA", pki / "ca.crt", "-CAkey", pki / "ca.key", "-CAcreateserial")
    openssl("req", *ELLIPTIC, "-subj", subject, "-keyout", pki / f"{name}.key", "-out", request)
    result = ("-extfile", extensions, "-out", pki / f"{name}.crt")
    openssl("x509", "-req", "-days", DAYS, "-in", request, *authority, *result)


def write_kubeconfig(rig: Instance, client: str) -> None:
    path, pki = rig.kubeconfig_of(client), rig.pki
    draft = path.with_suffix(f".{os.getpid()}")  # somebody may be reading the one that is there
    draft.touch(mode=0o600)
    draft.write_text(f"""\
apiVersion: v1
kind: Config
clusters: [{{name: rig, cluster: {{server: "{rig.api}", certificate-authority: {pki}/ca.crt}}}}]
users: [{{name: {client}, user: {{client-certificate: {pki}/{client}.crt, client-key: {pki}/{client}.key}}}}]
contexts: [{{name: rig, context: {{cluster: rig, user: {client}}}}}]
current-context: rig
""")
    draft.replace(path)


def openssl(*argv: str | Path) -> None:
    try:
        done = subprocess.run(["openssl", *map(str, argv)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise RigError("openssl is not installed; on Debian: apt-get install openssl.") from None
    if done.returncode:
        raise RigError(f"openssl {argv[0]} failed: {done.stderr.strip()}")
