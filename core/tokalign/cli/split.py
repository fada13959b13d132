"""``tokalign split``: the sentences of a text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice

import click

from tokalign.cli.arguments import file_argument
from tokalign.cli.flags import flag, takes
from tokalign.cli.forms import format_flag
from tokalign.cli.options import AT_LEAST_1, FileFlags, one_of
from tokalign.cli.sources import LineSource
from tokalign.errors import FormatError
from tokalign.types.offsets import positions
from tokalign.types.options import OffsetUnit
from tokalign.types.texts import SentenceSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitFlags:
    """How sentences are written."""

    format: str = format_flag(
        "What to write. text: a line for each sentence. jsonl: an object with start, end and text.",
        ["text", "jsonl"],
        "text",
    )
    offsets: str = flag(
        "Unit in which start and end count (jsonl only).",
        type=one_of(OffsetUnit),
        default=OffsetUnit.CODE_POINTS.value,
    )

    limit: int | None = flag("Most sentences to write.", type=AT_LEAST_1)

    def line(self, sentence: SentenceSpan, at: range | list[int]) -> str:
        """Return the line of a sentence without its break; `at` has the place of each character."""
        if self.format == "text":
            parts = map(str.strip, sentence.text.splitlines())
            return " ".join(part for part in parts if part)
        value = {"start": at[sentence.start], "end": at[sentence.end], "text": sentence.text}
        return json.dumps(value, ensure_ascii=False)


@click.command("split", short_help="Split a text into sentences.")
@file_argument
@takes(files=FileFlags, how=SplitFlags)
def command(files: FileFlags, how: SplitFlags) -> None:
    """Split an English text into sentences, and write one a line.

    The input is one text, whose lines may be wrapped: only a blank line always ends a sentence. A
    line break inside a sentence is written as a space; jsonl keeps it.
    """
    from tokalign.functions import split

    text = _read(files.input)
    at = positions(text, OffsetUnit(how.offsets))
    with files.open() as sink:
        for sentence in islice(split(text), how.limit):
            sink.write(how.line(sentence, at) + "\n")


def _read(rows: LineSource) -> str:
    """Return a whole text; FormatError if it is not UTF-8."""
    data = b"".join(rows)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"byte {error.start} of the text is not UTF-8; convert the file with iconv",
            path=rows.name,
            line=line,
        ) from error
