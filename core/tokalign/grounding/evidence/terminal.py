"""Evidence for an answer in a terminal: words in colour, or in brackets where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tokalign.grounding.evidence.reading import (
    CHECKED,
    PLAIN,
    CitedSource,
    Marking,
    conflicts_of,
    pieces,
    source_of,
    sources_of,
    uncovered,
)
from tokalign.showing.text import coloured, one_line, visible, with_edges, wrapped
from tokalign.types.grounding import GroundedSentence, GroundedWord, Grounding

_UNSUPPORTED, _CONFLICT = ("[?", "?]"), ("{!", "!}")
_COLOURS = {(True, False): "31;4", (False, True): "35;1", (True, True): "31;4;1"}
"""Of what is unsupported and in conflict: red and underlined, magenta and bold, or all but the
magenta: told apart without colours, too."""
_NUMBER = "36"
_FAINT = "2"
_INDENT = "    "
_MOST_EVIDENCE = 5
"""Contributions that are shown of a word."""


def terminal_lines(
    grounding: Grounding, *, is_coloured: bool = False, width: int | None = None
) -> Iterator[str]:
    """Yield the lines of an answer with its evidence for a terminal.

    First comes the answer, with the numbers of the cited sentences after each of its own; then
    conflicts, the cited sentences, and what explains the support of unsupported words, as far as
    there are any.

    Parameters
    ----------
    grounding : Grounding
        With offsets that count code points.
    is_coloured : bool
        Whether colours mark the words; if not, ``[?unsupported?]`` and ``{!in conflict!}`` do.
    width : int, optional
        Columns that lines are broken to fit in; by default, lines stay whole.
    """
    painter = _Painter(grounding, is_coloured)
    for indent, line in painter.lines():
        if width is None:
            yield indent + line
            continue
        for part in wrapped(line, max(width, 20) - len(indent)):
            yield indent + part


class _Painter:
    """Writes an answer and what it cites with colours or brackets."""

    def __init__(self, grounding: Grounding, is_coloured: bool) -> None:
        self._grounding = grounding
        self._is_coloured = is_coloured
        self._sources = sources_of(grounding)

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield each line after its indent."""
        answer = "".join(self._answer()).strip("\n")
        yield from (("", line) for line in answer.split("\n"))
        yield from self._conflicts()
        if self._sources:
            yield "", ""
        for source in self._sources.values():
            yield from self._source(source)
        yield from self._evidence()

    def _answer(self) -> Iterator[str]:
        for text, sentence in uncovered(self._grounding):
            if sentence is None:
                yield visible(text)
                continue
            unsupported = [(each.start, each.end) for each in sentence.unsupported]
            conflicts = [(each.start, each.end) for each in sentence.conflicts]
            yield self._marked(
                self._grounding.answer, sentence.start, sentence.end, [unsupported, conflicts]
            )
            yield self._numbers(sentence)

    def _numbers(self, sentence: GroundedSentence) -> str:
        if sentence.error is not None:
            return " " + self._coloured(f"[no evidence: {visible(str(sentence.error))}]", _NUMBER)
        numbers = [self._sources[each.passage, each.start].number for each in sentence.citations]
        text = "".join(f"[{number}]" for number in numbers)
        return text and " " + self._coloured(text, _NUMBER)

    def _conflicts(self) -> Iterator[tuple[str, str]]:
        conflicts = conflicts_of(self._grounding)
        if not conflicts:
            return
        yield "", ""
        yield "", "Conflicts:"
        for each in conflicts:
            source = source_of(self._sources, each)
            here = self._grounding.answer[each.start : each.end]
            there = source.passage.text[each.passage_start : each.passage_end]
            kind = self._coloured(f"{PLAIN[each.kind]:<15}", "1")
            number = self._coloured(f"[{source.number}]", _NUMBER)
            yield (
                "  ",
                f"{kind} {_quoted(here)} in the answer, {_quoted(there)} in {number}",
            )

    def _source(self, source: CitedSource) -> Iterator[tuple[str, str]]:
        conflicts = [
            (each.passage_start, each.passage_end)
            for each in conflicts_of(self._grounding)
            if source_of(self._sources, each) is source
        ]
        number = self._coloured(f"[{source.number}]", _NUMBER)
        covers = ", ".join(f"{citation.cover:.2f}" for _, citation in source.cited)
        where = f"{visible(one_line(source.passage.id))}, line {source.line}"
        yield "", f"{number} {where}, cover {covers}"
        text = self._marked(source.passage.text, source.start, source.end, [[], conflicts])
        yield _INDENT, re.sub(r"\s+", " ", text)

    def _evidence(self) -> Iterator[tuple[str, str]]:
        for sentence in self._grounding.sentences:
            for word in sentence.words:
                if word.evidence and _is_unsupported(word, sentence):
                    yield from self._explained(word)

    def _explained(self, word: GroundedWord) -> Iterator[tuple[str, str]]:
        text = visible(self._grounding.answer[word.start : word.end])
        yield "", ""
        yield "", f"{self._coloured(text, _COLOURS[True, False])} {word.kind}, {word.support:.2f}"
        for piece in word.evidence[:_MOST_EVIDENCE]:
            added = piece.value * piece.weight
            yield _INDENT, self._coloured(f"{added:+.2f} {piece.name} {piece.value:.2f}", _FAINT)

    def _marked(self, text: str, start: int, end: int, layers: Sequence[Marking]) -> str:
        """Return a part of a text with what is unsupported and in conflict marked."""
        found = [
            (text[first:last], bool(unsupported), bool(conflicts))
            for first, last, (unsupported, conflicts) in pieces(start, end, layers)
        ]
        if self._is_coloured:
            return "".join(
                self._painted(part, _COLOURS.get((is_unsupported, is_conflict), ""))
                for part, is_unsupported, is_conflict in found
            )
        written = ""
        was = (False, False)
        for part, *marks in [*found, ("", False, False)]:
            written += _turned(was, (marks[0], marks[1])) + visible(part)
            was = (marks[0], marks[1])
        return written

    def _painted(self, text: str, colour: str) -> str:
        before, core, after = (visible(part) for part in with_edges(text))
        return f"{before}{coloured(core, colour) if colour else core}{after}"

    def _coloured(self, text: str, colour: str) -> str:
        return coloured(text, colour) if self._is_coloured else text


def _turned(was: tuple[bool, bool], now: tuple[bool, bool]) -> str:
    """Return the brackets between two pieces; those of conflicts stand inside the others."""
    is_outer_changed = was[0] != now[0]
    written = ""
    if was[1] and (is_outer_changed or not now[1]):
        written += _CONFLICT[1]
    if is_outer_changed:
        written += _UNSUPPORTED[0] if now[0] else _UNSUPPORTED[1]
    if now[1] and (is_outer_changed or not was[1]):
        written += _CONFLICT[0]
    return written


def _is_unsupported(word: GroundedWord, sentence: GroundedSentence) -> bool:
    return word.kind in CHECKED and any(
        each.start <= word.start and word.end <= each.end for each in sentence.unsupported
    )


def _quoted(text: str) -> str:
    return f'"{visible(one_line(text))}"'
