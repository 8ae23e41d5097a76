"""What facts.toml may say: every key, its type and the rules between them, with mistakes told by file and key.

Official competitions and those of plug-ins are held to the same rules; `folder.py` makes a `Competition` of the result.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import date
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from catalog.competition import Complexity, DefectKind
from catalog.errors import BadFacts


def _stay_below(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"{path!r} must be a path below the folder")
    return path


Text = Annotated[str, Field(min_length=1)]
RelativePath = Annotated[str, Field(min_length=1), AfterValidator(_stay_below)]
Md5 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class Part(BaseModel):
    """Common to all tables: unknown keys are refused, nothing is converted, numbers are finite."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Medals(Part):
    """[medals]: scores on the private leaderboard."""

    gold: float
    silver: float
    bronze: float
    median: float
    teams: Annotated[int, Field(ge=1)]


class Sums(Part):
    """[checksums]: MD5 of the archive and of prepared files by path."""

    zip: Md5 | None = None
    public: dict[str, Md5] = Field(default_factory=dict)
    private: dict[str, Md5] = Field(default_factory=dict)


class DefectRow(Part):
    """[[defects]]: one thing known to be wrong in v1."""

    what: Text
    v2: str
    kind: DefectKind
    comparable: bool
    doubtful: bool


class Facts(Part):
    """The whole of facts.toml."""

    name: Text
    complexity: Complexity
    category: Text
    metric: Text
    lower_is_better: bool
    answers: RelativePath
    sample_submission: RelativePath
    sample_is_private: bool = False
    size_gb: Annotated[float, Field(ge=0)] = 0.0
    deadline: date | None = None
    percentiles: Annotated[list[float], Field(min_length=101, max_length=101)] | None = None
    medals: Medals | None = None
    checksums: Sums = Sums()
    defects: list[DefectRow] = Field(default_factory=list)

    @model_validator(mode="after")
    def scores_go_from_best_to_worst(self) -> Self:
        if self.medals is not None:
            lines = [self.medals.gold, self.medals.silver, self.medals.bronze, self.medals.median]
            self._must_be_best_first("medals (gold, silver, bronze, median)", lines)
        self._must_be_best_first("percentiles", self.percentiles or [])
        return self

    def _must_be_best_first(self, what: str, scores: Sequence[float]) -> None:
        for better, worse in pairwise(scores):
            if (better > worse) if self.lower_is_better else (better < worse):
                direction = "rise" if self.lower_is_better else "fall"
                raise ValueError(
                    f"{what} go from best to worst, so with lower_is_better = {str(self.lower_is_better).lower()} they "
                    f"must {direction} or stay; found {better:g} before {worse:g}"
                )


def read_facts(path: Path) -> Facts:
    """The checked facts in a file; `BadFacts` names the file and every key that is wrong."""
    try:
        return Facts.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise BadFacts(f"{path} is not there: a competition's folder needs facts.toml and description.md.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFacts(f"{path} can't be read as TOML: {error}.") from error
    except ValidationError as error:
        raise BadFacts(f"{path}: {'; '.join(_sentence(e) for e in error.errors())}.") from error


def _sentence(error: Any) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"{key} is missing"
    if error["type"] == "extra_forbidden":
        near = get_close_matches(key, Facts.model_fields, n=1)
        return f"{key} is not a key" + (f" (did you mean {near[0]}?)" if near else "")
    if error["type"] == "value_error":
        return f"{key}: {error['ctx']['error']}" if key else str(error["ctx"]["error"])
    return f"{key} is {error['input']!r}: {error['msg'][0].lower()}{error['msg'][1:]}"
