"""``tokalign completion``: the shell's completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a script that completes the commands and options of tokalign in a shell.

    For example:

    \b
      tokalign completion bash > ~/.local/share/bash-completion/completions/tokalign
    """
    complete = get_completion_class(shell)
    if complete is None:  # Choice admits only shells that click knows
        raise click.UsageError(f"click cannot complete in {shell}")
    group = ctx.find_root().command
    click.echo(complete(group, {}, "tokalign", "_TOKALIGN_COMPLETE").source())
