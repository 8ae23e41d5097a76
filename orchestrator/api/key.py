"""How the rest of the project names one ExperimentRun."""

from typing import NamedTuple


class Key(NamedTuple):
    """Which ExperimentRun: two of the same name in two namespaces are two experiments."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return self.name if self.namespace == "default" else f"{self.namespace}/{self.name}"
