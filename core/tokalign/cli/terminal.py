"""Colours and width of what a command writes for a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import Any

import click

from tokalign.cli.flags import flag


def color_flag(signs: str) -> Any:
    """Return the flag of colours; `signs` says what marks the words without them."""
    return flag(
        f"Colour the words; otherwise {signs} mark them. auto: on a terminal, unless the variable "
        "NO_COLOR is set.",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalFlags:
    """Colours and width of what a person reads."""

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
        """Return how many columns lines have, None for any number."""
        if self.width is not None or not sys.stdout.isatty():
            return self.width
        return max(shutil.get_terminal_size().columns, 20)
