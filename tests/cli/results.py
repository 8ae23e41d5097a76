"""Results as a store would tell them, with only what a screen shows."""

from __future__ import annotations

from typing import Any

from orchestrator.api.types import Figure, RunState
from orchestrator.core.failures import FAILURES
from orchestrator.report.result import (
    Doubt,
    ExperimentResult,
    Facts,
    FailedAttempt,
    FailureClass,
    Missing,
    RunRow,
    SplitResult,
    WhatRan,
)
from tests.cli.conftest import experiment


def figure(mean: float, sem: float = 1.5) -> Figure:
    return Figure(mean=mean, sem=sem, low95=mean - 1.96 * sem, high95=mean + 1.96 * sem)


def split(name: str = "low", seeds: int = 3, **more: Any) -> SplitResult:
    names = ("any_medal", "gold", "silver", "bronze", "above_median", "valid", "submitted")
    values = {key: figure(60 - 8 * place) for place, key in enumerate(names)} if seeds else {}
    return SplitResult(
        split=name,
        competitions=("AI4Code", "leaf-classification"),
        counted_seeds=tuple(range(seeds)),
        per_seed=(50.0,) * seeds,
        **{**values, **more},
    )


def facts(name: str, **more: Any) -> Facts:
    lines = {"gold": 0.9, "silver": 0.8, "bronze": 0.7, "median": 0.5}
    values = {"name": name, "complexity": "low", "metric": "accuracy", "lower_is_better": False, **lines, **more}
    return Facts(id=name, **values)


def row(competition: str, seed: int, score: float | None = None, **more: Any) -> RunRow:
    graded = score is not None
    values = {"state": RunState.GRADED if graded else RunState.FAILED, "counts": graded, "attempt": 1, "score": score}
    return RunRow(competition=competition, seed=seed, **{**values, **more})


def failure(reason: str, *attempts: FailedAttempt) -> FailureClass:
    known = FAILURES[reason]
    return FailureClass(
        reason=reason, fault=known.fault, meaning=known.meaning, what_to_do=known.what_to_do, attempts=attempts
    )


def failed(competition: str, seed: int, message: str, effect: str = "no result") -> FailedAttempt:
    return FailedAttempt(competition=competition, seed=seed, attempt=1, message=message, effect=effect)


def result(**more: Any) -> ExperimentResult:
    """Two competitions, three seeds, one run lost."""
    values: dict[str, Any] = {
        "namespace": "default",
        "name": "aide-lite",
        "uid": "0" * 8,
        "spec": experiment().spec.to_dict(),
        "seeds": 3,
        "competitions": (facts("AI4Code"), facts("leaf-classification", metric="log loss", lower_is_better=True)),
        "rows": (
            row("AI4Code", 0, 0.91, medal="gold", percentile=99.0),
            row("AI4Code", 1, 0.72, medal="bronze", percentile=88.5),
            row("AI4Code", 2, reason="NodeLost", fault="infrastructure"),
            row("leaf-classification", 0, 0.01234, medal="gold", percentile=97.0),
            row("leaf-classification", 1, 0.5, percentile=12.0),
            row("leaf-classification", 2, 12345.678, percentile=1.0),
        ),
        "figures": (split(seeds=2, missing=(Missing(seed=2, competitions=("AI4Code",)),)),),
        "failures": (failure("NodeLost", failed("AI4Code", 2, "node gpu-7 was not heard of for 10 minutes")),),
        "ran": WhatRan(
            agent="aide", images=("registry.example/aide:1.2",), network=("restricted",), isolation=("pod",)
        ),
    }
    return ExperimentResult(**{**values, **more})


def demo_result() -> ExperimentResult:
    """What the demo comes to on a machine without a sandbox."""
    names = ("demo-digits", "demo-wine")
    return result(
        name="demo",
        competitions=tuple(facts(name, is_demo=True, complexity="demo") for name in names),
        rows=tuple(
            row(name, seed, 0.9 + seed / 100, medal="silver", percentile=90.0) for name in names for seed in range(3)
        ),
        figures=(split("demo"),),
        failures=(),
        unprotected=True,
        departures=("8s a run (published: 24h)", "1 CPU (published: 36)", "no GPU (published: one A10)"),
        ran=WhatRan(agent="baseline", images=("mlectl/agent-baseline:0.1.0",), isolation=("unprotected",)),
    )


def doubtful_result() -> ExperimentResult:
    return result(
        doubtful=(Doubt(competition="leaf-classification", why="answers leak"),),
        figures_without_doubtful=(split(seeds=2),),
        notes=("Suspect, look before believing: AI4Code seed 0.",),
    )
