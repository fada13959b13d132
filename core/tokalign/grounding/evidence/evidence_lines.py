"""Evidence for an answer in a terminal: words in colour or in brackets."""

import re
from collections.abc import Iterator

from tokalign.grounding.evidence.cited_sources import (
    CHECKED,
    CONFLICT,
    PLAIN,
    UNSUPPORTED,
    CitedSource,
    conflicts_of,
    source_of,
    sources_of,
    uncovered,
)
from tokalign.showing.painting import Marking, TerminalPainter
from tokalign.showing.text import one_line, visible, wrapped
from tokalign.types.grounding import GroundedSentence, GroundedWord, Grounding

_NUMBER = "36"
_FAINT = "2"
_INDENT = "    "
_MOST_EVIDENCE = 5
"""Contributions shown per word."""


def terminal_lines(
    grounding: Grounding, *, is_coloured: bool = False, width: int | None = None
) -> Iterator[str]:
    """Yield the lines of an answer with its evidence for a terminal.

    First comes the answer, with the numbers of cited sentences after each of its sentences; then
    conflicts, cited sentences, and explanations of unsupported words, if any.

    `grounding`: with offsets that count code points. `is_coloured`: whether colours mark the words;
    otherwise ``[?unsupported?]`` and ``{!in conflict!}`` do. `width`: columns to wrap lines at; by
    default, lines are not wrapped.
    """
    for indent, line in _Lines(grounding, is_coloured).lines():
        if width is None:
            yield indent + line
            continue
        for part in wrapped(line, max(width, 20) - len(indent)):
            yield indent + part


class _Lines:
    """Writes an answer and its cited sentences with colours or brackets."""

    def __init__(self, grounding: Grounding, is_coloured: bool) -> None:
        self._grounding = grounding
        self._painter = TerminalPainter(is_coloured=is_coloured)
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
            layers = [
                Marking(UNSUPPORTED, [(each.start, each.end) for each in sentence.unsupported]),
                Marking(CONFLICT, [(each.start, each.end) for each in sentence.conflicts]),
            ]
            span = sentence.start, sentence.end
            yield self._painter.nested(self._grounding.answer, span, layers)
            yield self._numbers(sentence)

    def _numbers(self, sentence: GroundedSentence) -> str:
        if sentence.error is not None:
            return " " + self._painter.coloured(
                f"[no evidence: {visible(str(sentence.error))}]", _NUMBER
            )
        numbers = {True: "", False: ""}
        for each in sentence.citations:
            numbers[each.says_also] += f"[{self._sources[each.passage, each.start].number}]"
        also = numbers[True] and f" (also {numbers[True]})"
        text = numbers[False] + also
        return text and " " + self._painter.coloured(text, _NUMBER)

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
            kind = self._painter.coloured(f"{PLAIN[each.kind]:<15}", "1")
            number = self._painter.coloured(f"[{source.number}]", _NUMBER)
            yield "  ", f"{kind} {_quoted(here)} in the answer, {_quoted(there)} in {number}"

    def _source(self, source: CitedSource) -> Iterator[tuple[str, str]]:
        conflicts = [
            (each.passage_start, each.passage_end)
            for each in conflicts_of(self._grounding)
            if source_of(self._sources, each) is source
        ]
        number = self._painter.coloured(f"[{source.number}]", _NUMBER)
        covers = ", ".join(f"{citation.cover:.2f}" for _, citation in source.cited)
        where = f"{visible(one_line(source.passage.id))}, line {source.line}"
        yield "", f"{number} {where}, cover {covers}"
        span, layers = (source.start, source.end), [Marking(CONFLICT, conflicts)]
        text = self._painter.nested(source.passage.text, span, layers)
        yield _INDENT, re.sub(r"\s+", " ", text)

    def _evidence(self) -> Iterator[tuple[str, str]]:
        for sentence in self._grounding.sentences:
            for word in sentence.words:
                if word.evidence and _is_unsupported(word, sentence):
                    yield from self._explained(word)

    def _explained(self, word: GroundedWord) -> Iterator[tuple[str, str]]:
        text = visible(self._grounding.answer[word.start : word.end])
        marked = self._painter.coloured(text, UNSUPPORTED.colour)
        yield "", ""
        yield "", f"{marked} {word.kind}, {word.support:.2f}"
        for piece in word.evidence[:_MOST_EVIDENCE]:
            said = f"{piece.value * piece.weight:+.2f} {piece.name} {piece.value:.2f}"
            yield _INDENT, self._painter.coloured(said, _FAINT)


def _is_unsupported(word: GroundedWord, sentence: GroundedSentence) -> bool:
    return word.kind in CHECKED and any(
        each.start <= word.start and word.end <= each.end for each in sentence.unsupported
    )


def _quoted(text: str) -> str:
    return f'"{visible(one_line(text))}"'
