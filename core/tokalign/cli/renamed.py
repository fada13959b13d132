"""Flags under their old names, which work for one more release."""

from __future__ import annotations

from collections.abc import Sequence

import click

RENAMED: dict[str, dict[str, str]] = {
    "align": {"--direction": "--symmetrization", "--probs": "--confidences"},
    "convert": {
        "--to": "--format",
        "--one-based-input": "--one-based",
        "--reverse-input": "--reversed",
        "--one-based-output": "--output-one-based",
        "--reverse-output": "--output-reversed",
    },
    "evaluate": {
        "--direction": "--symmetrization",
        "--errors": "--worst",
        "--format": "--from",
        "--predictions-format": "--predictions-from",
    },
    "crossval": {"--errors": "--worst"},
    "matrix": {"--to": "--against"},
    "rank": {"--direction": "--symmetrization", "--json": "--format=jsonl"},
    "similarity": {"--to": "--sentence"},
    "train": {"--format": "--from", "--groups": "--feature-groups"},
    "view": {"--format": "--from", "--output": "--html", "-o": "--html"},
}
"""Command -> its flags that had another name -> what they are called now."""


def current_names(command: str, arguments: Sequence[str]) -> list[str]:
    """Return a command's arguments with the names that its flags have now."""
    renamed = RENAMED.get(command, {})
    current: list[str] = []
    for place, argument in enumerate(arguments):
        if argument == "--":
            return [*current, *arguments[place:]]
        name, mark, value = argument.partition("=")
        if name in renamed:
            if name == "--errors":
                _refuse_file(command, value if mark else "".join(arguments[place + 1 : place + 2]))
            warn(name, renamed[name])
            name = renamed[name]
        current.append(name + mark + value)
    return current


def _refuse_file(command: str, value: str) -> None:
    """Raise UsageError where --errors, of old a number, gets a file as in other commands."""
    if not value.lstrip("-").isdigit():
        raise click.UsageError(
            f"{command} takes no --errors: it stops at the first bad line of a corpus and says "
            "which; --worst N lists the links that cost most"
        )


def warn(old: str, new: str) -> None:
    """Say on stderr that something has a new name."""
    click.echo(f"{old} is now {new}; the old name stops working in the next release", err=True)
