"""A courier's URLs from the desk: asked for before the agent starts, and again before they expire.

They are kept in a file of the courier's own, so that one that was killed and started again goes on without the desk.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from pathlib import Path

from orchestrator.worker.desk import UPLOADS
from orchestrator.worker.desk_client import DeskClient, OutOfReach, Refused, Urls
from orchestrator.worker.files import replace_file

log = logging.getLogger("mlectl.courier")

RENEW_SHARE = 0.25
"""When so much of its life is left, a URL is asked for again: the desk may be away, and clocks may differ."""
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 60.0
OVER = (409, 410)
"""The desk's words for an attempt that is not ours any more. Another refusal, as of a token whose key was changed, is
for the operator to mend; the agent runs on meanwhile."""


class UploadUrls:
    """URLs by name, from several threads."""

    def __init__(self, desk: DeskClient, file: Path) -> None:
        self.desk = desk
        self.file = file
        self.known: dict[str, tuple[str, float, float]] = {}
        """URL of each name, when to ask again, and when it is no good any more (seconds since the epoch)."""
        if file.exists():
            self.known = {name: (url, renew, end) for name, (url, renew, end) in json.loads(file.read_text()).items()}
        self.ask_again_at = 0.0
        self.wait = FIRST_WAIT_SECONDS
        self.lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        return True

    @property
    def are_there(self) -> bool:
        """Whether there are URLs to begin with; asks if not."""
        try:
            return all(self.url(name) for name in UPLOADS)
        except OutOfReach:
            return False

    def url(self, name: str) -> str:
        """A URL that is good; OutOfReach if there is none at the moment, Refused if the attempt is over."""
        with self.lock:
            now = time.time()
            url, renew_at, ends_at = self.known.get(name, ("", 0.0, 0.0))
            if now < renew_at:
                return url
            try:
                return self._ask(name)
            except OutOfReach as error:
                if now >= ends_at:
                    raise
                log.warning("URLs could not be renewed: %s", error)
                return url

    def forget(self, name: str) -> None:
        with self.lock:
            self.known.pop(name, None)

    def _ask(self, name: str) -> str:
        """Ask for this name and all the others that are due; not too often while the desk does not answer."""
        now = time.time()
        if now < self.ask_again_at:
            raise OutOfReach("the validation service did not answer a moment ago")
        due = [each for each in UPLOADS if now >= self.known.get(each, ("", 0.0, 0.0))[1]]
        try:
            urls = self._answer(list(dict.fromkeys([name, *due])))
        except OutOfReach as error:
            self.ask_again_at = now + max(self.wait, error.retry_after_seconds)
            self.wait = min(self.wait * 2, LONGEST_WAIT_SECONDS)
            raise
        self.wait = FIRST_WAIT_SECONDS
        renew_at, ends_at = now + (1 - RENEW_SHARE) * urls.lasts_seconds, now + urls.lasts_seconds
        self.known |= {each: (url, renew_at, ends_at) for each, url in urls.uploads.items()}
        replace_file(self.file, json.dumps(self.known))
        return urls.uploads[name]

    def _answer(self, names: list[str]) -> Urls:
        try:
            return self.desk.urls(uploads=names)
        except Refused as refused:
            if refused.status in OVER:
                raise
            raise OutOfReach(refused.message) from refused
