"""`mlectl controller`: what a Deployment runs to serve the ExperimentRuns of a cluster."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--config",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="What the operator decided: namespaces, image, stores, network.",
)
@click.option("--kubeconfig", type=click.Path(dir_okay=False, path_type=Path), help="As for kubectl.")
@click.option("--context", help="As for kubectl.")
@click.option("--listen", default="0.0.0.0:8081", show_default=True, help="For /healthz, /readyz and /metrics.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning"]), default="info", show_default=True)
def command(config: Path, kubeconfig: Path | None, context: str | None, listen: str, log_level: str) -> int:
    """Serve the ExperimentRuns of a cluster.

    Runs until it is told to stop (TERM, Ctrl-C), and then ends within seconds: experiments go on without it and are
    taken up by the next one. Two replicas elect a leader.
    """
    import gc
    import signal
    import threading

    from orchestrator.cli.exits import DONE
    from orchestrator.cluster.kubernetes.api import Api
    from orchestrator.cluster.kubernetes.settings import load_settings
    from orchestrator.controller.logs import set_up
    from orchestrator.controller.serve import Controller

    set_up(log_level)
    gc.set_threshold(100_000, 20, 20)  # what JSON becomes has no cycles; looking for some took longer than parsing it
    controller = Controller(Api.connect(kubeconfig, context), load_settings(config), listen=listen)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    controller.run(stop)
    return DONE
