"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tokalign.cli.files import STDIO, Destination, SourceParam
from tokalign.cli.table import Columns, columns_from
from tokalign.devices import DEVICES
from tokalign.errors import FormatError, InputError, ServerError
from tokalign.options import DEFAULT_SYMMETRIZATION, Symmetrization
from tokalign.processes import HUNG_S

if TYPE_CHECKING:
    from tokalign.client import Client

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
Command = TypeVar("Command", bound=Callable[..., Any])


def is_quiet() -> bool:
    """Whether tokalign was called with --quiet."""
    context = click.get_current_context(silent=True)
    return bool(context and context.obj and context.obj["quiet"])


def read_options(command: Command) -> Command:
    """Add --tokenized."""
    return click.option(
        "--tokenized", is_flag=True, help="Take the tokens between white space as they are."
    )(command)


def _columns(ctx: click.Context, param: click.Parameter, value: str | None) -> Columns | None:
    try:
        return None if value is None else columns_from(value)
    except FormatError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def columns_option(command: Command) -> Command:
    """Add --columns of tables; the command gets two of them, or None."""
    return click.option(
        "--columns",
        metavar="SOURCE,TARGET",
        callback=_columns,
        help="Of CSV, TSV or Parquet: names, or numbers from 1 where there is no header.",
    )(command)


def model_options(command: Command) -> Command:
    """Add --model, --annotator and --device."""
    for option in (
        click.option(
            "--device",
            type=click.Choice(DEVICES),
            default=None,
            help="Where a neural model's encoder runs, cpu by default; a server has its own.",
        ),
        click.option("--annotator", help="native by default; of a server, its first."),
        click.option(
            "--model",
            help="Name of a model or system, or path, en by default; of a server, a name it lists.",
        ),
    ):
        command = option(command)
    return command


def check_no_device(device: str | None) -> None:
    """Raise UsageError if a device is given though a server aligns."""
    if device:
        raise click.UsageError("--device is the server's: give it to tokalign serve")


def align_options(command: Command) -> Command:
    """Add --model, --annotator, --device, --style, --direction, --min-confidence and --truncate."""
    for option in (
        click.option(
            "--truncate",
            is_flag=True,
            help="Cut sentences that are too long instead of refusing them.",
        ),
        click.option(
            "--min-confidence",
            type=click.FloatRange(0, 1),
            default=0.0,
            help="Leave out links of a lower posterior.",
        ),
        click.option(
            "--direction",
            type=click.Choice([str(direction) for direction in Symmetrization]),
            default=str(DEFAULT_SYMMETRIZATION),
            show_default=True,
            help="One direction, or how both are combined.",
        ),
        click.option(
            "--style",
            default="",
            help="What deserves a link: one of the model's styles (tokalign info), or its default.",
        ),
    ):
        command = option(command)
    return model_options(command)


def line_options(command: Command) -> Command:
    """Add how many lines are worked on at a time, by how many processes, and --strict."""
    for option in (
        click.option("--strict", is_flag=True, help="Stop at the first bad line."),
        click.option(
            "--batch-timeout",
            type=click.FloatRange(0, min_open=True),
            default=HUNG_S,
            show_default=True,
            help="Seconds after which a process of --jobs that gives no answer is replaced.",
        ),
        click.option(
            "--jobs", "-j", type=click.IntRange(1), default=1, show_default=True, help="Processes."
        ),
        click.option(
            "--batch-size",
            type=click.IntRange(1),
            default=64,
            show_default=True,
            help="Lines read, aligned and written at a time.",
        ),
    ):
        command = option(command)
    return command


def file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --input and --output of lines; the command gets a Source and a Destination."""

    @wraps(command)
    def with_destination(*args: Any, output: str, resume: bool = False, **options: Any) -> Any:
        return command(*args, output=Destination(output, resume), **options)

    decorated: Callable[..., Any] = with_destination
    for option in (
        click.option(
            "--output",
            "-o",
            type=click.Path(dir_okay=False, allow_dash=True),
            default=STDIO,
            help="Default: stdout. A file is there when all is written; .gz and .zst are packed.",
        ),
        click.option(
            "--input",
            "-i",
            "rows",
            type=SourceParam(),
            default=STDIO,
            help="Default: stdin. Packed by gzip or Zstandard or not, whatever its name.",
        ),
    ):
        decorated = option(decorated)
    return decorated


def resume_option(command: Command) -> Command:
    """Add --resume, of commands that write one line for each."""
    return click.option(
        "--resume", is_flag=True, help="Go on where an interrupted run of the same command stopped."
    )(command)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server named on the command line, and how to talk to it."""

    address: str
    timeout_s: float
    ca_path: Path | None
    token_path: Path | None

    def client(self) -> Client:
        """Return a client; TLS is used where authorities or a token are given."""
        from tokalign.client import Client, Tls

        tls = token = None
        if self.ca_path is not None:
            tls = Tls(root_certificates=self.ca_path.read_bytes())
        if self.token_path is not None:
            tls = tls or Tls()
            token = read_token(self.token_path)
        return Client(self.address, timeout_s=self.timeout_s, tls=tls, token=token)


def read_token(path: Path | None) -> str | None:
    """Return what a token's file holds, without the white space around it."""
    return None if path is None else path.read_text(encoding="utf-8").strip()


def is_input_fault(error: InputError | ServerError) -> bool:
    """Whether an error is of what was read, here or at a server, not of an option or the call."""
    if isinstance(error, InputError):
        return not error.field.startswith("options")
    from tokalign.client import InvalidInputError

    if not isinstance(error, InvalidInputError):
        return False
    return not any(each.field.startswith("options") for each in error.violations)


def secure_options(command: Command) -> Command:
    """Add --tls-ca and --token-file."""
    for option in (
        click.option(
            "--token-file", type=_FILE, help="Bearer token to send to the server, over TLS."
        ),
        click.option(
            "--tls-ca", type=_FILE, help="Use TLS, and trust the certificates in this PEM file."
        ),
    ):
        command = option(command)
    return command


def connect_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --server and how to connect; the command gets one argument `server`."""

    @wraps(command)
    def with_endpoint(
        *args: Any,
        server: str | None,
        timeout: float,
        tls_ca: Path | None,
        token_file: Path | None,
        **options: Any,
    ) -> Any:
        if server is None and (tls_ca or token_file):
            raise click.UsageError("--tls-ca and --token-file need --server")
        endpoint = None if server is None else Endpoint(server, timeout, tls_ca, token_file)
        return command(*args, server=endpoint, **options)

    decorated: Callable[..., Any] = secure_options(with_endpoint)
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
        decorated = option(decorated)
    return decorated
