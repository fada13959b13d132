"""Options that `align` and `rank` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tokalign.types import DEFAULT_DIRECTION, Direction

if TYPE_CHECKING:
    from tokalign.client import Client

Command = TypeVar("Command", bound=Callable[..., Any])


def read_options(command: Command) -> Command:
    """Add --tokenized."""
    return click.option(
        "--tokenized", is_flag=True, help="Take the tokens between white space as they are."
    )(command)


def align_options(command: Command) -> Command:
    """Add --model, --annotator, --direction and --min-confidence."""
    for option in (
        click.option(
            "--min-confidence",
            type=click.FloatRange(0, 1),
            default=0.0,
            help="Leave out links of a lower posterior.",
        ),
        click.option(
            "--direction",
            type=click.Choice([str(direction) for direction in Direction]),
            default=str(DEFAULT_DIRECTION),
            show_default=True,
            help="One direction, or how both are combined.",
        ),
        click.option("--annotator", help="native by default; of a server, its first."),
        click.option("--model", help="Name or path, en by default; of a server, a name it lists."),
    ):
        command = option(command)
    return command


def connect_options(command: Command) -> Command:
    """Add --server and --timeout."""
    for option in (
        click.option(
            "--timeout",
            type=click.FloatRange(0, min_open=True),
            default=30.0,
            show_default=True,
            help="Seconds to wait for an answer of the server.",
        ),
        click.option("--server", metavar="HOST:PORT", help="Ask this server, load no model."),
    ):
        command = option(command)
    return command


def client_of(address: str, timeout_s: float) -> Client:
    """Return a client of the server named on the command line."""
    from tokalign.client import Client

    return Client(address, timeout_s=timeout_s)
