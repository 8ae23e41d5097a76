"""The rig on the command line; every command may be repeated.

python -m tests.cluster.rig install                 what is missing of Debian, by apt-get
python -m tests.cluster.rig build [TOOL...]         the programs, once
python -m tests.cluster.rig up                      a control plane: API server, Job controller, scheduler
python -m tests.cluster.rig up --fake-nodes 250     and made-up GPU nodes on which pods play out their lives
python -m tests.cluster.rig up --node --gpus 1      and this machine as a true node, which claims to have a GPU
python -m tests.cluster.rig restart NAME            one process anew, for instance network-policies
python -m tests.cluster.rig down [--purge]          nothing of it left running; --purge forgets its data as well
"""

import argparse
import sys
import time
from collections.abc import Callable

from tests.cluster.rig import debian, life, programs, sharing
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import MOST_INSTANCES, Instance


def main() -> None:
    wanted = parse()
    rig = Instance(wanted.instance)
    try:
        match wanted.command:
            case "install":
                debian.install()
            case "build":
                programs.build(wanted.tools or programs.NEEDED, say=lambda text: print(text, flush=True))
            case "up":
                with sharing.changing(rig):
                    life.up(rig, wanted.fake_nodes, node_wanted=wanted.node, gpus=wanted.gpus, timed=timed)
                    sharing.keep(rig)
                print(f"export KUBECONFIG={rig.kubeconfig}")
            case "restart":
                life.restart(rig, wanted.name)
            case "down":
                with sharing.changing(rig):
                    life.down(rig, purge=wanted.purge)
                    sharing.keep(rig)
    except RigError as error:
        sys.exit(f"rig: {error}")


def timed(name: str, act: Callable[[], None]) -> None:
    started = time.monotonic()
    act()
    print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instance", type=int, default=0, choices=range(MOST_INSTANCES), help="0 has the true node")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("install")
    build = commands.add_parser("build")
    build.add_argument("tools", nargs="*", metavar="TOOL", help=f"of {', '.join(programs.TOOLS)}")
    up = commands.add_parser("up")
    up.add_argument("--fake-nodes", type=int, default=0, metavar="N")
    up.add_argument("--node", action="store_true")
    up.add_argument("--gpus", type=int, default=0, metavar="N")
    restart = commands.add_parser("restart")
    restart.add_argument("name")
    down = commands.add_parser("down")
    down.add_argument("--purge", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
