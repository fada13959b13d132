"""``tokalign playground``: a page to try tokalign in a browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping

import click

from tokalign.cli.extras import require
from tokalign.cli.serve import LogFlags, serve
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.server.config import Config


@click.command("playground")
@click.option(
    "--model",
    "models",
    multiple=True,
    default=(DEFAULT_MODEL,),
    show_default=True,
    help="Name or path of a model. May be repeated; the first is the default.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default="a free one",
    help="Port of the page.",
)
@click.option("--browser/--no-browser", default=True, help="Whether to open the page.")
def command(models: tuple[str, ...], port: int, browser: bool) -> None:
    """Open a page to try tokalign in the browser, served on this machine alone until Ctrl-C."""
    require("tokalign playground", "http")

    def announce(addresses: Mapping[str, str]) -> None:
        click.echo(f"The playground is at {addresses['playground']}; Ctrl-C stops it.", err=True)
        if browser:
            webbrowser.open(addresses["playground"])

    serve(
        lambda: Config(models=models, port=0, http_port=port, metrics_port=None),
        LogFlags(),
        announce,
    )
