"""A registry with one image, for those who pull: enough of the distribution protocol for buildah to find a digest."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.cluster.rig.oci import TYPES, Blob, Image


@contextmanager
def serving(image: Image) -> Iterator[str]:
    """The registry's address while it is up, on loopback; any name and tag is that image."""
    blobs = {blob.digest: blob for blob in image.blobs}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _, _, what = self.path.strip("/").partition("/")
            name, _, reference = what.rpartition("/")
            if not what:
                return self.answer(Blob.of(b"{}"), "application/json")
            if name.endswith("/manifests") and reference in (image.manifest.digest, image.name.rpartition(":")[2]):
                return self.answer(image.manifest, f"{TYPES}.manifest.v1+json")
            if reference in blobs:
                return self.answer(blobs[reference], "application/octet-stream")
            return self.send_error(404)

        do_HEAD = do_GET  # noqa: N815 (the server's own names)

        def answer(self, blob: Blob, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(blob.size))
            self.send_header("Docker-Content-Digest", blob.digest)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(blob.content if isinstance(blob.content, bytes) else blob.content.read_bytes())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
