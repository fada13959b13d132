"""``tokalign rank``: the sentences that answer a question best."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import click

from tokalign.batches.outcomes import unwrap
from tokalign.cli.flags import INPUT, OUTPUT, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import BadLines, LineFlags, bad_object, format_flag, outcomes_of
from tokalign.cli.lines.pair_lines import id_of
from tokalign.cli.lines.sources import file_argument
from tokalign.cli.shared_flags import (
    BAD_INPUT,
    TOKENIZED,
    Endpoint,
    ModelFlags,
    PairFlags,
    is_input_fault,
    one_of,
    task_of,
)
from tokalign.errors import FormatError, InputError, ServerError, quoted
from tokalign.formats import decode_lines
from tokalign.formats.document import one_line
from tokalign.types import SentenceLike
from tokalign.types.inputs import check_priors, read_object, text_of
from tokalign.types.objects import sentence_like, truncated_sides
from tokalign.types.options import RankBy
from tokalign.types.ranking import RankedFields


@dataclass(frozen=True, slots=True)
class Query:
    """A question and its candidates, with the caller's own scores of them if any.

    The number of a candidate is that of its line, or its place from 1 in a JSON list.
    """

    id: str
    question: SentenceLike
    candidates: tuple[SentenceLike, ...]
    numbers: tuple[int, ...]
    priors: tuple[float | None, ...] | None = None


@flagged
class RankFlags(LineFlags):
    """Input, options and output of ranking."""

    section: ClassVar[str] = "Ranking"
    tokenized: bool = flag(**TOKENIZED)
    passages: bool = flag(
        "Each candidate is a text of several sentences; the best one counts.",
        default=False,
        under=INPUT,
    )
    by: str = flag(
        "What to rank by. auto: answer if QUESTION is a question, else score.",
        type=one_of(RankBy),
        default=RankBy.AUTO.value,
    )
    top_k: int = flag("How many to print; 0 prints all.", type=click.IntRange(0), default=0)
    priors: bool = flag(
        "Each line is a score of yours, a tab and a candidate; the scores are weighed with the "
        'rest. JSON objects have "priors".',
        default=False,
        under=INPUT,
    )
    shortlist: int = flag(
        "How many to look at: those that share the rarest words with QUESTION; 0 looks at all.",
        type=click.IntRange(0),
        default=0,
    )
    format: str = format_flag(
        "What to write. text: score, line and sentence. jsonl: a JSON object per question.",
        ["text", "jsonl"],
        "text",
    )
    highlights: bool = flag(
        "Show what of each candidate matches the question: as text between **, in jsonl as "
        '"highlights".',
        default=False,
        under=OUTPUT,
    )
    explain: bool = flag("Print the evidence for each candidate.", default=False, under=OUTPUT)

    def __post_init__(self) -> None:
        if self.passages and self.tokenized:
            raise click.UsageError("--passages are split into sentences: give no --tokenized")

    def queries(self, question: str | None) -> Iterable[tuple[int, Query | InputError]]:
        """Yield each query, or the error of its line, with the number of the line."""
        if question is None:
            read = partial(_query_from_json, is_tokenized=self.tokenized)
            return outcomes_of(self.limited(self.input), read)
        return [(1, self._query(question))]

    def _query(self, question: str) -> Query:
        """Return the query of a question and the lines of the input; blank lines are skipped.

        FormatError if no line has text, one is not UTF-8, or one lacks its prior; InputError if the
        question is empty.
        """
        name = self.input.name
        decoded = decode_lines(name, self.input)
        lines = list(self.limited((line, text) for line, text in decoded if text.strip()))
        if not lines:
            raise FormatError("no candidates; give one per line", path=name)
        priors = None
        if self.priors:
            rows = [(line, *_prior(name, line, text)) for line, text in lines]
            lines = [(line, text) for line, _, text in rows]
            priors = tuple(prior for _, prior, _ in rows)
        return Query(
            "1",
            sentence_like(question, "question", is_tokenized=self.tokenized),
            tuple(_candidate(text, self.tokenized) for _, text in lines),
            tuple(line for line, _ in lines),
            priors,
        )


@dataclass(slots=True)
class _Faults:
    """How many candidates were bad or cut, lines were bad, and sentences a server did not look
    at."""

    lines: BadLines
    bad: int = 0
    cut: int = 0
    bad_lines: int = 0
    left_out: int = 0

    def note(self, line: int, query: Query, ranking: Sequence[Any], *, is_line: bool) -> None:
        """Note the bad candidates of a query; each may be a line, or all may be of one line."""
        self.cut += sum(map(_is_cut, ranking))
        self.left_out += getattr(ranking, "n_sentences_left_out", 0)
        for each in ranking:
            if each.error is None:
                continue
            self.bad += 1
            number = query.numbers[each.index]
            where = f"line {number}" if is_line else f"line {line}, candidate {number}"
            name = str(number) if is_line else f"{query.id}:{number}"
            self.lines.note(where, name, number if is_line else line, str(each.error))

    def report(self) -> None:
        """Report all faults; exit with BAD_INPUT if there were any bad lines or candidates."""
        if self.cut:
            click.echo(f"{self.cut} candidates, or their questions, were cut", err=True)
        if self.left_out:
            click.echo(f"{self.left_out} sentences of passages were not looked at", err=True)
        if self.bad:
            click.echo(f"{self.bad} candidates could not be aligned", err=True)
        if self.bad_lines:
            click.echo(f"{self.bad_lines} lines bad", err=True)
        if self.bad or self.bad_lines:
            raise click.exceptions.Exit(BAD_INPUT)


@click.command("rank", cls=SectionedCommand)
@click.argument("question", required=False)
@file_argument
@takes(flags=RankFlags, options=PairFlags, model=ModelFlags, server=Endpoint)
def command(
    question: str | None, flags: RankFlags, options: PairFlags, model: ModelFlags, server: Endpoint
) -> None:
    """Rank candidate sentences, one on each line of FILE, by how likely they answer QUESTION.

    \b
    Example:
      tokalign rank "Who founded the bakery?" candidates.txt

    Prints score, line number and sentence, the best first. If QUESTION is not a question, the
    score says how well a candidate aligns with it. Without QUESTION, every line of input is a JSON
    object with "question" and "candidates".

    Candidates that cannot be aligned come last, with the score "-". A line that is no such object
    is reported on stderr; in jsonl, an object with "error" stands for it. The exit code is then 3.

    With --passages every candidate is split into sentences. The best one is printed, after its
    number in the passage. With --priors every line begins with a score of your own, such as BM25's.
    """
    with ExitStack() as stack:
        faults = _Faults(stack.enter_context(flags.bad_lines()))
        ranker = task_of("rank", stack, model, server)
        sink = stack.enter_context(flags.open())
        for line, query in flags.queries(question):
            try:
                query = unwrap(query)
                ranking = ranker(
                    query.question,
                    query.candidates,
                    options.options(),
                    by=flags.by,
                    top_k=flags.top_k,
                    passages=flags.passages,
                    priors=query.priors,
                    shortlist=flags.shortlist,
                    highlights=flags.highlights,
                    explain=flags.explain,
                )
            except (InputError, ServerError) as error:
                if question is not None or not is_input_fault(error):
                    raise
                faults.bad_lines += 1
                faults.lines.note(f"line {line}", str(line), line, str(error))
                if flags.format == "jsonl":
                    sink.write(bad_object(str(line), line, str(error)) + "\n")
                continue
            faults.note(line, query, ranking, is_line=question is not None)
            if flags.format == "jsonl":
                sink.write(_json_line(query, ranking))
            else:
                if question is None:
                    sink.write(f"# {one_line(query.id)}\t{one_line(text_of(query.question))}\n")
                sink.write("".join(_text_lines(query, ranking, has_sentences=flags.passages)))
            sink.flush()  # a program that asks through a pipe waits for the answer
    faults.report()


def _is_cut(ranked: Any) -> bool:
    """Whether a candidate or its question was truncated."""
    if ranked.alignment is None:
        return False
    is_passage_cut = ranked.sentence is not None and ranked.sentence.passage_truncated
    return is_passage_cut or bool(truncated_sides(ranked.alignment))


def _prior(name: str, line: int, text: str) -> tuple[float, str]:
    """Return the prior and the candidate of a line, or raise FormatError."""
    prior, tab, candidate = text.partition("\t")
    try:
        number = float(prior)
    except ValueError:
        number = math.nan
    if not tab or not math.isfinite(number):
        raise FormatError(
            f"saw {quoted(text)}; wanted a number, a tab and a candidate", path=name, line=line
        )
    return number, candidate


def _query_from_json(line: int, text: str, *, is_tokenized: bool) -> Query:
    value = read_object(text)
    if not isinstance(value.get("candidates"), list):
        raise FormatError('wanted an object with "question" and "candidates"')
    candidates = value["candidates"]
    return Query(
        id_of(value, line),
        sentence_like(value.get("question"), "question", is_tokenized=is_tokenized),
        tuple(_candidate(each, is_tokenized) for each in candidates),
        tuple(range(1, len(candidates) + 1)),
        _priors_from_json(value.get("priors"), len(candidates)),
    )


def _priors_from_json(value: object, n_candidates: int) -> tuple[float | None, ...] | None:
    if value is not None and not isinstance(value, list):
        raise FormatError('"priors" is no list; wanted a number or null for each candidate')
    priors = check_priors(value, n_candidates)
    return None if priors is None else tuple(priors)


def _candidate(value: object, is_tokenized: bool) -> SentenceLike:
    """Return a candidate of JSON; an empty one is ranked too, last."""
    if isinstance(value, str) and not value.strip():
        return value
    return sentence_like(value, "candidates", is_tokenized=is_tokenized)


def _json_line(query: Query, ranking: Sequence[RankedFields]) -> str:
    rows = [each.to_dict() for each in ranking]
    value = {"id": query.id, "question": text_of(query.question), "ranking": rows}
    return json.dumps(value, ensure_ascii=False) + "\n"


def _text_lines(
    query: Query, ranking: Sequence[RankedFields], *, has_sentences: bool
) -> Iterator[str]:
    for each in ranking:
        numbers: list[object] = [query.numbers[each.index]]
        if has_sentences:
            numbers.append(each.sentence.index + 1 if each.sentence else "-")
        yield from (f"{line}\n" for line in each.lines(numbers=numbers))
