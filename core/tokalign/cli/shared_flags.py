"""Options that several commands share, and a check that the packages of extras are there."""

import importlib.util
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tokalign.cli.flags import INPUT, LINKS, MODEL, OUTPUT, RUN, SERVER, flag, flagged, group
from tokalign.errors import InputError, MissingPackageError, ServerError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.neural.devices import DEFAULT_DEVICE, DEVICES
from tokalign.showing.text import visible
from tokalign.types.options import (
    DEFAULT_SYMMETRIZATION,
    AlignOptions,
    Markup,
    OffsetUnit,
    Symmetrization,
)

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.client import Client


BAD_INPUT = 3
"""Exit code where some lines of the input were bad."""
DEFAULT_ANNOTATOR = "native"
AT_LEAST_1 = click.IntRange(1)
ABOVE_0 = click.FloatRange(0, min_open=True)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
ANNOTATOR: dict[str, Any] = {
    "help": "Annotator: native, nltk, stanza[:FOLDER] or spacy[:MODEL].",
    "default": DEFAULT_ANNOTATOR,
}
TOKENIZED: dict[str, Any] = {
    "help": "The text is tokenized: split it at white space only.",
    "under": INPUT,
    "default": False,
}
TRUNCATE: dict[str, Any] = {
    "help": "Cut sentences that are too long instead of refusing them.",
    "default": False,
}
STRICT: dict[str, Any] = {"help": "Stop at the first bad line.", "default": False, "under": RUN}
JSON: dict[str, Any] = {"help": "Print JSON instead of text.", "is_flag": True, "default": False}


def is_quiet() -> bool:
    """Whether tokalign was called with --quiet."""
    context = click.get_current_context(silent=True)
    return bool(context and (context.find_root().obj or {}).get("quiet"))


def one_of(kind: type[StrEnum]) -> "click.ParamType[Any]":  # plain before click 8.4
    """Return the type of a flag that takes the values of an enumeration."""
    return click.Choice([each.value for each in kind])


MARKUP: dict[str, Any] = {
    "help": "Mark-up that the texts are read as.",
    "type": one_of(Markup),
    "default": Markup.AUTO.value,
}
OFFSETS: dict[str, Any] = {
    "help": "Unit in which offsets count; text has none.",
    "type": one_of(OffsetUnit),
    "default": OffsetUnit.CODE_POINTS.value,
}
SYMMETRIZATION: dict[str, Any] = {
    "help": "How the two directions are combined, or which one is taken alone.",
    "type": one_of(Symmetrization),
    "default": DEFAULT_SYMMETRIZATION.value,
}


@flagged
class LocalModelFlags:
    """The model of this process, with its annotator and device."""

    section: ClassVar[str] = MODEL
    model: str | None = flag(
        "Model or system: a name (see tokalign info) or a path.", show_default=DEFAULT_MODEL
    )
    annotator: str | None = flag(ANNOTATOR["help"], show_default=DEFAULT_ANNOTATOR)
    device: str | None = flag(
        "Device for the encoder of a neural model.",
        type=click.Choice(DEVICES),
        show_default=DEFAULT_DEVICE,
    )

    def load(self) -> "Aligner":
        from tokalign.aligner import Aligner

        return Aligner.load(
            self.model or DEFAULT_MODEL,
            annotator=self.annotator or DEFAULT_ANNOTATOR,
            device=self.device or DEFAULT_DEVICE,
        )


@flagged
class ModelFlags(LocalModelFlags):
    """The model of this process, or with --server that of a server."""

    def at_server(self) -> dict[str, Any]:
        """Return the arguments of a client's calls; UsageError if a device is given."""
        if self.device:
            raise click.UsageError("--device is the server's: give it to tokalign serve")
        return {"model": self.model or "", "annotator": self.annotator or ""}


@flagged
class StyleFlags:
    """Options of the library that say which words a model links."""

    section: ClassVar[str] = LINKS
    style: str = flag(
        "Style of the model: which words it links (see tokalign info).",
        default="",
        show_default="the model's own choice",
    )
    related: bool = flag(
        "Set it for known paraphrases, or a question and its answer; more words are linked.",
        default=False,
    )
    effort: float = flag(
        "Share of the pairs that the encoder of a neural model reads; en-research, or en, aligns "
        "the rest.",
        type=click.FloatRange(0, 1),
        default=1.0,
    )
    markup: str = flag(**MARKUP)

    def options(self) -> AlignOptions:
        return AlignOptions(**asdict(self))


@flagged
class CutFlags(StyleFlags):
    """The options of StyleFlags, and whether long sentences are truncated."""

    section: ClassVar[str] = LINKS
    truncate: bool = flag(**TRUNCATE)


@flagged
class LinkFlags(StyleFlags):
    """Options of the library that say which links a model makes."""

    section: ClassVar[str] = LINKS
    symmetrization: str = flag(**SYMMETRIZATION)


@flagged
class PairFlags(LinkFlags):
    """Options of the library for each pair."""

    section: ClassVar[str] = LINKS
    min_confidence: float = flag(
        "Leave out links of a lower confidence.", type=click.FloatRange(0, 1), default=0.0
    )
    truncate: bool = flag(**TRUNCATE)


