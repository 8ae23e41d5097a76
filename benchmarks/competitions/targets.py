"""How fast ours is to be: far faster than the obvious implementation where that is hard, never slower elsewhere."""

from __future__ import annotations

from benchmarks.competitions.results import Measurement

HARD: dict[str, set[str]] = {
    "3d-object-detection-for-autonomous-vehicles": {"grade"},
    "alaska2-image-steganalysis": {"prepare", "grade"},
    "bms-molecular-translation": {"prepare", "grade"},
    "cdiscount-image-classification-challenge": {"prepare"},
    "denoising-dirty-documents": {"prepare", "grade"},
    "facebook-recruiting-iii-keyword-extraction": {"prepare", "grade"},
    "google-research-identify-contrails-reduce-global-warming": {"prepare", "grade"},
    "hubmap-kidney-segmentation": {"grade"},
    "siim-covid19-detection": {"grade"},
    "tgs-salt-identification-challenge": {"grade"},
    "uw-madison-gi-tract-image-segmentation": {"grade"},
    "vesuvius-challenge-ink-detection": {"grade"},
    "vinbigdata-chest-xray-abnormalities-detection": {"grade"},
}
"""By competition, the sides where the obvious implementation is slow or needs too much memory at real size."""

HARD_TARGET = 5.0
USUAL_TARGET = 1.0
NOISE = 0.1
"""Two measurements of the same work on a busy machine differ by as much."""


def is_hard(made: Measurement) -> bool:
    return made.side in HARD.get(made.competition, ())


def target(made: Measurement) -> float:
    """How many times as fast as the obvious implementation it is to be."""
    return HARD_TARGET if is_hard(made) else USUAL_TARGET


def misses_target(made: Measurement) -> bool:
    """Whether it is slower than wanted; a ratio of about 1 is as fast as the obvious way, within the noise."""
    if made.comparison is None:
        return False
    return made.comparison.ratio < (HARD_TARGET if is_hard(made) else USUAL_TARGET - NOISE)
