"""`mlectl completion`: the script that a shell reads to complete mlectl's commands, options and ids."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script that completes mlectl's commands in a shell.

    \b
    bash:  mlectl completion bash > ~/.local/share/bash-completion/completions/mlectl
    zsh:   mlectl completion zsh > "${fpath[1]}/_mlectl"
    fish:  mlectl completion fish > ~/.config/fish/completions/mlectl.fish
    """
    from click.shell_completion import get_completion_class

    from orchestrator.cli.main import cli

    complete = get_completion_class(shell)
    if complete is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    click.echo(complete(cli, {}, "mlectl", "_MLECTL_COMPLETE").source())
