"""The images that the rig itself needs: BusyBox, and programs of ours alone in an image."""

from pathlib import Path

from tests.cluster.rig.oci import Image, small_layer

BASE = "docker.io/rig/base:1"  # pods may call it rig/base:1
BUSYBOX = Path("/bin/busybox")  # Debian: busybox-static
APPLETS = (
    *("cat", "chmod", "chown", "cp", "date", "df", "du", "echo", "env", "false", "find", "grep", "head", "hostname"),
    *("httpd", "id", "kill", "ln", "ls", "mkdir", "mv", "nc", "nslookup", "ps", "pwd", "rm", "sed", "seq", "sh"),
    *("sleep", "sort", "stat", "tail", "tar", "test", "timeout", "touch", "tr", "true", "wc", "yes"),
)
USERS = b"root:x:0:0::/:/bin/sh\nagent:x:1000:1000::/home:/bin/sh\n"
FOLDERS = {"bin": 0o755, "etc": 0o755, "home": 0o755, "tmp": 0o1777}


def base() -> Image:
    """BusyBox. Its own command sleeps for ever, so it is the pods' pause image as well."""
    links = {f"bin/{applet}": "busybox" for applet in APPLETS}
    layer = small_layer({"bin/busybox": BUSYBOX, "etc/passwd": USERS}, links, FOLDERS)
    return Image(BASE, [layer], {"Cmd": ["sleep", "infinity"], "Env": ["PATH=/bin"]})


def program(name: str, binary: Path) -> Image:
    """One static program and nothing else."""
    layer = small_layer({f"bin/{binary.name}": binary, "etc/passwd": USERS}, folders=FOLDERS)
    return Image(name, [layer], {"Entrypoint": [f"/bin/{binary.name}"], "Env": ["PATH=/bin"]})
