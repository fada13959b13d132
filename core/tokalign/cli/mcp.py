"""``tokalign mcp``: tools for agents over the Model Context Protocol."""

import click

from tokalign.cli.shared_flags import require
from tokalign.files.shipped import DEFAULT_MODEL


@click.command("mcp")
@click.option(
    "--model",
    default=DEFAULT_MODEL,
    show_default=True,
    help="Model or system: a name (see tokalign info) or a path.",
)
def command(model: str) -> None:
    """Serve the tools align, similarity, rank, ground and diff to an agent, over the Model Context
    Protocol on standard input and output, until the input ends.

    An agent starts it by itself; its configuration names the command `tokalign mcp`.
    """
    require("tokalign mcp", "mcp")
    # They bring the aligner and the packages of the extra, which other commands need not load.
    from tokalign.aligner import Aligner
    from tokalign.integrations.mcp import mcp_server

    mcp_server(Aligner.load(model)).run("stdio")
