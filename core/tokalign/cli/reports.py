"""Progress and summary of a run over lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from tokalign.cli.bad import BadLines
from tokalign.cli.batches import OutputLine
from tokalign.cli.options import is_quiet
from tokalign.cli.parquet import open_parquet
from tokalign.cli.sinks import LineSink
from tokalign.cli.sources import LineSource

if TYPE_CHECKING:
    from tqdm import tqdm


class RunReport:
    """Counts lines, names the first bad ones, and shows progress on a terminal.

    Parameters
    ----------
    sink : LineSink
    rows : LineSource
    bad : BadLines
    """

    def __init__(self, sink: LineSink, rows: LineSource, bad: BadLines) -> None:
        self.sink = sink
        self.rows = rows
        self.bad = bad
        self.n_lines = self.n_cut = 0
        self._began = time.monotonic()
        self._bar: tqdm[Any] | None = None
        self._is_shown = not is_quiet() and sys.stderr.isatty() and not sink.is_terminal
        self._has_size = rows.size is not None and not rows.is_parquet

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show progress, in rows of Parquet or bytes of the input if their number is known."""
        from tqdm import tqdm

        rows = self.rows
        total = open_parquet(rows).metadata.num_rows if rows.is_parquet else rows.size
        unit = "B" if self._has_size else "pair"
        n_before = 0 if self._has_size else self.sink.n_kept
        with tqdm(
            total=total,
            initial=n_before,
            unit=unit,
            unit_scale=self._has_size,
            disable=not self._is_shown,
        ) as self._bar:
            yield

    def note(self, line: OutputLine) -> None:
        """Count a line, and name it if it is bad."""
        self.n_lines += 1
        self.n_cut += line.is_cut
        if line.error:
            self.bad.note(f"line {line.number}", line.id, line.number, line.error)
        if not self._is_shown or self._bar is None:
            return
        if self._has_size:
            rate = self.n_lines / max(self._bar.format_dict["elapsed"], 1e-3)
            self._bar.set_postfix_str(f"{self.n_lines} pairs, {rate:.0f}/s", refresh=False)
            self._bar.update(self.rows.position() - self._bar.n)
        else:
            self._bar.update()

    def show(self, *, is_stopped: bool = False) -> None:
        """Say how many lines there were, if a file was written, and which were bad."""
        if self.n_cut:
            click.echo(
                f"{self.n_cut} of {self.n_lines} lines have sentences that were cut", err=True
            )
        if self.bad.n:
            stopped = "; stopped there" if is_stopped else ""
            click.echo(f"{self.bad.n} of {self.n_lines} lines bad{stopped}", err=True)
        if is_quiet() or is_stopped or self.sink.partial is None:
            return
        seconds = time.monotonic() - self._began
        rate = self.n_lines / max(seconds, 1e-3)
        click.echo(
            f"{self.sink.name}: {self.n_lines:,} pairs in {seconds:.1f} s, {rate:,.0f} a second",
            err=True,
        )
