"""Read grading reports: the reference's files, one a seed, and the same inside a report.json of ours.

A reference file is `{"competition_reports": [...]}`. A report.json has a list of such objects under `grading_reports`.
What can't be right is refused with one sentence that names the file, the place in it and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import catalog
from orchestrator.core.summary import RunResult
from orchestrator.report.result import Medal


class ReportError(Exception):
    """A file is not a grading report, or says something that can't be right; the message says what to do."""


class HasLines(BaseModel):
    """What a report of a competition says that its score was held against."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", allow_inf_nan=False)

    competition_id: str
    gold_threshold: float | None = None
    silver_threshold: float | None = None
    bronze_threshold: float | None = None
    median_threshold: float | None = None
    is_lower_better: bool | None = None


class CompetitionReport(HasLines):
    """One competition in a grading report, as far as figures need it; other keys are left alone."""

    any_medal: bool
    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool
    submission_exists: bool
    valid_submission: bool
    score: float | None = None

    @property
    def medal(self) -> Medal | None:
        if self.gold_medal:
            return "gold"
        if self.silver_medal:
            return "silver"
        return "bronze" if self.bronze_medal else None


class _Seed(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    seed: int | None = None
    competition_reports: list[dict[str, Any]] = Field(min_length=1)


@dataclass(frozen=True)
class SeedReport:
    """The competitions of one seed."""

    label: str
    """The file, and the seed where a file has several."""
    reports: tuple[CompetitionReport, ...]

    def results(self, seed: int) -> Iterator[RunResult]:
        """What the arithmetic takes, under the number that the seed has among the seeds read."""
        for report in self.reports:
            yield RunResult(
                competition=report.competition_id,
                seed=seed,
                medal=report.medal,
                above_median=report.above_median,
                valid=report.valid_submission,
                submitted=report.submission_exists,
            )


def read_seeds(paths: Iterable[Path]) -> tuple[SeedReport, ...]:
    """Every seed in the files, in their order; `ReportError` for the first thing that can't be right."""
    paths = list(paths)
    places = [path.resolve() for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise ReportError(f"{path} is named twice; a file is one seed, so name each file once.")
    names = [path.name for path in paths]
    return tuple(
        seed for path in paths for seed in _read_file(path, path.name if names.count(path.name) == 1 else str(path))
    )


def differing_lines(report: HasLines) -> list[str]:
    """The medal lines and the direction that differ from the catalog, each as found and known."""
    known = catalog.load(report.competition_id)
    pairs = [
        ("gold", report.gold_threshold, known.medals.gold),
        ("silver", report.silver_threshold, known.medals.silver),
        ("bronze", report.bronze_threshold, known.medals.bronze),
        ("median", report.median_threshold, known.medals.median),
        ("is_lower_better", report.is_lower_better, known.lower_is_better),
    ]
    return [f"{name} {found} (catalog: {want})" for name, found, want in pairs if found is not None and found != want]


def _read_file(path: Path, label: str) -> Iterator[SeedReport]:
    content = _read_json(path)
    if "competition_reports" in content:
        yield _read_seed(path, content, label)
        return
    if "grading_reports" not in content:
        raise ReportError(f"{path} has no competition_reports: {_what_it_is(content)}")
    seeds = content["grading_reports"]
    if not isinstance(seeds, list) or not seeds or not all(isinstance(seed, dict) for seed in seeds):
        raise ReportError(f"{path}: grading_reports must be a list with one object a seed; write the report again.")
    for number, seed in enumerate(seeds):
        yield _read_seed(path, seed, f"{label} seed {seed.get('seed', number)}")


def _what_it_is(content: dict[str, Any]) -> str:
    if "competition_id" in content:
        return "it is the report of one competition. Name the experiment's report.json, or a whole grading report."
    return "give a grading report, or an experiment's report.json."


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes(), parse_constant=_refuse_constant)
    except OSError as error:
        raise ReportError(f"{path} can't be read: {error.strerror}. Give the path of a grading report.") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ReportError(f"{path} is not JSON ({error}). Give a grading report as it was written.") from error
    except ValueError as error:
        raise ReportError(f"{path} {error}") from error
    if not isinstance(content, dict):
        raise ReportError(f"{path} holds a {type(content).__name__}, not an object with competition_reports.")
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"has the number {name}, which is not JSON. A score that is not a number is written as null.")


def _read_seed(path: Path, content: dict[str, Any], label: str) -> SeedReport:
    try:
        seed = _Seed.model_validate(content)
    except ValidationError as error:
        raise ReportError(f"{path}: {_sentence(error)}") from error
    reports = tuple(_read_competition(path, raw, place) for place, raw in enumerate(seed.competition_reports))
    _must_be_distinct(path, label, reports)
    return SeedReport(label, reports)


def _read_competition(path: Path, raw: dict[str, Any], place: int) -> CompetitionReport:
    where = f"{path}: competition_reports[{place}] ({raw.get('competition_id', 'no competition_id')})"
    try:
        report = CompetitionReport.model_validate(raw)
        catalog.load(report.competition_id)
    except ValidationError as error:
        raise ReportError(f"{where}: {_sentence(error)}") from error
    except catalog.UnknownCompetition as error:
        raise ReportError(f"{where}: {error}") from error
    medals = [report.gold_medal, report.silver_medal, report.bronze_medal]
    if sum(medals) > 1 or report.any_medal != any(medals):
        raise ReportError(
            f"{where} contradicts itself: any_medal is {_json(report.any_medal)} beside gold, silver, bronze "
            f"{', '.join(map(_json, medals))}. Grade the submission again."
        )
    return report


def _must_be_distinct(path: Path, label: str, reports: tuple[CompetitionReport, ...]) -> None:
    seen: set[str] = set()
    for report in reports:
        if report.competition_id in seen:
            raise ReportError(
                f"{path}: {report.competition_id} is in {label} twice, but a seed has one report of each competition. "
                "Leave one out, or put it into the file of another seed."
            )
        seen.add(report.competition_id)


def _json(value: object) -> str:
    return json.dumps(value)


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f"{key} is missing. Give a grading report as it was written, with every key."
    return f"{key} is {str(first['input'])[:60]!r}: {first['msg'].lower()}. Correct it, or grade the submission again."
