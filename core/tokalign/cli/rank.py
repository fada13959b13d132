"""``tokalign rank``: the sentences that answer a question best."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from typing import IO, Any

import click

from tokalign.cli.options import (
    Endpoint,
    align_options,
    check_no_device,
    connect_options,
    read_options,
)
from tokalign.cli.output import DIGITS, contributions_to_json, links_to_json, truncated_sides
from tokalign.cli.pairs import sentence_like
from tokalign.devices import DEFAULT_DEVICE
from tokalign.errors import FormatError, InputError
from tokalign.formats import decode_lines
from tokalign.formats.document import json_error
from tokalign.options import RankBy, Symmetrization
from tokalign.types import Sentence, SentenceLike

BAD_INPUT = 3
WORTH_SHOWING = 0.005
"""Least that a piece of evidence adds to be shown as text, which has two decimals."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its candidates."""

    id: str
    question: SentenceLike
    candidates: tuple[SentenceLike, ...]


@click.command("rank")
@click.argument("question", required=False)
@click.option(
    "--input",
    "-i",
    "rows",
    type=click.File("rb"),
    default="-",
    help="Candidates, one per line; without QUESTION, JSON objects. Default: stdin.",
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
    rows: IO[bytes],
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
    "question" and "candidates". Candidates that cannot be aligned come last, with the score "-";
    the exit code is then 3. With --passages every candidate is split into sentences, of which the
    best counts and is printed, after its number in the passage.
    """
    if passages and tokenized:
        raise click.UsageError("--passages are split into sentences: give no --tokenized")
    name = str(getattr(rows, "name", "<stdin>"))
    lines = decode_lines(name, rows)
    if question is None:
        queries = _queries(name, lines, tokenized)
    else:
        queries = iter([_query(name, question, lines, tokenized)])
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
    n_bad = n_cut = 0
    with ExitStack() as stack:
        ranked: Callable[..., Sequence[Any]]
        if server:
            check_no_device(device)
            options |= {"model": model or "", "annotator": annotator or ""}
            ranked = stack.enter_context(server.client()).rank
        else:
            from tokalign.aligner import Aligner
            from tokalign.ranking import rank

            aligner = Aligner.load(
                model or "en", annotator=annotator or "native", device=device or DEFAULT_DEVICE
            )
            ranked = partial(rank, aligner)
        for query in queries:
            ranking = ranked(query.question, query.candidates, **options)
            n_bad += sum(each.error is not None for each in ranking)
            n_cut += sum(map(_is_cut, ranking))
            show = _show_json if as_json else _show_text
            show(query, ranking, has_header=question is None, with_sentences=passages)
    if n_cut:
        click.echo(f"{n_cut} candidates, or their questions, were cut", err=True)
    if n_bad:
        click.echo(f"{n_bad} candidates could not be aligned", err=True)
        ctx.exit(BAD_INPUT)


def _is_cut(ranked: Any) -> bool:
    """Whether not all of a candidate, or of its question, was looked at."""
    if ranked.alignment is None:
        return False
    is_passage_cut = ranked.sentence is not None and ranked.sentence.passage_truncated
    return is_passage_cut or bool(truncated_sides(ranked.alignment))


def _query(name: str, question: str, lines: Iterable[tuple[int, str]], is_tokenized: bool) -> Query:
    candidates = tuple(
        sentence_like(text, "candidate", is_tokenized=is_tokenized) for _, text in lines if text
    )
    if not candidates:
        raise FormatError("no candidates; give one per line", path=name)
    return Query("1", sentence_like(question, "question", is_tokenized=is_tokenized), candidates)


def _queries(name: str, lines: Iterable[tuple[int, str]], is_tokenized: bool) -> Iterator[Query]:
    for line, text in lines:
        if not text.strip():
            continue
        try:
            value = json.loads(text)
            if not isinstance(value, dict) or not isinstance(value.get("candidates"), list):
                raise InputError('wanted an object with "question" and "candidates"')
            yield Query(
                str(value.get("id", line)),
                sentence_like(value.get("question"), "question", is_tokenized=is_tokenized),
                tuple(
                    sentence_like(each, "candidates", is_tokenized=is_tokenized)
                    for each in value["candidates"]
                ),
            )
        except (ValueError, RecursionError) as error:  # an InputError is a ValueError, too
            why = str(error) if isinstance(error, InputError) else json_error(error)
            raise FormatError(why, path=name, line=line) from error


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
        click.echo(f"# {query.id}\t{_text(query.question)}")
    for each in ranking:
        score = "-" if each.judgement is None else f"{each.judgement.score:.4f}"
        text = _text(query.candidates[each.index])
        if with_sentences:
            number = each.sentence.index + 1 if each.sentence else "-"
            text = f"{number}\t{each.alignment.source.text if each.alignment else text}"
        click.echo(f"{score}\t{each.index + 1}\t{text}")
        for piece in each.judgement.evidence if each.judgement else ():
            if abs(added := piece.value * piece.weight) >= WORTH_SHOWING:
                click.echo(f"\t{added:+.2f}\t{piece.name} {piece.value:.2f}")


def _text(sentence: SentenceLike) -> str:
    if isinstance(sentence, str):
        return sentence
    return sentence.text if isinstance(sentence, Sentence) else " ".join(sentence)
