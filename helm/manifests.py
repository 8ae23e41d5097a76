"""`python -m helm.manifests [HELM]` (`make manifests`): renews manifests/install, the chart as plain files.

What comes out is what `helm install` would apply with manifests/install/values.yaml, without the hooks, which only Helm
runs, and without the definition of ExperimentRun, which is in manifests/crd: a file a template, and a kustomization
that lists them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from helm.values import CHART

FOLDER = Path(__file__).parents[1] / "manifests" / "install"
VALUES = "values.yaml"
NAMESPACE = "mlectl-system"
OF_THE_CLUSTER = ("Namespace", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "PriorityClass")
FIRST = ("namespaces.yaml", "../crd")
HELMS_WORDS = re.compile(
    r"^ *(app\.kubernetes\.io/managed-by: |helm\.sh/chart: |annotations: \{helm\.sh/resource-policy: ).*\n",
    re.MULTILINE,
)
"""Labels and annotations that tell nothing to anybody but Helm."""
SOURCE = re.compile(r"^# Source: mlectl/templates/(?P<file>\S+)\n", re.MULTILINE)
MADE = "# Made from helm/mlectl and {values} by `make manifests`; edit those.\n"
SYSTEM_NAMESPACE = f"""\
---
# Of the controller and all that may read answers. No agent runs here.
apiVersion: v1
kind: Namespace
metadata:
  name: {NAMESPACE}
  labels:
    pod-security.kubernetes.io/enforce: restricted
    pod-security.kubernetes.io/enforce-version: latest
"""
KUSTOMIZATION = """\
# mlectl without Helm: `kubectl apply --server-side -k manifests/install`, once values.yaml here is yours, `make
# manifests` was run, and namespace mlectl-system has the Secrets that values.yaml names.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
"""


def rendered(helm: str) -> dict[str, str]:
    """The text of each file by its name."""
    command = [
        helm,
        "template",
        "mlectl",
        str(CHART),
        f"--namespace={NAMESPACE}",
        f"--values={FOLDER / VALUES}",
        "--no-hooks",
    ]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    objects: dict[str, list[str]] = defaultdict(list)
    for document in re.split(r"^---\n", text, flags=re.MULTILINE):
        if source := SOURCE.match(document):
            objects[source["file"]].append(_plain(document[source.end() :]))
    objects["namespaces.yaml"].insert(0, SYSTEM_NAMESPACE)
    files = {name: MADE.format(values=VALUES) + "".join(objects[name]) for name in sorted(objects)}
    listed = (*FIRST, *(name for name in files if name not in FIRST))
    return {**files, "kustomization.yaml": KUSTOMIZATION + "".join(f"  - {name}\n" for name in listed)}


def _plain(document: str) -> str:
    """An object without Helm's words and blank lines, in the namespace that Helm would have put it."""
    text = re.sub(r"^\s*\n", "", HELMS_WORDS.sub("", document), flags=re.MULTILINE)
    kind = re.search(r"^kind: (\w+)$", text, re.MULTILINE)
    if kind and kind[1] not in OF_THE_CLUSTER and not re.search(r"^  namespace: ", text, re.MULTILINE):
        text = re.sub(
            r"^(metadata:\n  name: .*\n)", rf"\1  namespace: {NAMESPACE}\n", text, count=1, flags=re.MULTILINE
        )
    return f"---\n{text}"


def main(helm: str = "helm") -> str | None:
    """Why nothing was written; None if all was."""
    try:
        files = rendered(helm)
    except FileNotFoundError:
        return f"There is no program {helm}: install Helm, or say where it is: make manifests HELM=path"
    except subprocess.CalledProcessError as error:
        return str(error.stderr).strip()
    for name, content in files.items():
        (FOLDER / name).write_text(content)
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
