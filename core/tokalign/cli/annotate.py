"""``tokalign annotate``: tokens, tags, lemmas and trees of sentences, as CoNLL-U."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import click

from tokalign.annotate import load_annotator
from tokalign.cli.files import Destination, Source
from tokalign.cli.options import file_options
from tokalign.cli.pairs import SEPARATOR, decode_row
from tokalign.errors import FormatError, InputError
from tokalign.formats import Document, decode_lines
from tokalign.formats.conllu import read_sentences, write_sentence
from tokalign.formats.document import split_tokens
from tokalign.outcomes import annotate_each, unwrap
from tokalign.types import SentenceLike

BAD_INPUT = 3


@dataclass(slots=True)
class _Entry:
    """One sentence to annotate.

    Attributes
    ----------
    where : str
        Named in messages: the line or the comment that identifies it.
    comments : list of (str, str)
        Written above the sentence.
    sentence : SentenceLike or InputError
        Why there is none, if it could not be read.
    """

    where: str
    comments: list[tuple[str, str]]
    sentence: SentenceLike | InputError


@click.command("annotate", short_help="Annotate sentences and write CoNLL-U.")
@file_options
@click.option(
    "--from",
    "kind",
    type=click.Choice(["text", "conllu"]),
    default="text",
    show_default=True,
    help="Of conllu, filled columns are kept and the others filled.",
)
@click.option("--tokenized", is_flag=True, help="Take the tokens between white space as they are.")
@click.option(
    "--annotator",
    default="native",
    show_default=True,
    help="native, stanza[:FOLDER] or spacy[:MODEL].",
)
@click.option("--trees/--no-trees", default=True, show_default=True, help="Parse as well.")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=256,
    show_default=True,
    help="Sentences read, annotated and written at a time.",
)
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@click.pass_context
def command(
    ctx: click.Context,
    rows: Source,
    output: Destination,
    kind: str,
    tokenized: bool,
    annotator: str,
    trees: bool,
    batch_size: int,
    strict: bool,
) -> None:
    """Annotate sentences, one or a pair per line, and write CoNLL-U.

    A line is SENTENCE, or SOURCE<TAB>TARGET or SOURCE ||| TARGET; blank lines are passed over.
    Sentences are numbered by their lines, in # sent_id, or # pair_id and # side. A bad line is
    left out and reported on stderr; the exit code is then 3.
    """
    entries = _from_conllu(rows, tokenized) if kind == "conllu" else _from_text(rows, tokenized)
    annotate = partial(load_annotator(annotator).annotate, trees=trees)
    n_bad = 0
    with output.open(rows) as sink:
        while batch := list(itertools.islice(entries, batch_size)):
            answers = annotate_each(annotate, [entry.sentence for entry in batch])
            for entry, answer in zip(batch, answers, strict=True):
                if not isinstance(answer, InputError):
                    sink.write(write_sentence(unwrap(answer), entry.comments))
                    continue
                click.echo(f"{entry.where}: {answer}", err=True)
                n_bad += 1
                if strict:
                    ctx.exit(BAD_INPUT)
    if n_bad:
        click.echo(f"{n_bad} sentences could not be annotated", err=True)
        ctx.exit(BAD_INPUT)


def _from_text(rows: Iterable[bytes], is_tokenized: bool) -> Iterator[_Entry]:
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        name = str(number)
        try:
            fields = _fields(decode_row(row))
        except InputError as error:
            yield _Entry(f"line {name}", [], error)
            continue
        for side, field in zip(("source", "target"), fields, strict=False):
            where, comments = f"line {name}", [("sent_id", name)]
            if len(fields) == 2:
                where, comments = f"line {name}, {side}", [("pair_id", name), ("side", side)]
            yield _Entry(where, comments, split_tokens(field) if is_tokenized else field.strip())


def _fields(line: str) -> list[str]:
    fields = line.split("\t") if "\t" in line else line.split(SEPARATOR)
    if len(fields) > 2:
        raise FormatError(
            f"saw {len(fields)} fields; wanted a sentence, or a source and a target with a tab "
            "or ' ||| ' between them"
        )
    return fields


def _from_conllu(rows: Source, is_tokenized: bool) -> Iterator[_Entry]:
    if is_tokenized:
        raise click.UsageError("--tokenized has no meaning with --from conllu, which has tokens")
    document = Document(rows.name, decode_lines(rows.name, rows))
    for number, (comments, sentence) in enumerate(read_sentences(document), 1):
        kept = [(key, value) for key, value in comments.items() if key != "text"]
        yield _Entry(f"sentence {number}", kept, sentence)
