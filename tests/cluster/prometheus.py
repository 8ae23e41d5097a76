"""A real Prometheus (Debian's) on loopback that scrapes every second and evaluates the chart's rules."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.s3server import free_ports

READY_SECONDS = 60.0


@dataclass(frozen=True)
class Prometheus:
    port: int
    process: subprocess.Popen[bytes]
    log: Path
    began: float

    def ask(self, path: str, **parameters: str) -> Any:
        """The data of an answer of the HTTP API; a query that it can't parse raises."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)["data"]

    def has_data(self, query: str) -> bool:
        """Whether the query gave a number at any time since the start."""
        found = self.ask("query_range", query=query, start=str(self.began), end=str(time.time()), step="1")
        return any(math.isfinite(float(value)) for series in found["result"] for _, value in series["values"])

    def value(self, query: str) -> float:
        """What the query gives now; it must be one number."""
        (series,) = self.ask("query", query=query)["result"]
        return float(series["value"][1])

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=5):
                return True
        except OSError:
            return False


class Exposition(BaseHTTPRequestHandler):
    """Shows a text at every path."""

    def __init__(self, text: bytes, *rest: Any) -> None:
        self.text = text
        super().__init__(*rest)

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(self.text)))
        self.end_headers()
        self.wfile.write(self.text)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def showing(metrics: Path) -> Iterator[str]:
    """The address at which these metrics can be scraped."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Exposition, metrics.read_bytes())) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def scraping(target: str, folder: Path, rules: Path, *, beside: str | None = None) -> Iterator[Prometheus]:
    """As the chart's ServiceMonitor has it scraped: the target has a namespace of its own, and our labels win.

    `beside`: the address of what else there is in a cluster.
    """
    program = shutil.which("prometheus")
    assert program, "prometheus is not installed; apt-get install prometheus"
    folder.mkdir()
    jobs = [
        {
            "job_name": name,
            "honor_labels": True,
            "static_configs": [{"targets": [address], "labels": {"namespace": namespace}}],
        }
        for name, address, namespace in (("mlectl", target, "mlectl-system"), ("beside", beside, "monitoring"))
        if address is not None
    ]
    config = folder / "prometheus.yml"
    times = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config.write_text(yaml.safe_dump({"global": times, "rule_files": [str(rules)], "scrape_configs": jobs}))
    (port,) = free_ports(1)
    command = [program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"]
    command += [f"--web.listen-address=127.0.0.1:{port}"]
    log = folder / "log"
    began = time.time()
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, cwd=folder)
    try:
        found = Prometheus(port, process, log, began)
        while not found.is_ready():
            assert time.time() < began + READY_SECONDS, log.read_text()[-3000:]
            time.sleep(0.1)
        yield found
    finally:
        process.terminate()
        process.wait(30)
