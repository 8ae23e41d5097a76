"""The verdict on one submission, and its JSON: the reference grading report's keys first, then ours."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self

Medal = Literal["gold", "silver", "bronze"]


@dataclass(frozen=True)
class Report:
    """What grading one submission came to."""

    competition_id: str
    score: float | None
    """Rounded to 5 decimals; None if there is no valid submission, or its score is not a finite number."""
    valid: bool
    medal: Medal | None
    above_median: bool
    gold_threshold: float
    silver_threshold: float
    bronze_threshold: float
    median_threshold: float
    lower_is_better: bool
    submission_exists: bool
    submission_path: str
    created_at: datetime
    version: str = "v1"
    reason: str | None = None
    """Why there is no score, in plain words that are safe to show to the agent."""
    percentile: float | None = None
    """Percent of the human teams that the score beats; None without a score or a leaderboard."""
    warnings: tuple[str, ...] = ()
    """What v1 rewards though it is nonsense, where this submission makes use of it: it marks the run as suspect."""
    rejection: dict[str, Any] | None = field(default=None, hash=False)
    """The broken rule as data: reason, problem, examples, expected, hint."""

    @property
    def any_medal(self) -> bool:
        return self.medal is not None

    @property
    def gold_medal(self) -> bool:
        return self.medal == "gold"

    @property
    def silver_medal(self) -> bool:
        return self.medal == "silver"

    @property
    def bronze_medal(self) -> bool:
        return self.medal == "bronze"

    @property
    def suspect(self) -> bool:
        """Whether somebody should look before believing the score."""
        return bool(self.warnings)

    def as_data(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "competition_id": self.competition_id,
            "score": self.score,
            "gold_threshold": self.gold_threshold,
            "silver_threshold": self.silver_threshold,
            "bronze_threshold": self.bronze_threshold,
            "median_threshold": self.median_threshold,
            "any_medal": self.any_medal,
            "gold_medal": self.gold_medal,
            "silver_medal": self.silver_medal,
            "bronze_medal": self.bronze_medal,
            "above_median": self.above_median,
            "submission_exists": self.submission_exists,
            "valid_submission": self.valid,
            "is_lower_better": self.lower_is_better,
            "created_at": self.created_at.isoformat(),
            "submission_path": self.submission_path,
            "version": self.version,
            "valid": self.valid,
            "medal": self.medal,
            "lower_is_better": self.lower_is_better,
            "percentile": self.percentile,
            "reason": self.reason,
            "rejection": self.rejection,
            "warnings": list(self.warnings),
            "suspect": self.suspect,
        }

    def to_json(self) -> str:
        """The report as a JSON document; NaN and infinities never appear in it."""
        return json.dumps(self.as_data(), indent=2, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """A report from its JSON values; a reference report, which has none of our own keys, is read as well."""
        medals: list[Medal] = ["gold", "silver", "bronze"]
        return cls(
            competition_id=data["competition_id"],
            score=data["score"],
            valid=data["valid_submission"],
            medal=next((medal for medal in medals if data[f"{medal}_medal"]), None),
            above_median=data["above_median"],
            gold_threshold=data["gold_threshold"],
            silver_threshold=data["silver_threshold"],
            bronze_threshold=data["bronze_threshold"],
            median_threshold=data["median_threshold"],
            lower_is_better=data["is_lower_better"],
            submission_exists=data["submission_exists"],
            submission_path=data["submission_path"],
            created_at=datetime.fromisoformat(data["created_at"]),
            version=data.get("version", "v1"),
            reason=data.get("reason"),
            percentile=data.get("percentile"),
            warnings=tuple(data.get("warnings", ())),
            rejection=data.get("rejection"),
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """A report from its JSON document."""
        return cls.from_data(json.loads(text))
