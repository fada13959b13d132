"""The ``tokalign`` command: finds subcommands, turns errors into exit codes.

Exit codes: 0 fine, 1 failure, 2 usage, 3 some input lines were bad, 130 interrupted. A reader
that goes away (``tokalign align ... | head``) ends the command without a word.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.metadata import version
from typing import Any

import click

from tokalign.errors import AlignError

COMMANDS = {
    "convert": "tokalign.cli.convert",
    "evaluate": "tokalign.cli.evaluate",
    "train": "tokalign.cli.train",
}
"""Modules of the subcommands, each with its click command under the name ``command``."""


class _Commands(click.Group):
    """A group whose subcommands are imported only when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(130)
        except (AlignError, OSError) as error:
            raise click.ClickException(str(error)) from error
        return result


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("tokalign"), prog_name="tokalign")
def main() -> None:
    """Align the words of English sentence pairs, and serve alignments over gRPC."""
