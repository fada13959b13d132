"""Edits: exactly those that people marked between versions of sentences of papers (arXivEdits).

Prints a row for tokalign and each rival over the training and development pairs: precision, recall
and F1 of edits whose ranges of tokens are those of a marked one, the share of pairs whose edits are
all so, and processor seconds for all pairs. tokalign has not seen these pairs; its seconds are with
the alignment of the words.

Rivals get the same tokens, joined by spaces: Python's difflib, with and without case;
diff-match-patch, with words as its lines; redlines. The last two need

    pip install diff-match-patch redlines
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence

from tokalign import Aligner
from tokalign.edits.pair_edits import EditModel

from bench.program import add_data, cpu_s, print_row, some_of
from lab.recipes.edits import STYLE, edits_of, prepare
from lab.recipes.marked_edits import Marked, MarkedPair, read_marked, score_edits

PARTS = ("train", "dev")
Tokens = Sequence[str]
Range = tuple[int, int]


def _marked(ranges: Iterable[tuple[Range, Range]]) -> set[Marked]:
    """Return edits of ranges, of which one may be empty."""
    return {(a if a[0] < a[1] else None, b if b[0] < b[1] else None) for a, b in ranges}


def with_difflib(source: Tokens, target: Tokens) -> set[Marked]:
    """Return the edits of difflib.SequenceMatcher."""
    matcher = difflib.SequenceMatcher(None, source, target, autojunk=False)
    return _marked(
        ((i0, i1), (j0, j1)) for tag, i0, i1, j0, j1 in matcher.get_opcodes() if tag != "equal"
    )


def without_case(source: Tokens, target: Tokens) -> set[Marked]:
    """Return the edits of difflib over tokens in lower case."""
    return with_difflib(*([word.lower() for word in side] for side in (source, target)))


def with_diff_match_patch(source: Tokens, target: Tokens) -> set[Marked]:
    """Return the edits of diff-match-patch in which each word is a line."""
    from diff_match_patch import diff_match_patch

    differ = diff_match_patch()
    lines = ("\n".join(side) + "\n" for side in (source, target))
    before, after, words = differ.diff_linesToChars(*lines)
    pieces = differ.diff_main(before, after, False)
    differ.diff_charsToLines(pieces, words)
    return _marked(_changes((operation, text.count("\n")) for operation, text in pieces))


def _changes(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[Range, Range]]:
    """Yield the ranges between equal pieces, each of an operation and a number of tokens."""
    i0 = i1 = j0 = j1 = 0
    for operation, n_tokens in [*pieces, (0, 0)]:
        if operation:
            i1, j1 = i1 + n_tokens * (operation < 0), j1 + n_tokens * (operation > 0)
            continue
        if i0 < i1 or j0 < j1:
            yield (i0, i1), (j0, j1)
        i0 = i1 = i1 + n_tokens
        j0 = j1 = j1 + n_tokens


def with_redlines(source: Tokens, target: Tokens) -> set[Marked]:
    """Return the edits of redlines; its own words are joined to ours where they begin in them."""
    from redlines import Redlines
    from redlines.processor import tokenizer

    texts = " ".join(source), " ".join(target)
    places = [_places(text, tokenizer.finditer(text)) for text in texts]
    return _marked(
        (_range(places[0], i0, i1), _range(places[1], j0, j1))
        for tag, i0, i1, j0, j1 in Redlines(*texts).opcodes
        if tag != "equal"
    )


def _places(text: str, words: Iterable[object]) -> list[int]:
    """Return the token in which each word of redlines begins, and how many tokens there are."""
    starts = [word.start() for word in words]  # type: ignore[attr-defined]
    return [*(text.count(" ", 0, start) for start in starts), text.count(" ") + 1]


def _range(places: Sequence[int], start: int, end: int) -> Range:
    if start == end:
        return 0, 0
    return places[start], max(places[end], places[start] + 1)


RIVALS: dict[str, Callable[[Tokens, Tokens], set[Marked]]] = {
    "difflib": with_difflib,
    "difflib-lower": without_case,
    "diff-match-patch": with_diff_match_patch,
    "redlines": with_redlines,
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument(
        "--only", type=some_of(["tokalign", *RIVALS]), default=["tokalign", *RIVALS]
    )


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each system."""
    pairs = [pair for part in PARTS for pair in read_marked(arguments.data, part)]
    for name in arguments.only:
        if name == "tokalign":
            print_row({"system": name}, _of_tokalign(pairs))
            continue
        edits: list[set[Marked]] = []

        def work(system: Callable[[Tokens, Tokens], set[Marked]] = RIVALS[name]) -> None:
            edits.clear()  # noqa: B023 (called before the next round)
            edits.extend(system(pair.source, pair.target) for pair in pairs)  # noqa: B023

        work()
        seconds = cpu_s(work)
        print_row({"system": name}, score_edits(pairs, edits), {"seconds": seconds})


def _of_tokalign(pairs: Sequence[MarkedPair]) -> dict[str, float]:
    """Return the scores of the shipped table, and seconds."""
    scores = score_edits(pairs, edits_of(EditModel.open_shipped(), prepare(pairs)))
    aligner = Aligner.load("en")
    texts = [(pair.source, pair.target) for pair in pairs]

    def work() -> None:
        for _ in aligner.pipe(texts, style=STYLE, edits=True):
            pass

    work()
    return scores | {"seconds": cpu_s(work)}
