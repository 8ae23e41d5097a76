"""The one place that talks to Kaggle's client: its calls, and what its many ways to fail mean.

`kagglesdk` sends no timeouts and offers no way to ask for a part of a file, so its session gets both here; with
KAGGLE_API_ENVIRONMENT=TEST it talks to http://localhost:7777.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import requests
from requests.adapters import HTTPAdapter

from orchestrator.worker.kaggle.credentials import Credentials, find_credentials
from orchestrator.worker.kaggle.errors import (
    TOKEN_PAGE,
    CompetitionNotFound,
    KaggleError,
    NoCredentials,
    OutOfReach,
    RulesNotAccepted,
)

T = TypeVar("T")
WAITS = (1.0, 2.0, 4.0, 8.0)
"""Seconds between tries when Kaggle can't be reached or is busy."""
TIMEOUT_SECONDS = (10.0, 60.0)
"""To connect, and between two bytes."""
LONGEST_WAIT = 120.0
BUSY = {429, 500, 502, 503, 504}


class Kaggle:
    """A signed-in client."""

    def __init__(self, waits: Sequence[float] = WAITS) -> None:
        from kagglesdk.competitions.services.competition_api_service import CompetitionApiClient
        from kagglesdk.kaggle_http_client import KaggleHttpClient

        self._waits = waits
        self._credentials: Credentials = find_credentials()
        try:
            self._http = KaggleHttpClient(
                username=self._credentials.username, password=self._credentials.key, api_token=self._credentials.token
            )
            self._http.__enter__()
        except Exception as error:
            raise KaggleError(f"Kaggle's client can't be set up: {error}.") from error
        self._session: requests.Session = self._http._session
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, _PatientAdapter())
        self._competitions = CompetitionApiClient(self._http)

    def __enter__(self) -> Kaggle:
        return self

    def __exit__(self, *error: object) -> None:
        self._http.__exit__(*error)

    def require_access(self, competition: str) -> None:
        """Raise unless this account may download the competition's files, as far as can be known without doing it.

        Rules are accepted by joining. Files that are listed may be had too: old ones can be read without joining.
        """
        if not self._has_joined(competition):
            self._list_files(competition)

    def _has_joined(self, competition: str) -> bool:
        from kagglesdk.competitions.types.competition_api_service import ApiGetCompetitionRequest

        request = ApiGetCompetitionRequest()
        request.competition_name = competition
        try:
            answer = self._insist(competition, lambda: self._competitions.get_competition(request))
        except CompetitionNotFound:
            return False
        return bool(answer.user_has_entered)

    def _list_files(self, competition: str) -> None:
        from kagglesdk.competitions.types.competition_api_service import ApiListDataFilesRequest

        request = ApiListDataFilesRequest()
        request.competition_name = competition
        request.page_size = 1
        self._insist(competition, lambda: self._competitions.list_data_files(request))

    def open_archive(self, competition: str, offset: int = 0, validator: str | None = None) -> requests.Response:
        """The competition's archive as a stream, from `offset` on if the server can and the archive is still the same.

        The status is 206 for a part, 200 for the whole, and 416 if there is nothing at that offset. The caller closes.
        """
        from kagglesdk.competitions.types.competition_api_service import ApiDownloadDataFilesRequest

        request = ApiDownloadDataFilesRequest()
        request.competition_name = competition
        headers = {"Accept-Encoding": "identity"}
        if offset:
            headers |= {"Range": f"bytes={offset}-"} | ({"If-Range": validator} if validator else {})
        before = dict(self._session.headers)
        self._session.headers.update(headers)
        try:
            response: requests.Response = self._call(
                competition, lambda: self._competitions.download_data_files(request)
            )
            return response
        finally:
            self._session.headers.clear()
            self._session.headers.update(before)

    def _insist(self, competition: str, call: Callable[[], T]) -> T:
        """The call's answer, asked for again after a wait while Kaggle can't be reached."""
        for wait in self._waits:
            try:
                return self._call(competition, call)
            except OutOfReach as error:
                time.sleep(max(wait, error.wait))
        return self._call(competition, call)

    def _call(self, competition: str, call: Callable[[], T]) -> T:
        try:
            return call()
        except requests.HTTPError as error:
            if error.response is not None and error.response.status_code == 416:
                return error.response  # type: ignore[return-value] # a stream like any other, with nothing in it
            raise self._refusal(competition, error) from error
        except (requests.RequestException, ValueError) as error:
            raise out_of_reach(error, self._http._endpoint) from error

    def _refusal(self, competition: str, error: requests.HTTPError) -> KaggleError:
        status, said = _status_and_words(error)
        if status == 401:
            return NoCredentials(
                f"Kaggle does not accept the credentials in {self._credentials.source} ({said}): "
                f"make a new API token at {TOKEN_PAGE}."
            )
        if status == 403:
            return RulesNotAccepted([competition], also=f"Kaggle's words: {said}")
        if status == 404:
            return CompetitionNotFound([competition])
        if status in BUSY:
            return OutOfReach(
                f"Kaggle is busy or broken at the moment ({status}: {said}): run this again later.",
                wait=_asked_to_wait(error.response),
            )
        return KaggleError(f"Kaggle refused a request about {competition} ({status}: {said}).")


class _PatientAdapter(HTTPAdapter):
    """Gives every request a timeout, which the client does not."""

    def send(self, request: requests.PreparedRequest, **settings: Any) -> requests.Response:  # type: ignore[override]
        return super().send(request, **{**settings, "timeout": settings.get("timeout") or TIMEOUT_SECONDS})


def out_of_reach(error: Exception, address: str) -> OutOfReach:
    """The sentence for a connection that failed, or an answer that is none of Kaggle's."""
    return OutOfReach(
        f"Kaggle can't be reached at {address} ({type(error).__name__}: {_plain(str(error))}): "
        "check network and proxy, then run this again; what was fetched is kept."
    )


def _asked_to_wait(response: requests.Response | None) -> float:
    """Seconds that a busy server asks for, within reason."""
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(asked), LONGEST_WAIT) if asked.isdigit() else 0.0


def _status_and_words(error: requests.HTTPError) -> tuple[int, str]:
    """Status and message of a refusal: Kaggle puts both into a JSON body, sometimes under a status of 200."""
    response = error.response
    if response is None:
        return 0, _plain(str(error))
    try:
        body = response.json()
        status, said = int(body.get("code", response.status_code)), str(body.get("message", error))
    except (ValueError, AttributeError, TypeError):
        status, said = response.status_code, str(error)
    return status if response.status_code < 400 else response.status_code, _plain(said)


def _plain(text: str) -> str:
    """Somebody else's words on one line, without control characters, cut to size."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= 200 else f"{line[:199]}…"
