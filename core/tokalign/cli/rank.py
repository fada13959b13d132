"""``tokalign rank``: the sentences that answer a question best."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import click

from tokalign.cli.files import STDIO, Source, SourceParam
from tokalign.cli.options import (
    Endpoint,
    align_options,
    check_no_device,
    connect_options,
    is_input_fault,
    read_options,
)
from tokalign.cli.output import (
    DIGITS,
    bad_object,
    contributions_to_json,
    links_to_json,
    truncated_sides,
)
from tokalign.cli.pairs import decode_row, sentence_like
from tokalign.devices import DEFAULT_DEVICE
from tokalign.errors import FormatError, InputError, ServerError
from tokalign.formats import decode_lines
from tokalign.formats.document import json_error, one_line, require_unicode
from tokalign.options import RankBy, Symmetrization
from tokalign.outcomes import unwrap
from tokalign.types import Sentence, SentenceLike

BAD_INPUT = 3
WORTH_SHOWING = 0.005
"""Least that a piece of evidence adds to be shown as text, which has two decimals."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its candidates.

    Attributes
    ----------
    id : str
    question : SentenceLike
    candidates : tuple of SentenceLike
    numbers : tuple of int
        What text calls each candidate: its line, or its place from 1 in a list of JSON.
    """

    id: str
    question: SentenceLike
    candidates: tuple[SentenceLike, ...]
    numbers: tuple[int, ...]


@click.command("rank", short_help="Rank sentences by how they answer.")
@click.argument("question", required=False)
@click.option(
    "--input",
    "-i",
    "rows",
    type=SourceParam(),
    default=STDIO,
    help="Candidates, one per line; without QUESTION, JSON objects. Default: stdin. Packed or not.",
)
@click.option("--top-k", type=click.IntRange(0), default=0, help="How many to print; 0 is all.")
@click.option(
    "--by",
    type=click.Choice([str(by) for by in RankBy]),
    default=str(RankBy.AUTO),
    show_default=True,
    help="What to rank by; auto: answer where QUESTION is a question, else score.",
)
@click.option(
    "--passages", is_flag=True, help="Each candidate is a text of several sentences: rank the best."
)
@click.option("--explain", is_flag=True, help="Print what speaks for each candidate as an answer.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per question.")
@read_options
@align_options
@connect_options
@click.pass_context
def command(
    ctx: click.Context,
    question: str | None,
    rows: Source,
    top_k: int,
    by: str,
    passages: bool,
    explain: bool,
    as_json: bool,
    tokenized: bool,
    model: str | None,
    annotator: str | None,
    device: str | None,
    style: str,
    direction: str,
    min_confidence: float,
    truncate: bool,
    server: Endpoint | None,
) -> None:
    """Rank candidate sentences by how likely they answer QUESTION.

    Prints score, line number and sentence, the best first. Where QUESTION is not a question, they
    are ranked by how well they align with it. Without QUESTION, every input line is an object with
    "question" and "candidates". Candidates that cannot be aligned come last, with the score "-",
    and a line that is no such object is reported on stderr (with --json, an object with "error"
    stands for it, too); the exit code is then 3. With --passages every candidate is split into
    sentences, of which the best counts and is printed, after its number in the passage.
    """
    if passages and tokenized:
        raise click.UsageError("--passages are split into sentences: give no --tokenized")
    queries: Iterable[tuple[int, Query | InputError]]
    if question is None:
        queries = _queries(rows, tokenized)
    else:
        queries = [(1, _query(rows.name, question, rows, tokenized))]
    options: dict[str, Any] = {
        "top_k": top_k,
        "symmetrization": Symmetrization(direction),
        "style": style,
        "min_confidence": min_confidence,
        "by": RankBy(by),
        "passages": passages,
        "truncate": truncate,
        "explain": explain,
    }
    n_bad = n_cut = n_bad_lines = 0
    with ExitStack() as stack:
        ranked = _ranker(stack, server, model, annotator, device)
        for line, query in queries:
            try:
                query = unwrap(query)
                ranking = ranked(query.question, query.candidates, **options)
            except (InputError, ServerError) as error:
                if question is not None or not is_input_fault(error):
                    raise
                n_bad_lines += 1
                click.echo(f"line {line}: {error}", err=True)
                if as_json:
                    click.echo(bad_object(str(line), line, str(error)))
                continue
            n_bad += sum(each.error is not None for each in ranking)
            n_cut += sum(map(_is_cut, ranking))
            show = _show_json if as_json else _show_text
            show(query, ranking, has_header=question is None, with_sentences=passages)
    if n_cut:
        click.echo(f"{n_cut} candidates, or their questions, were cut", err=True)
    if n_bad:
        click.echo(f"{n_bad} candidates could not be aligned", err=True)
    if n_bad_lines:
        click.echo(f"{n_bad_lines} lines bad", err=True)
    if n_bad or n_bad_lines:
        ctx.exit(BAD_INPUT)


def _ranker(
    stack: ExitStack,
    server: Endpoint | None,
    model: str | None,
    annotator: str | None,
    device: str | None,
) -> Callable[..., Sequence[Any]]:
    """Return what ranks: of a client, which the stack closes, or of an aligner."""
    if server:
        check_no_device(device)
        client = stack.enter_context(server.client())
        return partial(client.rank, model=model or "", annotator=annotator or "")
    from tokalign.aligner import Aligner
    from tokalign.ranking import rank

    aligner = Aligner.load(
        model or "en", annotator=annotator or "native", device=device or DEFAULT_DEVICE
    )
    return partial(rank, aligner)


def _is_cut(ranked: Any) -> bool:
    """Whether not all of a candidate, or of its question, was looked at."""
    if ranked.alignment is None:
        return False
    is_passage_cut = ranked.sentence is not None and ranked.sentence.passage_truncated
    return is_passage_cut or bool(truncated_sides(ranked.alignment))


def _query(name: str, question: str, rows: Iterable[bytes], is_tokenized: bool) -> Query:
    """Return the query of a question and the lines of a file, of which blank ones are passed over.

    Raises
    ------
    FormatError
        If no line has text, or one is not UTF-8.
    InputError
        If the question is empty.
    """
    lines = [(line, text) for line, text in decode_lines(name, rows) if text.strip()]
    if not lines:
        raise FormatError("no candidates; give one per line", path=name)
    return Query(
        "1",
        sentence_like(question, "question", is_tokenized=is_tokenized),
        tuple(_candidate(text, is_tokenized) for _, text in lines),
        tuple(line for line, _ in lines),
    )


def _queries(rows: Iterable[bytes], is_tokenized: bool) -> Iterator[tuple[int, Query | InputError]]:
    """Yield the query of each line that is not blank with its number, or why it is none."""
    for line, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            yield line, _query_from_json(line, decode_row(row), is_tokenized)
        except InputError as error:
            yield line, error


def _query_from_json(line: int, text: str, is_tokenized: bool) -> Query:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{json_error(error)}; wanted one object per line") from error
    if not isinstance(value, dict) or not isinstance(value.get("candidates"), list):
        raise FormatError('wanted an object with "question" and "candidates"')
    candidates = value["candidates"]
    return Query(
        require_unicode(str(value.get("id", line)), "id"),
        sentence_like(value.get("question"), "question", is_tokenized=is_tokenized),
        tuple(_candidate(each, is_tokenized) for each in candidates),
        tuple(range(1, len(candidates) + 1)),
    )


def _candidate(value: object, is_tokenized: bool) -> SentenceLike:
    """Return a candidate of JSON; an empty one has a place in the ranking too, the last."""
    if isinstance(value, str) and not value.strip():
        return value
    return sentence_like(value, "candidates", is_tokenized=is_tokenized)


def _show_json(
    query: Query, ranking: Sequence[Any], *, has_header: bool, with_sentences: bool
) -> None:
    rows = []
    for each in ranking:
        row: dict[str, Any] = {"index": each.index, "text": _text(query.candidates[each.index])}
        if each.alignment is None:
            row["error"] = str(each.error)
        else:
            judgement = each.judgement
            row["score"] = round(judgement.score, DIGITS)
            row["by"] = str(judgement.by)
            if each.sentence:
                row["sentence"] = asdict(each.sentence) | {"text": each.alignment.source.text}
            if judgement.evidence:
                row["evidence"] = contributions_to_json(judgement.evidence)
            if truncated := truncated_sides(each.alignment):
                row["truncated"] = truncated
            row["source"] = list(each.alignment.source.tokens)
            row["target"] = list(each.alignment.target.tokens)
            row["links"] = links_to_json(each.alignment)
        rows.append(row)
    value = {"id": query.id, "question": _text(query.question), "ranking": rows}
    click.echo(json.dumps(value, ensure_ascii=False))


def _show_text(
    query: Query, ranking: Sequence[Any], *, has_header: bool, with_sentences: bool
) -> None:
    if has_header:
        click.echo(one_line(f"# {query.id}") + f"\t{one_line(_text(query.question))}")
    for each in ranking:
        score = "-" if each.judgement is None else f"{each.judgement.score:.4f}"
        text = each.alignment.source.text if each.sentence else query.candidates[each.index]
        columns = [score, str(query.numbers[each.index]), one_line(_text(text))]
        if with_sentences:
            columns.insert(2, str(each.sentence.index + 1) if each.sentence else "-")
        click.echo("\t".join(columns))
        for piece in each.judgement.evidence if each.judgement else ():
            if abs(added := piece.value * piece.weight) >= WORTH_SHOWING:
                click.echo(f"\t{added:+.2f}\t{piece.name} {piece.value:.2f}")


def _text(sentence: SentenceLike) -> str:
    """Return the text of a sentence, a question mark in the place of what is no Unicode."""
    if isinstance(sentence, Sentence):
        return sentence.text
    text = sentence if isinstance(sentence, str) else " ".join(sentence)
    return text.encode(errors="replace").decode()
