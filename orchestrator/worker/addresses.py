"""host:port, as operators write addresses."""

from __future__ import annotations


class BadAddress(ValueError):
    """Not an address; the message says what to write."""


def split_address(text: str) -> tuple[str, int]:
    """Host and port of `host:port` or `[IPv6]:port`."""
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        host = ""
    if not host or not (port.isascii() and port.isdigit()) or not int(port) < 1 << 16:
        raise BadAddress(f"{text!r} is not an address; write host:port, or [host]:port for IPv6.")
    return host, int(port)
