"""Raw files from Kaggle: rules are checked for all competitions first, then each is downloaded, verified and unpacked.

    check_rules(ids)          raises before the first byte if anything would stand in the way
    download(id, raw)         the competition's raw files in that folder, whole or not at all

Built on `kagglesdk`, the client inside the `kaggle` package: the package's own front end authenticates while it is
imported, prints, and ends the process when it finds no credentials. Nothing here prompts, prints or exits.
"""

from orchestrator.worker.kaggle.download import Progress, download
from orchestrator.worker.kaggle.errors import (
    BadArchive,
    ChecksumMismatch,
    CompetitionNotFound,
    DiskFull,
    KaggleError,
    NoCredentials,
    OutOfReach,
    RulesNotAccepted,
    rules_page,
)
from orchestrator.worker.kaggle.rules import check_rules, find_refused
from orchestrator.worker.raw_files import is_fetched

__all__ = [
    "BadArchive",
    "ChecksumMismatch",
    "CompetitionNotFound",
    "DiskFull",
    "KaggleError",
    "NoCredentials",
    "OutOfReach",
    "Progress",
    "RulesNotAccepted",
    "check_rules",
    "download",
    "find_refused",
    "is_fetched",
    "rules_page",
]
