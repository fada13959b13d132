"""``tokalign annotate``: tokens, tags, lemmas and trees of sentences, as CoNLL-U."""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import ClassVar, TypeAlias

import click

from tokalign.batches.outcomes import annotate_each, unwrap
from tokalign.cli.flags import MODEL, OUTPUT, RUN, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import LineFlags, outcomes_of
from tokalign.cli.lines.pair_lines import split_fields
from tokalign.cli.lines.sources import file_argument
from tokalign.cli.shared_flags import ANNOTATOR, AT_LEAST_1, BAD_INPUT, STRICT, TOKENIZED
from tokalign.english.annotate import load_annotator
from tokalign.errors import FormatError, InputError
from tokalign.formats.conllu import write_sentence
from tokalign.types import SentenceLike
from tokalign.types.inputs import split_tokens

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
def command(how: AnnotateFlags) -> None:
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
