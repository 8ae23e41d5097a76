"""report.html: one page that opens from disk. No network, no fonts, no scripts but its own, all text escaped.

The policy in its head allows exactly the style sheet and the script that stand in it, by their digests: markup that
slipped in could neither load nor run anything. Texts that agents wrote lose their control characters on the way.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from orchestrator.report import words
from orchestrator.report.charts import interval_of, medal_chart, score_chart
from orchestrator.report.result import ExperimentResult, SplitResult
from orchestrator.report.views import competition_views

PAGE = Path(__file__).with_name("page")
METRICS = ("any_medal", "gold", "silver", "bronze", "above_median", "valid", "submitted")


def to_html(result: ExperimentResult) -> str:
    """The page."""
    style, script = _part("report.css"), _part("report.js")
    template = _environment().get_template("report.html.j2")
    return template.render(
        result=result,
        style=Markup(style),
        script=Markup(script),
        policy=content_policy(style, script),
        headline=[(figures, _without_doubtful(result, figures), interval_of(figures)) for figures in result.figures],
        metrics=METRICS,
        over_time=_medals_over_time(result),
        charts=_score_charts(result),
        views=competition_views(result),
        graded=sum(row.counts for row in result.rows),
        interval_of=interval_of,
        words=words,
    )


def content_policy(style: str, script: str) -> str:
    """The content security policy of a page that holds this style sheet and this script and nothing else."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


def _finalize(value: Any) -> Any:
    """Every text that goes into the page, but for our own markup."""
    return words.plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _part(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _without_doubtful(result: ExperimentResult, figures: SplitResult) -> SplitResult | None:
    return next((other for other in result.figures_without_doubtful if other.split == figures.split), None)


def _medals_over_time(result: ExperimentResult) -> list[Any]:
    """For the widest split alone: the others are parts of it."""
    widest = max(result.figures, key=lambda figures: len(figures.competitions))
    chart = medal_chart(result, widest)
    return [chart] if chart else []


def _score_charts(result: ExperimentResult) -> list[Any]:
    budget = result.budget_hours * 60
    charts = [
        (facts, score_chart(facts, [row for row in result.rows if row.competition == facts.id], budget))
        for facts in result.competitions
    ]
    return [(facts, chart) for facts, chart in charts if chart is not None]
