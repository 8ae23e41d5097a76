"""Raw Kaggle files -> public/ and private/, one module a competition.

`prepare` is the way in. The modules of `preparers.competitions` say what is particular to a competition in the words of
`preparers.toolkit`; where raw files come from and where results are stored is the orchestrator's business.
"""

from __future__ import annotations

from pathlib import Path

from preparers.errors import PreparationError

__all__ = ["PreparationError", "prepare"]


def prepare(competition_id: str, raw: Path, public: Path, private: Path, version: str = "v1") -> None:
    """Prepare a competition's raw files: what the agent may see into `public`, the answers into `private`.

    Both folders are made; if they exist they must be empty. They get their contents at the end and all at once, so a
    preparation that fails, or is killed, leaves nothing that looks finished. `raw` stays as it is, but files may be
    hard-linked from it where the file system allows that.
    """
    from preparers import preparing  # pandas is imported only when there is something to prepare

    preparing.prepare(competition_id, raw, public, private, version)
