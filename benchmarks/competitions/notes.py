"""Why a figure is what it is, where it misses its mark: said on the page beside it, and only while it does."""

from __future__ import annotations

READING = (
    "reading both tables with pandas and exact floats, as the specification wants them read, is most of what both ways "
    "take (*reading s*), so that no way that reads so can be much faster"
)

BELOW_TARGET: dict[tuple[str, str], str] = {
    ("alaska2-image-steganalysis", "grade"): READING,
    ("denoising-dirty-documents", "grade"): READING,
}
"""By competition and side."""

GROWS_FASTER: dict[tuple[str, str], str] = {}
"""By competition and side: why the metric itself grows faster than n log n."""
