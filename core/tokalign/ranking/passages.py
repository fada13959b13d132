"""Candidates as texts: sentences of passages, shortlists, spans to highlight.

A shortlist holds the candidates with the largest overlap with a query, without annotating any::

    idf(stem)  = log(1 + (n - n_with + 0.5) / (n_with + 0.5)),  of n candidates
    overlap    = sum of the idf of the query's stems that the candidate holds
    lacking    = min(1, n / 30) * sum of the idf of those that only others hold

Function words and question words do not count. Words are runs of letters and digits.

A word of a candidate matches the question if it is linked with a word of it and both are content
words. Matching words with only function words or punctuation between them form one span.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import islice
from statistics import fmean
from typing import Self

from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.english.lexicon.word_lists import WH_WORDS, function_words
from tokalign.english.questions import ends_as_question
from tokalign.english.reading.text_reading import words_of
from tokalign.english.spelling.same_spelling import stem
from tokalign.errors import InputError
from tokalign.types import Alignment
from tokalign.types.options import OffsetUnit
from tokalign.types.ranking import Highlight, PassageSentence
from tokalign.types.sentence import place


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and the offsets of its sentences.

    `spans`: half-open code point offsets of the sentences, at least one. `numbers`: their positions
    among all sentences of the text, rising. `n_sentences`: how many the text has; where reading
    stopped, one more than were read.

    Examples
    --------
    >>> passage = Passage.split("It rains. It pours. It stops.").kept([1])
    >>> list(passage.sentences()), passage.n_left_out
    (['It pours.'], 2)
    """

    text: str
    spans: Sequence[tuple[int, int]]
    numbers: Sequence[int]
    n_sentences: int

    @classmethod
    def split(cls, text: str, most: int | None = None) -> Self:
        """Return a text with its sentences, at most `most` of them.

        Splitting stops after one sentence too many.

        InputError is raised if the text has no sentence. Its field is ``"passage"``.
        """
        spans = list(islice(Sentences(text), None if most is None else most + 1))
        if not spans:
            raise InputError(
                "the passage has no sentence; give text with at least one word", field="passage"
            )
        return cls(text, spans[:most], range(len(spans[:most])), len(spans))

    def kept(self, numbers: Sequence[int]) -> Self:
        """Return the passage with some of its sentences, by rising position, alone."""
        return replace(self, spans=[self.spans[k] for k in numbers], numbers=numbers)

    @property
    def n_left_out(self) -> int:
        """How many sentences of the text are not among `spans`."""
        return self.n_sentences - len(self.spans)

    def sentences(self) -> Iterator[str]:
        for start, end in self.spans:
            yield self.text[start:end]

    def sentence(self, index: int, unit: OffsetUnit) -> PassageSentence:
        """Return a sentence's place, in a unit of offsets."""
        start, end = self.spans[index]
        return PassageSentence(
            index=self.numbers[index],
            n_sentences=self.n_sentences,
            start=place(self.text, start, unit),
            end=place(self.text, end, unit),
            passage_truncated=self.n_left_out > 0,
        )

    def fault(self, index: int, message: str) -> str:
        """Return a message about a sentence with its number and code points."""
        start, end = self.spans[index]
        number = self.numbers[index]
        return f"sentence {number} of the passage, code points {start} to {end}: {message}"


def decides(score: float | None, best: float | None) -> bool:
    """Return whether a later sentence replaces an earlier one as the best of its passage.

    The first sentence that failed wins, else the highest score; ties go to the first.

    `score`, `best`: of the later and of the earlier sentence; None where it failed.
    """
    return best is not None and (score is None or score > best)


