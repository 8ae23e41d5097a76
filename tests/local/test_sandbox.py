"""What an agent in the sandbox can see and do, tried from the inside."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.cluster.local import sandbox
from orchestrator.cluster.local.sandbox import Mount, Sandbox

needs_namespaces = pytest.mark.skipif(
    not sandbox.is_available(), reason="this kernel does not let an ordinary user make namespaces"
)


@pytest.fixture
def inside(tmp_path):
    """Run a shell line in a sandbox; its output."""
    home = tmp_path / "agent-home"
    (home / "data").mkdir(parents=True)
    (home / "data" / "train.csv").write_text("id\n1\n")

    def run(line: str, *, own_network: bool = True, limits: dict[str, int] | None = None) -> str:
        box = Sandbox(
            mounts=[Mount(str(home), "/home", writable=True), Mount(str(home / "data"), "/home/data")],
            own_network=own_network,
            limits=limits or {},
        )
        process, listener = box.start(
            ["/bin/sh", "-c", f"({line}) >/home/out 2>&1"],
            env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
            cwd="/home",
            scratch=tmp_path / "scratch",
        )
        process.wait()
        if listener:
            listener.close()
        return (home / "out").read_text()

    return run


@needs_namespaces
def test_it_sees_its_own_folders_and_nothing_of_the_machine(inside, tmp_path):
    (tmp_path / "answers.csv").write_text("secret")
    assert inside("ls /home") == "data\nout\n"
    assert "No such file" in inside(f"cat {tmp_path}/answers.csv")
    assert "No such file" in inside("cat /etc/shadow")


@needs_namespaces
def test_data_is_read_only_and_its_own_folders_are_not(inside):
    assert inside("cat data/train.csv") == "id\n1\n"
    assert "Read-only file system" in inside("touch data/new")
    assert "Read-only file system" in inside("touch /new")
    assert inside("echo fine > note; cat note") == "fine\n"


@needs_namespaces
def test_it_is_an_ordinary_user_who_cannot_undo_the_mounts(inside):
    assert inside("id -u") == "1000\n"
    assert inside("grep CapEff /proc/self/status").split()[1] == "0" * 16
    for attempt in ("umount /home/data", "mount -o remount,rw,bind /home/data"):
        inside(f"{attempt}; touch /home/data/new")
        inside(f"unshare --user --map-root-user --mount sh -c '{attempt}; touch /home/data/new'")
    assert inside("ls data") == "train.csv\n"


@needs_namespaces
def test_it_sees_no_process_but_its_own(inside):
    assert int(inside("ls -d /proc/[0-9]* | wc -l")) <= 5


@needs_namespaces
def test_without_a_network_it_reaches_its_own_loopback_only(inside):
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        probe = f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\""
        assert "ConnectionRefusedError" in inside(probe)
        assert "Error" not in inside(probe, own_network=False)


@needs_namespaces
def test_the_courier_outside_answers_on_port_5000_inside(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    box = Sandbox([Mount(str(home), "/home", writable=True)], own_network=True, limits={})
    ask = "import socket; s = socket.create_connection(('localhost', 5000)); open('/home/heard', 'wb').write(s.recv(9))"
    process, listener = box.start(
        [sys.executable, "-c", ask], env={"PATH": "/usr/bin:/bin"}, cwd="/home", scratch=tmp_path / "scratch"
    )
    assert listener is not None
    with listener:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"hello")
    assert process.wait() == 0
    assert (home / "heard").read_bytes() == b"hello"


@needs_namespaces
def test_limits_hold_inside(inside):
    assert inside("ulimit -c; ulimit -f", limits={"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 512 * 1024}) == "0\n1024\n"


@needs_namespaces
def test_killing_the_outer_process_ends_everything_inside(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    box = Sandbox([Mount(str(home), "/home", writable=True)], own_network=True, limits={})
    line = "(setsid sh -c 'echo $$ >/home/ready; sleep 1000' &) ; sleep 1000"
    process, listener = box.start(
        ["/bin/sh", "-c", line], env={"PATH": "/usr/bin:/bin"}, cwd="/home", scratch=tmp_path / "scratch"
    )
    assert listener is not None
    listener.close()
    while not (home / "ready").exists():
        assert process.poll() is None
    held = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    process.kill()
    process.wait()
    for pid in held:
        while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1][:3]:
            pass


@needs_namespaces
def test_the_python_of_mlectl_is_there_even_below_a_folder_of_the_agents(tmp_path, monkeypatch):
    """A checkout in /tmp, say, where the agent has a /tmp of its own."""
    home, temporary = tmp_path / "home", tmp_path / "own"
    home.mkdir()
    temporary.mkdir()
    prefix = tmp_path / "checkout" / "venv"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "tool").write_text("#!/bin/sh\necho found > /home/out\n")
    (prefix / "bin" / "tool").chmod(0o755)
    monkeypatch.setattr(sandbox, "python_mounts", lambda: [Mount(str(prefix), str(prefix))])
    mounts = [Mount(str(home), "/home", writable=True), Mount(str(temporary), str(tmp_path), writable=True)]
    box = Sandbox(mounts, own_network=False, limits={})
    process, _ = box.start(
        [str(prefix / "bin" / "tool")], env={"PATH": "/usr/bin:/bin"}, cwd="/home", scratch=tmp_path / "scratch"
    )
    assert process.wait() == 0
    assert (home / "out").read_text() == "found\n"
