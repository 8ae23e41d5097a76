"""What the server said of an archive: it tells whether what comes later belongs to what came first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Note:
    """What was said when the first bytes came; kept beside the archive."""

    validator: str | None = None
    """Goes with a request for the rest, so that a changed archive is sent anew."""
    total: int | None = None

    @classmethod
    def said_in(cls, headers: Mapping[str, str], total: int | None) -> Note:
        """An ETag that vouches for every byte, or a date; a weak ETag may not be used for parts."""
        tag = headers.get("ETag", "")
        return cls(tag if tag and not tag.startswith("W/") else headers.get("Last-Modified"), total)

    @classmethod
    def read(cls, data: bytes) -> Note:
        """A note that was written down; an empty one if it can't be read."""
        try:
            return cls(**json.loads(data))
        except (ValueError, TypeError):
            return cls()

    @classmethod
    def beside(cls, archive: Path) -> Note:
        """The archive's note; an empty one if there is none."""
        try:
            return cls.read(archive.with_suffix(".json").read_bytes())
        except OSError:
            return cls()

    def write(self, archive: Path) -> None:
        archive.with_suffix(".json").write_bytes(self.as_bytes())

    def as_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    def may_go_on_with(self, total: int | None) -> bool:
        """Whether an archive of that size can be this one, as far as sizes are known."""
        return self.total is None or total is None or self.total == total
