"""From a spec to its runs, in the order in which they are to run.

Seed by seed, so that a half-done experiment already has complete seeds; within a seed the largest datasets first,
because they take the longest to stage. What cannot be expanded comes out as sentences, and then nothing runs: a
misspelt id must not shrink an experiment in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from catalog.likeness import closest
from orchestrator.api.types import Competitions, ExperimentRunSpec
from orchestrator.core.model import CompetitionFacts, RunKey


@dataclass(frozen=True)
class Expansion:
    """What a spec asks for."""

    competitions: tuple[str, ...] = ()
    """Largest dataset first."""
    runs: tuple[RunKey, ...] = ()
    problems: tuple[str, ...] = ()
    """Why it cannot be run, a sentence each; then there are no runs."""


def expand(spec: ExperimentRunSpec, known: Mapping[str, CompetitionFacts]) -> Expansion:
    """Every run of the spec, or every reason why there are none."""
    chosen = _choose(spec.competitions, known)
    problems = (*_unknown(spec.competitions, known), *_nothing_left(spec.competitions, chosen))
    if problems:
        return Expansion(problems=problems)
    ordered = sorted(chosen, key=lambda id: (-known[id].size_gb, id))
    runs = tuple(RunKey(id, seed) for seed in range(spec.seeds) for id in ordered)
    return Expansion(tuple(ordered), runs)


def _choose(wanted: Competitions, known: Mapping[str, CompetitionFacts]) -> set[str]:
    named = wanted.ids if wanted.ids is not None else _members(wanted.split, known.values())
    return set(named) - set(wanted.exclude)


def _members(split: str | None, known: Iterable[CompetitionFacts]) -> list[str]:
    return [facts.id for facts in known if split in facts.splits]


def _unknown(wanted: Competitions, known: Mapping[str, CompetitionFacts]) -> Iterator[str]:
    for field, ids in (("ids", wanted.ids or ()), ("exclude", wanted.exclude)):
        for id in dict.fromkeys(ids):
            if id not in known:
                yield f"spec.competitions.{field}: no competition '{id}' is known{_hint(id, known)}"


def _hint(id: str, known: Iterable[str]) -> str:
    near = closest(id, known)
    if not near:
        return "; see `mlectl competitions` for those that are."
    return f"; did you mean {' or '.join(near)}?"


def _nothing_left(wanted: Competitions, chosen: set[str]) -> Iterator[str]:
    if chosen:
        return
    what = f"split {wanted.split}" if wanted.split else "ids"
    if wanted.exclude:
        yield f"spec.competitions: exclude leaves nothing of {what}; take a competition out of exclude."
    else:
        yield (
            f"spec.competitions: {what} has no competition here; choose another split, or install the package that "
            "brings its competitions."
        )
