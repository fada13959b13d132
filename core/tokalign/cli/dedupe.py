"""``tokalign dedupe``: near-duplicates among the lines of a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import click

from tokalign.cli.flags import OUTPUT, RUN, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import LineFlags, format_flag
from tokalign.cli.lines.sources import file_argument
from tokalign.cli.shared_flags import AT_LEAST_1, CutFlags, LocalModelFlags
from tokalign.errors import InputError
from tokalign.formats import decode_lines
from tokalign.formats.document import one_line
from tokalign.types.display import DIGITS

if TYPE_CHECKING:
    from tokalign.comparison.near_duplicates import Duplicates

SHARE = click.FloatRange(0, 1)
PAIRS, GROUPS, LINES = "pairs", "groups", "lines"


@flagged
class DedupeFlags(LineFlags):
    """Sentences to read, and how near-duplicates are found and written."""

    section: ClassVar[str] = "Duplicates"
    write: str = flag(
        "What to write. pairs: similarity, both line numbers and sentences. groups: the line "
        "numbers of each group that pairs link. lines: the input without all but the first line "
        "of each group.",
        type=click.Choice([PAIRS, GROUPS, LINES]),
        default=PAIRS,
        under=OUTPUT,
    )
    threshold: float = flag("Least similarity of a pair.", type=SHARE, default=0.75)
    overlap: float = flag(
        "Least overlap of the lemmas of lines that are compared; less finds more, and is slower.",
        type=SHARE,
        default=0.3,
    )
    jobs: int = flag("Processes that align.", "-j", type=AT_LEAST_1, default=1, under=RUN)
    format: str = format_flag(
        "How to write pairs and groups: text, or a JSON object for each.", ["text", "jsonl"], "text"
    )


@click.command("dedupe", cls=SectionedCommand)
@file_argument
@takes(flags=DedupeFlags, options=CutFlags, model=LocalModelFlags)
def command(flags: DedupeFlags, options: CutFlags, model: LocalModelFlags) -> None:
    """Find near-duplicates among the lines of a file, a sentence each.

    Lines are compared where their lemmas overlap, so a pair without common words is not found.
    Equal lines are each paired with the first of them, with similarity 1. All lines are read before
    the first pair is written; a line that cannot be aligned is reported, and only its equals are
    found. Needs the extra `dedupe`.
    """
    with flags.bad_lines() as bad:

        def report(number: int, error: InputError) -> None:
            line = number + 1
            bad.note(f"line {line}", str(line), line, str(error))

        read = decode_lines(flags.input.name, flags.input)
        lines = [text for _, text in flags.limited(read)]
        found = model.load().near_duplicates(
            lines,
            options.options(),
            threshold=flags.threshold,
            overlap=flags.overlap,
            on_bad=report,
            n_process=flags.jobs,
        )
        with flags.open() as sink:
            for line in _written(flags, lines, found):
                sink.write(line + "\n")
    bad.end(f"of {len(lines)} lines bad")


def _written(
    flags: DedupeFlags, lines: Sequence[str], found: Iterable[Duplicates]
) -> Iterator[str]:
    """Yield the output of the pairs, as the flags ask."""
    if flags.write == PAIRS:
        yield from (_pair(each, lines, is_json=flags.format == "jsonl") for each in found)
        return
    from tokalign.comparison.near_duplicates import groups_of

    groups = groups_of((each.first, each.second) for each in found)
    if flags.write == GROUPS:
        yield from (_group(group, lines, is_json=flags.format == "jsonl") for group in groups)
        return
    left_out = {number for group in groups for number in group[1:]}
    yield from (line for number, line in enumerate(lines) if number not in left_out)


def _pair(pair: Duplicates, lines: Sequence[str], *, is_json: bool) -> str:
    both = pair.first, pair.second
    if is_json:
        value = {
            "similarity": round(pair.similarity, DIGITS),
            "lines": [number + 1 for number in both],
            "texts": [lines[number] for number in both],
        }
        return json.dumps(value, ensure_ascii=False)
    numbers = (str(number + 1) for number in both)
    texts = (one_line(lines[number]) for number in both)
    return "\t".join([f"{pair.similarity:.4f}", *numbers, *texts])


def _group(group: Sequence[int], lines: Sequence[str], *, is_json: bool) -> str:
    if is_json:
        value = {"lines": [k + 1 for k in group], "texts": [lines[k] for k in group]}
        return json.dumps(value, ensure_ascii=False)
    return "\t".join(str(number + 1) for number in group)
