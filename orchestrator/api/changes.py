"""What of a spec may still change once its experiment has started. Results of one experiment belong to one spec."""

from __future__ import annotations

from orchestrator.api.spec import ExperimentRunSpec

CHANGEABLE = ("parallelism", "suspend", "ttl_after_finished")
FIXED = tuple(name for name in ExperimentRunSpec.model_fields if name not in CHANGEABLE)


def key_of(name: str) -> str:
    """The key that YAML has for an attribute of the spec."""
    return ExperimentRunSpec.model_fields[name].alias or name


def refusal(name: str) -> str:
    """Why a change of this attribute is refused, and what to do instead."""
    may = ", ".join(key_of(changeable) for changeable in CHANGEABLE)
    return (
        f"spec.{key_of(name)} cannot change once the experiment has started (only {may} can); "
        "create an ExperimentRun of another name"
    )


def refused_changes(old: ExperimentRunSpec, new: ExperimentRunSpec) -> list[str]:
    """A sentence for each part of a started experiment's spec that differs and may not."""
    return [refusal(name) for name in FIXED if getattr(old, name) != getattr(new, name)]
