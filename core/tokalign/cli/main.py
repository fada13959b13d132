"""The ``tokalign`` command: its subcommands, and the exit codes of errors.

Exit codes: 0 fine, 1 failure, 2 usage, 3 some input lines were bad, 130 interrupted. A reader
that goes away (``tokalign align ... | head``) ends the command without a word.
"""

import atexit
import gc
import importlib
import logging
import os
import sys
from typing import Any, NoReturn

import click

from tokalign.errors import AlignError, quoted
from tokalign.showing.text import visible

logger = logging.getLogger(__name__)
atexit.register(gc.freeze)  # or Python searches all for cycles when it ends

SECTIONS: dict[str, dict[str, str]] = {
    "Aligning and comparing": {
        "align": "Align sentence pairs, one per line.",
        "similarity": "Score how much two sentences say the same, or one and many.",
        "diff": "Show what changed from one text to another.",
        "rank": "Rank sentences as answers to a question.",
        "ground": "Show where passages support an answer.",
        "matrix": "Compare each line of a file with each of another.",
        "dedupe": "Find the lines of a file that say much the same.",
        "split": "Split a text into sentences.",
        "annotate": "Annotate sentences and write CoNLL-U.",
    },
    "Serving": {
        "playground": "Open a page to try it all in a browser.",
        "serve": "Serve alignments over gRPC and HTTP.",
        "mcp": "Serve tools to agents over stdio (MCP).",
        "bench": "Measure a server under load.",
    },
    "Corpora and evaluation": {
        "convert": "Rewrite aligned pairs in another format.",
        "view": "Show aligned pairs of any format.",
        "evaluate": "Score a model, or predictions, on gold.",
        "compare": "Compare systems on one gold corpus.",
    },
    "Training": {
        "train": "Train a model on aligned corpora.",
        "crossval": "Cross-validate training on a corpus of your own.",
    },
    "This installation": {
        "info": "Show models, tables, limits and versions.",
        "resources": "List, verify and install lexical tables.",
    },
}
"""The subcommands, as help shows them: each with its summary."""

_HOMES = {
    "compare": "evaluate",
    "convert": "view",
    "matrix": "dedupe",
    "mcp": "serve",
    "playground": "serve",
    "resources": "info",
    "similarity": "align",
    "split": "annotate",
}
"""Modules of the subcommands that have none of their own name."""
COMMANDS = {
    name: f"tokalign.cli.{_HOMES.get(name, name)}"
    for section in SECTIONS.values()
    for name in section
}
"""Modules of the subcommands, each with a click command of the name, or called ``command``."""


class _Commands(click.Group):
    """A group whose subcommands are imported only when they are used.

    Each subcommand takes --verbose and --quiet as the group does.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, summaries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(summaries.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name])
        command: click.Command = getattr(module, "command", None) or getattr(module, cmd_name)
        summaries = (section[cmd_name] for section in SECTIONS.values() if cmd_name in section)
        command.short_help = next(summaries, command.short_help)
        # The commands of a group take them, too.
        for each in command.commands.values() if isinstance(command, click.Group) else [command]:
            if not any(parameter.name == "quiet" for parameter in each.params):
                each.params += _shared()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(_unknown(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:  # it may be closed
                sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except KeyboardInterrupt:
            ctx.exit(130)
        except click.ClickException as error:
            error.message = visible(error.message)  # type: ignore[misc]  # shown by click
            raise
        except (AlignError, OSError) as error:
            logger.debug("where it was raised:", exc_info=error)
            message = message_of(error)
        else:
            return result
        if "grpc" in sys.modules:
            # A failed call that is freed when Python exits waits for a thread that is gone by then.
            gc.collect()
        raise click.ClickException(visible(message))


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, 2, 0.6)
    if name == "help":
        return "no command 'help'; run tokalign --help, or tokalign COMMAND --help"
    if " " in name or "/" in name or "." in name:  # a sentence, or a file
        return f"no command {quoted(name)}; name the command first, as in `tokalign align ...`"
    if near:
        return f"no command {quoted(name)}; did you mean {' or '.join(near)}?"
    return f"no command {quoted(name)}; there are {', '.join(sorted(COMMANDS))}"


def _shared() -> list[click.Parameter]:
    return [
        click.Option(
            ["-v", "--verbose"],
            count=True,
            expose_value=False,
            callback=_noted,
            help="Log more on stderr; give it twice to log all.",
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_noted,
            help="Log errors only, and show no progress.",
        ),
    ]


def _noted(ctx: click.Context, param: click.Parameter, value: int) -> None:
    """Combine a subcommand's logging options with those of the group."""
    if value:
        root = ctx.find_root()
        root.obj = (root.obj or {}) | {param.name: value}
        _listen(root.obj)


def _listen(asked: dict[Any, Any]) -> None:
    """Set the level of logging that was asked for."""
    verbose, quiet = asked.get("verbose", 0), asked.get("quiet", False)
    if verbose and quiet:
        raise click.UsageError("--verbose and --quiet exclude each other; give one of them")
    _configure_logging(-1 if quiet else verbose)


def message_of(error: Exception) -> str:
    """Return the command line's message for an error."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


class _StderrHandler(logging.StreamHandler[Any]):
    """Writes to whatever sys.stderr is at the time of the record."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, value: Any) -> NoReturn:
        raise AttributeError("stream follows sys.stderr")


def _configure_logging(verbosity: int) -> None:
    """Send tokalign's loggers to stderr: errors (-1), warnings (0), info (1) or all (2)."""
    levels = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}
    root = logging.getLogger("tokalign")
    root.setLevel(levels.get(verbosity, logging.DEBUG))
    if not any(isinstance(handler, _StderrHandler) for handler in root.handlers):
        handler = _StderrHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        root.addHandler(handler)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(None, "-V", "--version", package_name="tokalign", prog_name="tokalign")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Align the words of English sentence pairs, and serve alignments over gRPC.

    \b
    To begin:
      tokalign align "Dogs bark." "The dogs bark."
      tokalign align pairs.tsv --output links.jsonl
      tokalign align --help

    Exit codes: 0 fine, 1 failure, 2 wrong usage, 3 some input lines were bad, 130 interrupted.
    """
    _listen(ctx.obj or {})


main.params += _shared()
