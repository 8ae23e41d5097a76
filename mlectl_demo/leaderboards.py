"""The demo's leaderboards are made up: drawn here, once, between a few points of a plausible contest.

`python -m mlectl_demo.leaderboards` writes them anew into the competitions' folders; a test holds the files to it. The
points are chosen so that a good scikit-learn model wins a medal in some competitions and none in others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Contest:
    """A made-up contest: how many teams, and scores at some shares of them, best first."""

    teams: int
    points: tuple[tuple[float, float], ...]
    step: float
    """Scores are multiples of this, as the test set's size makes them."""
    seed: int


CONTESTS = {
    "demo-tumours": Contest(
        180, ((0, 0.9992), (0.05, 0.9974), (0.2, 0.9942), (0.4, 0.9899), (0.5, 0.988), (0.9, 0.93), (1, 0.5)), 1e-5, 1
    ),
    "demo-wine": Contest(
        140, ((0, 0.011), (0.07, 0.032), (0.2, 0.07), (0.4, 0.118), (0.5, 0.14), (0.9, 0.55), (1, 1.09861)), 1e-5, 2
    ),
    "demo-diabetes": Contest(
        260, ((0, 56.4), (0.04, 58.3), (0.19, 60.6), (0.38, 62.4), (0.5, 64.0), (0.9, 74.0), (1, 81.0)), 1e-5, 3
    ),
    "demo-digits": Contest(
        400, ((0, 1.0), (0.03, 0.9978), (0.12, 0.9956), (0.25, 0.9922), (0.5, 0.982), (0.9, 0.92), (1, 0.1)), 1 / 450, 4
    ),
}


def draw(contest: Contest) -> list[float]:
    """The scores of a contest's teams, best first."""
    shares, scores = zip(*contest.points, strict=True)
    inner = np.random.RandomState(contest.seed).uniform(size=contest.teams - 2)
    places = np.concatenate([[0.0], np.sort(inner), [1.0]])
    # half drawn, half evenly spaced: close to the points, and not a straight line between them
    places = (places + np.linspace(0, 1, contest.teams)) / 2
    return [float(s) for s in np.round(np.round(np.interp(places, shares, scores) / contest.step) * contest.step, 5)]


def as_csv(contest: Contest) -> str:
    """The contest's leaderboard.csv."""
    rows = [f"made-up team {place:03d},{score}" for place, score in enumerate(draw(contest), start=1)]
    return "\n".join(["team,score", *rows]) + "\n"


def main() -> None:
    """Write all leaderboards into the competitions' folders."""
    for competition_id, contest in CONTESTS.items():
        path = Path(__file__).parent / competition_id / "leaderboard.csv"
        path.write_text(as_csv(contest), encoding="utf-8")


if __name__ == "__main__":
    main()
