"""``tokalign annotate``: tokens, tags, lemmas and trees of sentences, as CoNLL-U."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import click

from tokalign.batches.outcomes import annotate_each, unwrap
from tokalign.cli.flags import INPUT, MODEL, OUTPUT, RUN, SectionedCommand, flag, takes
from tokalign.cli.lines.file_flags import LineFlags
from tokalign.cli.lines.pair_lines import decode_row, split_fields
from tokalign.cli.lines.sources import LineSource, file_argument
from tokalign.cli.shared_flags import ANNOTATOR, AT_LEAST_1, BAD_INPUT, STRICT, TOKENIZED
from tokalign.english.annotate import load_annotator
from tokalign.errors import FormatError, InputError
from tokalign.formats import Document, decode_lines
from tokalign.formats.conllu import read_sentences, write_sentence
from tokalign.formats.document import split_tokens
from tokalign.types import SentenceLike


@dataclass(slots=True)
class _Entry:
    """One sentence to annotate, or the error of one that could not be read; numbers are from 1,
    of its line or of CoNLL-U of itself."""

    number: int
    where: str
    comments: list[tuple[str, str]]
    sentence: SentenceLike | InputError

    @property
    def name(self) -> str:
        """The comment that identifies it, else its number."""
        known = dict(self.comments)
        return known.get("sent_id") or known.get("pair_id") or str(self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateFlags(LineFlags):
    """How sentences are read and annotated."""

    section: ClassVar[str] = RUN
    format: str = flag(
        "Format to read. In conllu, columns that are filled are kept, and the others are added.",
        "--from",
        type=click.Choice(["text", "conllu"]),
        default="text",
        under=INPUT,
    )
    tokenized: bool = flag(**TOKENIZED)
    annotator: str = flag(under=MODEL, **ANNOTATOR)
    trees: bool = flag("Add dependency trees.", "--trees/--no-trees", default=True, under=OUTPUT)
    batch_size: int = flag(
        "Sentences to read, annotate and write at a time.", type=AT_LEAST_1, default=256
    )
    strict: bool = flag(**STRICT)

    def entries(self) -> Iterator[_Entry]:
        """Yield the sentences of the input."""
        if self.format == "text":
            return _from_text(self.limited(self.input), self.tokenized)
        if self.tokenized:
            raise click.UsageError(
                "--tokenized has no meaning with --from conllu, which has tokens"
            )
        return self.limited(_from_conllu(self.input))


@click.command("annotate", cls=SectionedCommand)
@file_argument
@takes(how=AnnotateFlags)
def command(how: AnnotateFlags) -> None:
    """Annotate sentences, one or a pair per line, and write CoNLL-U.

    A line is SENTENCE, SOURCE<TAB>TARGET or SOURCE ||| TARGET. Blank lines are skipped. The
    comment "sent_id" of a sentence is the number of its line; sentences of a pair have "pair_id"
    and "side" instead.

    A bad line is reported on stderr and left out. The exit code is then 3.
    """
    entries = how.entries()
    annotate = partial(load_annotator(how.annotator).annotate, trees=how.trees)
    with how.bad_lines() as bad, how.open() as sink:
        while batch := list(itertools.islice(entries, how.batch_size)):
            answers = annotate_each(annotate, [entry.sentence for entry in batch])
            for entry, answer in zip(batch, answers, strict=True):
                if not isinstance(answer, InputError):
                    sink.write(write_sentence(unwrap(answer), entry.comments))
                    continue
                bad.note(entry.where, entry.name, entry.number, str(answer))
                if how.strict:
                    raise click.exceptions.Exit(BAD_INPUT)
    bad.end("sentences could not be annotated")


def _from_text(rows: Iterable[bytes], is_tokenized: bool) -> Iterator[_Entry]:
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        name = str(number)
        try:
            fields = _fields(decode_row(row))
        except InputError as error:
            yield _Entry(number, f"line {name}", [], error)
            continue
        for side, field in zip(("source", "target"), fields, strict=False):
            where, comments = f"line {name}", [("sent_id", name)]
            if len(fields) == 2:
                where, comments = f"line {name}, {side}", [("pair_id", name), ("side", side)]
            sentence = split_tokens(field) if is_tokenized else field.strip()
            yield _Entry(number, where, comments, sentence)


def _fields(line: str) -> list[str]:
    fields = split_fields(line)
    if len(fields) > 2:
        raise FormatError(
            f"saw {len(fields)} fields; wanted a sentence, or a source and a target with a tab "
            "or ' ||| ' between them"
        )
    return fields


def _from_conllu(rows: LineSource) -> Iterator[_Entry]:
    document = Document(rows.name, decode_lines(rows.name, rows))
    for number, (comments, sentence) in enumerate(read_sentences(document), 1):
        kept = [(key, value) for key, value in comments.items() if key != "text"]
        yield _Entry(number, f"sentence {number}", kept, sentence)