_COURTESY = re.compile(
    r"(?:hello|hi|hey|dear|greetings|good (?:morning|afternoon|evening)|thanks|thank you|please)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"(?:I|I'm|I\u2019m|we|any help|cheers)\b", re.IGNORECASE)
"""Begins what is said of oneself behind a question: "I need this for school."."""
_LONGEST_COURTESY = 8
_WORD = re.compile(r"\w+")
_stem = lru_cache(1 << 16)(stem)


def shortlist(query: str, candidates: Sequence[str], n: int) -> list[int]:
    """Return the candidates with the largest overlap with a query.

    `n`: most candidates to return, at least 1.

    The result has rising indices of candidates. Ties go to the first.

    Time and memory are linear in the length of the candidates.

    Examples
    --------
    >>> shortlist("Who bakes bread?", ["It rains.", "A baker bakes.", "He sells bread."], 2)
    [1, 2]
    """
    if len(candidates) <= n:
        return list(range(len(candidates)))
    gains = overlaps(query, candidates)
    return sorted(sorted(range(len(candidates)), key=lambda k: -gains[k])[:n])


def overlaps(query: str, candidates: Iterable[str]) -> list[float]:
    """Return the overlap of each candidate with a query, 0 or more."""
    asked = _asked(query)
    held, idf = _held(asked.intersection(map(_stem, _words(text))) for text in candidates)
    found = {own: math.fsum(idf[each] for each in own) for own in set(held)}
    return [found[own] for own in held]


ENOUGH_CANDIDATES = 30
"""Of fewer, idf says less: so chosen that lists of four rank as without it."""
_MOST_READ = 50_000
"""Characters of a passage in which words of a question are looked for."""


def lacking(question: str, passages: Sequence[str | None]) -> list[float]:
    """Return what each passage lacks of a question and another one holds, 0 or more.

    Candidates that are no passages are None, and lack nothing. Passages are read as they were
    sent, up to 50,000 characters of each.
    """
    asked = _asked(question)
    if not asked:
        return [0.0] * len(passages)
    # No stem begins with another letter than its word.
    find = re.compile(rf"(?<![^\W_])[{''.join({each[0] for each in asked})}][^\W_]*").findall
    held, idf = _held(
        asked.intersection(map(_stem, set(find(text[:_MOST_READ].lower()))))
        for text in passages
        if text is not None
    )
    trust = min(len(held) / ENOUGH_CANDIDATES, 1.0)
    found = {own: trust * math.fsum(idf[each] for each in idf.keys() - own) for own in set(held)}
    each_held = iter(held)
    return [0.0 if each is None else found[next(each_held)] for each in passages]


def _asked(query: str) -> frozenset[str]:
    unasked = _others()
    return frozenset(_stem(word) for word in _words(query) if word not in unasked)


def _held(stems: Iterable[frozenset[str]]) -> tuple[list[frozenset[str]], dict[str, float]]:
    """Return the stems that each candidate holds, and the idf of each that one does."""
    once: dict[frozenset[str], frozenset[str]] = {}
    held = [once.setdefault(own, own) for own in stems]
    n_with: Counter[str] = Counter()
    for own, count in Counter(held).items():
        n_with.update(dict.fromkeys(own, count))
    return held, {
        each: math.log(1 + (len(held) - count + 0.5) / (count + 0.5))
        for each, count in n_with.items()
    }


def _words(text: str) -> list[str]:
    return _WORD.findall(words_of(text).lower())


def repetition(candidate: Sequence[str], question: Sequence[str]) -> float:
    """Return Dice's coefficient of the stems of both sides' content words, in [0, 1]."""
    own, asked = (set(map(_content_stem, tokens)) - {""} for tokens in (candidate, question))
    return 2 * len(own & asked) / max(len(own) + len(asked), 1)


@lru_cache(1 << 16)
def _content_stem(token: str) -> str:
    return stem(token.lower()) if _is_content(token) else ""


MOST_BETWEEN = 2
"""Most function words and punctuation between two matching words of a span."""


def highlights_of(alignment: Alignment, start: int = 0) -> list[Highlight]:
    """Return the spans of a candidate (source) that match the question (target).

    `alignment`: with both sentences. `start`: offset of the sentence in the candidate, in the unit
    of the sentence's offsets.

    They are in order, without overlaps.
    """
    source, target = alignment.source, alignment.target
    confidences: dict[int, float] = {}
    for link in alignment.links:
        if _is_content(source.tokens[link.source]) and _is_content(target.tokens[link.target]):
            best = confidences.get(link.source, 0.0)
            confidences[link.source] = max(best, link.confidence)
    return [
        Highlight(
            start + source.starts[run[0]],
            start + source.ends[run[-1]],
            fmean(confidences[i] for i in run),
        )
        for run in _runs(sorted(confidences), source.tokens)
    ]


def _runs(matching: Iterable[int], tokens: Sequence[str]) -> list[list[int]]:
    """Return the matching words, span by span."""
    runs: list[list[int]] = []
    for i in matching:
        if runs and _are_joined(runs[-1][-1], i, tokens):
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _are_joined(first: int, last: int, tokens: Sequence[str]) -> bool:
    between = tokens[first + 1 : last]
    return len(between) <= MOST_BETWEEN and not any(map(_is_content, between))


def _is_content(token: str) -> bool:
    return any(map(str.isalnum, token)) and token.lower() not in _others()


@cache
def _others() -> frozenset[str]:
    return WH_WORDS.union(function_words())


def asked_part(text: str) -> str:
    """Return a query without greetings before its questions, and asides behind them.

    One that asks nothing is returned as it is.

    Examples
    --------
    >>> asked_part("Hello! The mill is old. Who built it? Thank you for your help.")
    'The mill is old. Who built it?'
    """
    sentences = [text[start:end] for start, end in Sentences(text)]
    asking = [k for k, each in enumerate(sentences) if ends_as_question(each)]
    if len(sentences) < 2 or not asking:
        return text
    return " ".join(
        [
            each
            for k, each in enumerate(sentences)
            if k in asking or not (_is_courtesy(each) or (k > asking[-1] and _ASIDE.match(each)))
        ]
    )


def _is_courtesy(sentence: str) -> bool:
    is_short = len(sentence.split()) <= _LONGEST_COURTESY
    return is_short and _COURTESY.match(sentence) is not None
