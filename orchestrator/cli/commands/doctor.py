"""`mlectl doctor`: whether this machine, or a cluster, has what is needed, and what to do where it has not."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.exits import DONE, UNREACHABLE
from orchestrator.cli.options import cluster_options, home_option, open_home
from orchestrator.cli.output import Format, emit, output_option
from orchestrator.cli.where import Where

if TYPE_CHECKING:
    from orchestrator.cli.doctor.check import Check


@click.command()
@click.option("--cluster", is_flag=True, help="Check the cluster of the kubeconfig instead of this machine.")
@click.option(
    "-f",
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="An ExperimentRun that is to run there.  [default: the published setting]",
)
@click.option("--probe", is_flag=True, help="Start pods for what only pods can see; they are removed afterwards.")
@click.option(
    "--patience", type=click.FloatRange(min=1), default=300, show_default=True, help="Seconds to wait for those pods."
)
@click.option("--system-namespace", help="Namespace of mlectl's controller.  [default: looked for]")
@cluster_options
@home_option
@output_option
def command(
    cluster: bool,
    file: Path | None,
    probe: bool,
    patience: float,
    system_namespace: str | None,
    where: Where,
    output: Format,
) -> int:
    """Check that this machine, or a cluster, has what is needed.

    A cluster is checked with --cluster or any option that is about one: versions, the definition of ExperimentRun,
    rights, the installation, the namespace's Pod Security profile and others' policies, nodes and GPUs against what the
    experiment asks for, queue. With --probe pods try what only pods can see: network policies, the store's identities
    and its speed, clocks, images, Kaggle's rules. They run in the controller's and the experiments' namespaces, use no
    GPU, and are removed afterwards, also after Ctrl-C.

    Ends with code 3 if there is a problem; a warning is no problem.
    """
    from orchestrator.cli.doctor.check import has_problem
    from orchestrator.cli.screens.doctor import show_checks

    about_a_cluster = cluster or where.is_there or probe or bool(file) or bool(system_namespace)
    if about_a_cluster and where.home:
        raise click.UsageError("--home means this machine, and the other options a cluster; choose one.")
    checks = _cluster(where, file, system_namespace, probe, patience) if about_a_cluster else _machine(where.home)
    emit(output, [asdict(check) for check in checks], lambda: show_checks(checks))
    return UNREACHABLE if has_problem(checks) else DONE


def _machine(home: Path | None) -> list[Check]:
    from orchestrator.cli.doctor.machine import check_all

    return check_all(open_home(home))


def _cluster(where: Where, file: Path | None, system: str | None, probe: bool, patience: float) -> list[Check]:
    from orchestrator.cli.doctor.examine import Wish, connect, examine, read_experiment

    wish = Wish(where, read_experiment(file), system, probe, patience)
    return list(examine(connect(where), wish))
