"""Offsets of evidence in the unit that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tokalign.types.grounding import GroundedSentence, SourcePassage
from tokalign.types.offsets import positions
from tokalign.types.options import OffsetUnit

At = Callable[[int], int]


def in_unit(
    sentences: Iterable[GroundedSentence],
    answer: str,
    passages: Sequence[SourcePassage],
    unit: OffsetUnit,
) -> list[GroundedSentence]:
    """Return sentences, whose offsets count code points, with offsets that count a unit.

    Parameters
    ----------
    sentences : iterable of GroundedSentence
    answer : str
        At least up to the end of the last sentence.
    passages : sequence of SourcePassage
        That citations name.
    unit : OffsetUnit
    """
    if unit is OffsetUnit.CODE_POINTS:
        return list(sentences)
    at = positions(answer, unit).__getitem__
    places = _Places({each.id: each.text for each in passages}, unit)
    return [_sentence_in_unit(each, at, places) for each in sentences]


class _Places(dict[str, At]):
    """Id of a passage -> its positions, which are counted once it is cited."""

    def __init__(self, texts: Mapping[str, str], unit: OffsetUnit) -> None:
        self._texts = texts
        self._unit = unit

    def __missing__(self, passage: str) -> At:
        found = self[passage] = positions(self._texts[passage], self._unit).__getitem__
        return found


def _sentence_in_unit(
    sentence: GroundedSentence, at: At, places: Mapping[str, At]
) -> GroundedSentence:
    cited = [places[each.passage] for each in sentence.citations]
    return replace(
        sentence,
        start=at(sentence.start),
        end=at(sentence.end),
        words=tuple(
            replace(
                word,
                start=at(word.start),
                end=at(word.end),
                partners=()
                if word.citation is None
                else tuple(
                    (cited[word.citation](a), cited[word.citation](b)) for a, b in word.partners
                ),
            )
            for word in sentence.words
        ),
        citations=tuple(
            replace(
                each,
                start=place(each.start),
                end=place(each.end),
                links=tuple(
                    replace(link, start=place(link.start), end=place(link.end))
                    for link in each.links
                ),
            )
            for each, place in zip(sentence.citations, cited, strict=True)
        ),
        unsupported=tuple(
            replace(each, start=at(each.start), end=at(each.end)) for each in sentence.unsupported
        ),
        conflicts=tuple(
            replace(
                each,
                start=at(each.start),
                end=at(each.end),
                passage_start=places[each.passage](each.passage_start),
                passage_end=places[each.passage](each.passage_end),
            )
            for each in sentence.conflicts
        ),
    )
