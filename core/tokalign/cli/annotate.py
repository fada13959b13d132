"""``tokalign annotate`` and ``split``: sentences as CoNLL-U, and the sentences of a text."""

import itertools
import json
from collections.abc import Iterator
from functools import partial
from typing import ClassVar, TypeAlias

import click

from tokalign.batches.outcomes import annotate_each, unwrap
from tokalign.cli.flags import MODEL, OUTPUT, RUN, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import BadLines, LineFlags, format_flag, outcomes_of
from tokalign.cli.lines.pair_lines import decode_row, split_fields
from tokalign.cli.lines.sources import LineSource, file_argument
from tokalign.cli.shared_flags import ANNOTATOR, AT_LEAST_1, BAD_INPUT, OFFSETS, STRICT, TOKENIZED
from tokalign.english.annotate import load_annotator
from tokalign.errors import FormatError, InputError
from tokalign.formats.conllu import write_sentence
from tokalign.types import SentenceLike
from tokalign.types.inputs import split_tokens
from tokalign.types.options import OffsetUnit
from tokalign.types.sentence import positions
from tokalign.types.texts import SentenceSpan

_Entry: TypeAlias = tuple[int, str, list[tuple[str, str]], SentenceLike | InputError]
"""Line and side of a sentence, its comments, and itself or why it cannot be read."""


@flagged
class AnnotateFlags(LineFlags):
    """How sentences are read and annotated."""

    section: ClassVar[str] = RUN
    tokenized: bool = flag(**TOKENIZED)
    annotator: str = flag(under=MODEL, **ANNOTATOR)
    trees: bool = flag("Add dependency trees.", "--trees/--no-trees", default=True, under=OUTPUT)
    batch_size: int = flag(
        "Sentences to read, annotate and write at a time.", type=AT_LEAST_1, default=256
    )
    strict: bool = flag(**STRICT)


@click.command("annotate", cls=SectionedCommand)
@file_argument
@takes(how=AnnotateFlags)
def annotate(how: AnnotateFlags) -> None:
    """Annotate sentences, one or a pair per line, and write CoNLL-U.

    A line is SENTENCE, SOURCE<TAB>TARGET or SOURCE ||| TARGET. Blank lines are skipped. The
    comment "sent_id" of a sentence is the number of its line; sentences of a pair have "pair_id"
    and "side" instead.

    A bad line is reported on stderr and left out. The exit code is then 3.
    """
    entries = _entries(how)
    annotate = partial(load_annotator(how.annotator).annotate, trees=how.trees)
    with how.bad_lines() as bad, how.open() as sink:
        while batch := list(itertools.islice(entries, how.batch_size)):
            answers = annotate_each(annotate, [sentence for *_, sentence in batch])
            for (line, side, comments, _), answer in zip(batch, answers, strict=True):
                if not isinstance(answer, InputError):
                    sink.write(write_sentence(unwrap(answer), comments))
                    continue
                bad.note(f"line {line}{side}", str(line), line, str(answer))
                if how.strict:
                    raise click.exceptions.Exit(BAD_INPUT)
    bad.end("sentences could not be annotated")


def _entries(how: AnnotateFlags) -> Iterator[_Entry]:
    for line, fields in outcomes_of(how.limited(how.input), _fields):
        if isinstance(fields, InputError):
            yield line, "", [], fields
            continue
        for side, field in zip(("source", "target"), fields, strict=False):
            where, comments = "", [("sent_id", str(line))]
            if len(fields) == 2:
                where, comments = f", {side}", [("pair_id", str(line)), ("side", side)]
            yield line, where, comments, split_tokens(field) if how.tokenized else field.strip()


def _fields(_: int, line: str) -> list[str]:
    fields = split_fields(line)
    if len(fields) > 2:
        raise FormatError(
            f"saw {len(fields)} fields; wanted a sentence, or a source and a target with a tab "
            "or ' ||| ' between them"
        )
    return fields


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
def split(how: SplitFlags) -> None:
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
