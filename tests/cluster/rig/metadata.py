"""A stand-in for a cloud's metadata service at 169.254.169.254, so that tests can show who reaches it and who does not.

It lives in a network namespace of its own, and only what comes from the pods' bridge is routed there: for this machine
itself the address means what it meant before, and no packet to it leaves the machine. Run as
`python -m tests.cluster.rig.metadata` inside that namespace.
"""

import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.cluster.rig import processes
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import BRIDGE, MAIN, METADATA, METADATA_ADDRESS, NODE_ADDRESS
from tests.cluster.rig.processes import Program

NAME = METADATA  # of the namespace, the cable's end on the node, and the process
ROUTES = "16925"  # a routing table of our own
PORT = 80
WORDS = b"the rig's stand-in for a metadata service\n"
FOR_PODS = ("iif", BRIDGE, "to", METADATA_ADDRESS, "lookup", ROUTES)


def up() -> None:
    if not Path("/run/netns", NAME).exists():
        run("ip", "netns", "add", NAME)
    if not Path("/sys/class/net", NAME).exists():
        run("ip", "link", "add", NAME, "type", "veth", "peer", "name", "eth0", "netns", NAME)
    for argv in (
        ("link", "set", NAME, "up"),
        ("-netns", NAME, "link", "set", "eth0", "up"),
        ("-netns", NAME, "address", "replace", f"{METADATA_ADDRESS}/32", "dev", "eth0"),
        ("-netns", NAME, "route", "replace", "default", "via", NODE_ADDRESS, "dev", "eth0", "onlink"),
        ("route", "replace", METADATA_ADDRESS, "dev", NAME, "table", ROUTES),
    ):
        run("ip", *argv)
    forget_rule()
    run("ip", "rule", "add", *FOR_PODS)
    run("sysctl", "-qw", f"net.ipv4.conf.{NAME}.rp_filter=0")  # only pods have a route back to it
    server = ["ip", "netns", "exec", NAME, sys.executable, "-m", "tests.cluster.rig.metadata"]
    processes.start(MAIN, Program(NAME, server, is_listening))


def down() -> None:
    processes.stop(MAIN, NAME)
    forget_rule()
    subprocess.run(["ip", "netns", "delete", NAME], capture_output=True, check=False)


def forget_rule() -> None:
    while not subprocess.run(["ip", "rule", "delete", *FOR_PODS], capture_output=True, check=False).returncode:
        pass


def is_listening() -> bool:
    sockets = Path(f"/proc/{processes.pid_of(MAIN, NAME)}/net/tcp").read_text().splitlines()[1:]
    return any(line.split()[1].endswith(f":{PORT:04X}") and line.split()[3] == "0A" for line in sockets)


def run(*argv: str) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RigError(f"{' '.join(argv)} failed: {done.stderr.strip()}")


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(WORDS)))
        self.end_headers()
        self.wfile.write(WORDS)


if __name__ == "__main__":
    ThreadingHTTPServer((METADATA_ADDRESS, PORT), Answer).serve_forever()