@flagged
class AlignFlags(PairFlags):
    """Options of the library for each alignment."""

    section: ClassVar[str] = OUTPUT
    posteriors: bool = flag("Add the matrix of posteriors (jsonl only).", default=False)
    explain: bool = flag("Add why each link was made (jsonl only).", default=False)
    phrases: bool = flag("Add phrase links and their confidences (jsonl only).", default=False)
    relations: bool = flag(
        "Add how linked words are related: same, opposite, another value (jsonl only).",
        default=False,
    )
    edits: bool = flag(
        "Add what changed from source to target: EQ, SUB, DEL, INS and MOV (jsonl only).",
        default=False,
    )
    offsets: str = flag(**OFFSETS)


@flagged
class SecureFlags:
    """Credentials for a server: TLS and a token."""

    section: ClassVar[str] = SERVER
    ca_path: Path | None = flag(
        "Use TLS, and trust the certificates in this PEM file.", "--tls-ca", type=EXISTING_FILE
    )
    token_path: Path | None = flag(
        "File with the bearer token for the server; it is sent over TLS only.",
        "--token-file",
        type=EXISTING_FILE,
    )

    def token(self) -> str | None:
        """Return the content of the token's file, stripped of white space."""
        return None if self.token_path is None else self.token_path.read_text("utf-8").strip()


@flagged
class Endpoint:
    """A server named on the command line, and how to talk to it; without an address, none."""

    section: ClassVar[str] = SERVER
    address: str | None = flag(
        "Ask this server, which has models, annotators and a device of its own, instead of loading "
        "a model. unix:PATH is a socket.",
        "--server",
        metavar="HOST:PORT",
    )
    timeout_s: float = flag(
        "Seconds to wait for an answer of the server.", "--timeout", type=ABOVE_0, default=30.0
    )
    secure: SecureFlags = group(SecureFlags)

    def __post_init__(self) -> None:
        if self.address is None and (self.secure.ca_path or self.secure.token_path):
            raise click.UsageError("--tls-ca and --token-file need --server")

    def client(self) -> "Client":
        """Return a client; TLS is used where authorities or a token are given."""
        from tokalign.client import Client, Tls

        token, tls, ca_path = self.secure.token(), None, self.secure.ca_path
        if token is not None or ca_path is not None:
            try:
                tls = Tls(root_certificates=None if ca_path is None else ca_path.read_bytes())
            except InputError as error:
                raise InputError(f"{ca_path}: {error}", field=error.field) from error
        return Client(self.address or "", timeout_s=self.timeout_s, tls=tls, token=token)


def echo(text: str) -> None:
    """Print a text, in a terminal with control characters that do nothing."""
    click.echo(visible(text) if sys.stdout.isatty() else text)


def task_of(name: str, stack: ExitStack, model: ModelFlags, server: Endpoint) -> Callable[..., Any]:
    """Return the method of a task: of a client, which the stack closes, or of an aligner."""
    if server.address:
        named = model.at_server()
        return partial(getattr(stack.enter_context(server.client()), name), **named)
    method: Callable[..., Any] = getattr(model.load(), name)
    return method


def is_input_fault(error: InputError | ServerError) -> bool:
    """Whether an error, here or at a server, is due to the input, not to an option or the call."""
    if isinstance(error, InputError):
        return not error.field.startswith(("options", "model"))
    from tokalign.client import InvalidInputError

    if not isinstance(error, InvalidInputError):
        return False
    return not any(each.field.startswith("options") for each in error.violations)


def color_flag(signs: str) -> Any:
    """Return the flag --color; `signs` says what marks the words without colours."""
    return flag(
        f"Colour the words; otherwise {signs} mark them. auto: on a terminal, unless the variable "
        "NO_COLOR is set.",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
    )


@flagged
class TerminalFlags:
    """Colours and width of text for people."""

    section: ClassVar[str] = OUTPUT
    color: str = color_flag("signs")
    width: int | None = flag(
        "Columns to break lines at.",
        type=click.IntRange(20),
        show_default="the terminal's width; elsewhere lines stay whole",
    )

    def is_coloured(self, *, is_paged: bool = False) -> bool:
        """Return whether colours are written; `is_paged`: to a pager that shows them."""
        if self.color != "auto":
            return self.color == "always"
        is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not is_plain and (sys.stdout.isatty() or is_paged)

    def columns(self) -> int | None:
        """Return the number of columns of lines, None for any number."""
        if self.width is not None or not sys.stdout.isatty():
            return self.width
        from shutil import get_terminal_size  # which loads three libraries of archives

        return max(get_terminal_size().columns, 20)


NEEDS = {
    "arrow": ("pyarrow",),
    "dedupe": ("rensa",),
    "mcp": ("mcp",),
    "neural": ("tokenizers",),
    "nltk": ("nltk",),
    "server": (
        *("grpc", "google.protobuf", "grpc_health", "grpc_reflection", "grpc_status"),
        *("h2", "hpack", "httptools", "msgspec", "starlette", "uvicorn"),
    ),
    "spacy": ("spacy",),
    "stanza": ("stanza",),
    "train": ("scipy",),
}
"""Packages without which nothing of an extra works."""


def absent(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed; nothing is imported to look."""
    return [package for package in NEEDS[extra] if not _is_there(package)]


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of "google", in which "google.protobuf" is looked for
        return False


def require(command: str, extra: str) -> None:
    """Raise MissingPackageError where a package of an extra is missing."""
    for package in absent(extra):
        error = ModuleNotFoundError(f"No module named {package!r}", name=package)
        raise MissingPackageError.of(command, error, extra)
