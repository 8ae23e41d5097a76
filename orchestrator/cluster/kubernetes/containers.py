"""Containers, under the Pod Security profile `restricted`."""

from __future__ import annotations

from typing import Any

from orchestrator.cluster.kubernetes.amounts import Share
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.worker.orders import Order

USER = 1000
"""The user and the group of every process in our pods, agents' too."""
AUTHORITIES, AUTHORITIES_FILE = "/etc/mlectl-ca", "ca.crt"


def worker(role: str, order: Order, mounts: list[Object], share: Share, settings: Settings, home: str) -> Object:
    """A container of ours: it carries out one order, sees its mounts, and writes nowhere else.

    `home` is a mount that it keeps temporary files in. What it says when it fails becomes the container's termination
    message, because it writes it to /dev/termination-log; if it could not, the end of its log does.
    """
    return {
        "name": role,
        "image": settings.image,
        "imagePullPolicy": settings.image_pull_policy,
        "command": ["mlectl", "worker", role, "--order", "env:MLECTL_ORDER"],
        "env": [
            variable("MLECTL_ORDER", order.model_dump_json(exclude_defaults=True)),
            variable("MLECTL_FAILURE", "/dev/termination-log"),
            variable("HOME", home),
            variable("TMPDIR", home),
            *([variable("SSL_CERT_FILE", f"{AUTHORITIES}/{AUTHORITIES_FILE}")] if settings.ca_config_map else []),
        ],
        "resources": share.written(),
        "volumeMounts": [
            *mounts,
            *([mount("authorities", AUTHORITIES, readOnly=True)] if settings.ca_config_map else []),
        ],
        "securityContext": container_security(read_only=True),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def variable(name: str, value: str) -> Object:
    """An environment variable with exactly this value."""
    return {"name": name, "value": literal(value)}


def field_variable(name: str, path: str) -> Object:
    """An environment variable with a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def literal(text: str) -> str:
    """Text that stays as it is: in commands and values Kubernetes puts variables in for $(NAME), and $ for $$."""
    return text.replace("$", "$$")


def authorities(settings: Settings) -> list[Object]:
    """The volume of the store's authorities, of which every worker has a mount; none where the public ones do.

    Optional, because a pod whose ConfigMap is missing would wait for it on its node, for ever and without a word. As it
    is, its first worker that talks to the store says what is missing.
    """
    name = settings.ca_config_map
    return [{"name": "authorities", "configMap": {"name": name, "optional": True}}] if name else []


def mount(volume: str, path: str, **more: Any) -> Object:
    return {"name": volume, "mountPath": path, **more}


def container_security(*, read_only: bool) -> Object:
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": read_only,
    }


def pod_security() -> Object:
    return {
        "runAsNonRoot": True,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def pod_basics(settings: Settings) -> Object:
    """What is common to all our pods: nothing of the cluster's API reaches them."""
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": pod_security(),
        **(
            {"imagePullSecrets": [{"name": name} for name in settings.image_pull_secrets]}
            if settings.image_pull_secrets
            else {}
        ),
    }
