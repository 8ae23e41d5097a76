"""What to do about a pod that could not start or get on, by the words of whoever stopped it."""

from __future__ import annotations

_ADVICE = (
    ("Image", "check the image's name and the pull secret of that namespace (image.repository, image.pullSecrets)"),
    ("CreateContainerConfigError", "create the Secret that it names, with every key (store.*Secret, kaggle.secret)"),
    ("PodSecurity", "the pods of mlectl keep the profile restricted: something in the cluster changes them"),
    ("nodes are available", "no node takes it: check nodeSelector and tolerations of agents and workers"),
    ("no worker 'doctor'", "the cluster's image is older than this mlectl: helm upgrade, or use its version"),
    (
        "Cannot trust the server",
        "put the certificate of the store's authority as ca.crt into a ConfigMap, of the same name in the chart's "
        "namespace and in each agents' namespace (store.caConfigMap)",
    ),
    ("RuntimeClass", "create that RuntimeClass, or leave out runtimeClassName"),
)


def advice(trouble: str, otherwise: str = "see the events of that namespace") -> str:
    return next((told for words, told in _ADVICE if words in trouble), otherwise)
