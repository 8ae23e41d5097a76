"""Stands in for Kaggle on localhost:7777, where the real client goes with KAGGLE_API_ENVIRONMENT=TEST.

Speaks the client's protocol on real sockets: calls are POST /api/v1/competitions.CompetitionApiService/<Call> with
JSON, and the archive comes by a redirect to another address, with HTTP ranges, as it does at Kaggle. A test sets what
goes wrong and reads in `calls` what was asked, in order, and how many bytes of an archive went out.

The port is fixed, so only one stand-in runs at a time on a machine: others wait for a file lock.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import io
import json
import re
import sys
import tempfile
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

PORT = 7777
USERNAME, KEY, TOKEN = "ada", "a-key", "a-token"
BASIC = "Basic " + base64.b64encode(f"{USERNAME}:{KEY}".encode()).decode()
SERVICE = "/api/v1/competitions.CompetitionApiService/"
MUST_ACCEPT = "You must accept this competition's rules before you'll be able to download files."


@dataclass
class Hosted:
    """A competition on the stand-in."""

    archive: bytes
    joined: bool = True
    listed: bool | None = None
    """Whether its files may be listed; None: if joined."""
    etag: str = '"1"'
    announced: int | None = None
    """A size to announce instead of the real one."""
    cuts: int = 0
    """How many more times the connection is cut half-way through what was asked for."""
    knows_ranges: bool = True
    busy: int = 0
    """How many more times a download is answered with 503."""


@dataclass
class Call:
    """One request that came in."""

    what: str
    """The call's name, or `GET` for the archive."""
    competition: str
    range: str | None = None
    sent: int = 0
    """Bytes of the archive that went out."""


class StandIn:
    """A server with competitions; `with StandIn() as kaggle` waits for its turn at the port."""

    def __init__(self) -> None:
        self.hosted: dict[str, Hosted] = {}
        self.calls: list[Call] = []

    def host(self, competition: str, archive: bytes | None = None, **settings: object) -> Hosted:
        self.hosted[competition] = Hosted(make_zip({"train.csv": b"id,y\n1,2\n"}) if archive is None else archive)
        for name, value in settings.items():
            setattr(self.hosted[competition], name, value)
        return self.hosted[competition]

    @property
    def asked(self) -> list[tuple[str, str]]:
        """What was asked about which competition, in order."""
        return [(call.what, call.competition) for call in self.calls]

    @property
    def transfers(self) -> list[Call]:
        """Requests for an archive's bytes."""
        return [call for call in self.calls if call.what == "GET"]

    def __enter__(self) -> StandIn:
        self._turn: IO[str] = (Path(tempfile.gettempdir()) / f"mlectl-kaggle-{PORT}.lock").open("w")
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        self._server = _Server(("127.0.0.1", PORT), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._turn.close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is nothing to talk about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def make_zip(members: Mapping[str, bytes]) -> bytes:
    """An archive, stored so that its size follows from its content."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def md5(content: bytes) -> str:
    return hashlib.md5(content).hexdigest()


def _handler(standin: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            call = Call(self.path.removeprefix(SERVICE), body.get("competitionName", ""), self.headers.get("Range"))
            standin.calls.append(call)
            if self.headers.get("Authorization") not in (BASIC, f"Bearer {TOKEN}"):
                return self._json({"code": 401, "message": "Unauthenticated"}, 401)
            hosted = standin.hosted.get(call.competition)
            if hosted is None:
                return self._json({"code": 404, "message": "Not found"}, 404)
            if call.what == "GetCompetition":
                return self._json({"ref": call.competition, **({"userHasEntered": True} if hosted.joined else {})})
            allowed = hosted.listed if call.what == "ListDataFiles" and hosted.listed is not None else hosted.joined
            if not allowed:
                return self._json({"code": 403, "message": MUST_ACCEPT}, 403)
            if call.what == "ListDataFiles":
                return self._json({"files": [{"name": "train.csv"}]})
            assert call.what == "DownloadDataFiles"
            if hosted.busy:
                hosted.busy -= 1
                return self._json({"code": 503, "message": "Back soon"}, 503)
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{PORT}/bundles/{call.competition}.zip?signature=x")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None

        def do_GET(self) -> None:
            competition = Path(urlsplit(self.path).path).stem
            hosted = standin.hosted[competition]
            asked = self.headers.get("Range")
            call = Call("GET", competition, asked)
            standin.calls.append(call)
            assert "Authorization" not in self.headers, "credentials must not go to another host"
            start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and hosted.knows_ranges else 0
            if self.headers.get("If-Range", hosted.etag) != hosted.etag:
                start = 0
            if start >= len(hosted.archive):
                self._head(416, b"nothing there", {"Content-Range": f"bytes */{len(hosted.archive)}"})
                self.wfile.write(b"nothing there")
                return
            rest = hosted.archive[start:]
            extent = (
                {"Content-Range": f"bytes {start}-{len(hosted.archive) - 1}/{len(hosted.archive)}"} if start else {}
            )
            self._head(
                206 if start else 200, rest, {"ETag": hosted.etag, "Accept-Ranges": "bytes", **extent}, hosted.announced
            )
            if hosted.cuts:
                hosted.cuts -= 1
                rest = rest[: len(rest) // 2]
                self.close_connection = True
            call.sent = len(rest)
            self.wfile.write(rest)

        def _head(self, status: int, body: bytes, headers: Mapping[str, str], announced: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/zip")
            self.send_header("Content-Length", str(len(body) if announced is None else announced))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def _json(self, answer: Mapping[str, object], status: int = 200) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
