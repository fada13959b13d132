"""``tokalign split``: the sentences of a text."""

import json
from typing import ClassVar

import click

from tokalign.cli.flags import OUTPUT, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import BadLines, LineFlags, format_flag
from tokalign.cli.lines.pair_lines import decode_row
from tokalign.cli.lines.sources import LineSource, file_argument
from tokalign.cli.shared_flags import AT_LEAST_1, OFFSETS
from tokalign.errors import FormatError
from tokalign.types.offsets import positions
from tokalign.types.options import OffsetUnit
from tokalign.types.texts import SentenceSpan


@flagged
class SplitFlags(LineFlags):
    """How sentences are written."""

    section: ClassVar[str] = OUTPUT
    format: str = format_flag(
        "What to write. text: a line for each sentence. jsonl: an object with start, end and text.",
        ["text", "jsonl"],
        "text",
    )
    offsets: str = flag(**OFFSETS)
    limit: int | None = flag("Most sentences to write.", type=AT_LEAST_1, under=OUTPUT)

    def line(self, sentence: SentenceSpan, at: range | list[int]) -> str:
        """Return the line of a sentence, unbroken; `at` holds each character's offset."""
        if self.format == "text":
            parts = map(str.strip, sentence.text.splitlines())
            return " ".join(part for part in parts if part)
        value = {"start": at[sentence.start], "end": at[sentence.end], "text": sentence.text}
        return json.dumps(value, ensure_ascii=False)


@click.command("split", cls=SectionedCommand)
@file_argument
@takes(how=SplitFlags)
def command(how: SplitFlags) -> None:
    """Split an English text into sentences, and write one a line.

    The input is one text, whose lines may be wrapped: only a blank line always ends a sentence. A
    line break inside a sentence is written as a space; jsonl keeps it.

    A line that is not UTF-8 is reported, and taken for a blank one.
    """
    from tokalign.texts.split_text import split_text

    with how.bad_lines() as bad:
        text, n_lines = _read(how.input, bad)
        at = positions(text, OffsetUnit(how.offsets))
        with how.open() as sink:
            for sentence in how.limited(split_text(text)):
                sink.write(how.line(sentence, at) + "\n")
    bad.end(f"of {n_lines} lines bad")


def _read(rows: LineSource, bad: BadLines) -> tuple[str, int]:
    """Return the whole text and its number of lines; bad lines are noted and left blank."""
    lines: list[str] = []
    for number, row in enumerate(rows, 1):
        try:
            decode_row(row)
            lines.append(row.decode("utf-8-sig" if number == 1 else "utf-8"))
        except FormatError as error:
            bad.note(f"line {number}", str(number), number, str(error))
            lines.append("\n")
    return "".join(lines), len(lines)
