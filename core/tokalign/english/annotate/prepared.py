"""Sentences as a model needs them: with all columns, and within the limits of length.

A text that is too long for a pair can be cut into pieces.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard
from zlib import crc32

from tokalign.english.annotate.annotator import Annotator
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.english.lexicon.word_lists import function_word_set
from tokalign.errors import InputError
from tokalign.files.shipped import LISTS
from tokalign.types import Sentence, SentenceLike
from tokalign.types.sentence import (
    MAX_CHARACTERS,
    MAX_TOKENS,
    require_few_tokens,
    require_short,
    shortened,
)

_PARTICLES = {"der", "den", "el", "le", "les", "il", "da"}
"""Words that are no sign where they have a capital, as in El Niño. Others, "de" and "van", begin
names in lower case, too, and are missing above."""
_WORDS = LISTS.words("other-languages")
OTHER_WORDS = frozenset([*_WORDS, *map(str.capitalize, {*_WORDS} - _PARTICLES)])
"""Frequent words of other languages in the Latin script, no function words of English."""
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTERS = re.compile(r"[^\W\d_]")
_LEAST_WORDS, _LEAST_LETTERS = 2, 4
_LONGEST = 2000
"""Most characters that are looked at."""


def is_other_language(texts: Iterable[str]) -> bool:
    """Whether one of some texts, or all together, are in another language than English.

    That is so where at least four letters, and most, are not of the Latin script, or where at least
    two different words of OTHER_WORDS outnumber the different function words of English.

    Examples
    --------
    >>> is_other_language(["Der Hund ist nicht im Garten."]), is_other_language(["Собака лает."])
    (True, True)
    >>> is_other_language(["The Côte d'Azur is a coast."])
    False
    """
    starts = [text[:_LONGEST] for text in texts]
    found: set[str] = set()
    for start in starts:
        if not start.isascii():
            others = len(_OTHER_LETTERS.findall(start))
            if others >= _LEAST_LETTERS and 2 * others > len(_LETTERS.findall(start)):
                return True
        words = start.split()
        if not OTHER_WORDS.isdisjoint(words):
            own = OTHER_WORDS.intersection(words)
            if _outnumber(own, [start]):
                return True
            found |= own
    return _outnumber(found, starts)


def _outnumber(others: set[str] | frozenset[str], texts: Iterable[str]) -> bool:
    """Whether there are more others than function words of English in all texts."""
    english: set[str] = set()
    for text in texts if len(others) >= _LEAST_WORDS else ():
        english |= function_word_set().intersection(text.lower().split())
        if len(english) >= len(others):
            return False  # mostly after the first texts
    return len(others) >= _LEAST_WORDS


_has_warned: list[bool] = []


def warn_of_other_languages(texts: Iterable[str]) -> None:
    """Log a warning at the first texts of the process that seem to be in another language."""
    if not _has_warned and is_other_language(texts):
        import logging  # takes longer than aligning a pair

        _has_warned.append(True)
        logging.getLogger(__name__).warning(
            "a text seems to be in another language than English; it is read as if it were "
            "English, so links and scores mean little"
        )


MOST_CHARACTERS = 10_000
"""Most characters of a piece, whatever its tokens."""
_AROUND = 2
"""Tokens on each side of a place that its hash is of."""


def annotate(
    annotator: Annotator, sentences: Sequence[SentenceLike], *, trees: bool, truncate: bool
) -> list[Sentence]:
    """Return sentences with all columns that a model needs; with `trees` heads and relations, too.

    The annotator is not called if nothing is missing. A sentence that is empty, whose columns do
    not fit, or that holds lone surrogates is an InputError; one that is too long is a LimitError,
    unless `truncate` says to cut it (see tokalign.types.sentence).
    """
    given = sentences = list(map(_plain, sentences))
    warn_of_other_languages(each for each in sentences if isinstance(each, str))
    if truncate:
        sentences = [shortened(each) for each in sentences]
    for each in sentences:
        require_short(each)
    try:
        annotated = [each for each in sentences if _is_annotated(each, trees)]
        if len(annotated) < len(sentences):
            annotated = annotator.annotate(sentences, trees=trees)
        for sentence in annotated:
            sentence.text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"a sentence is not valid Unicode: {error}") from error
    if not truncate:
        for sentence in annotated:
            require_few_tokens(len(sentence))
        return annotated
    return [_first_tokens(*each) for each in zip(annotated, given, strict=True)]


def _plain(sentence: SentenceLike) -> SentenceLike:
    """Return a sentence of plain str, not of a subclass such as numpy's, for the kernels."""
    if type(sentence) is str or isinstance(sentence, Sentence):
        return sentence
    if isinstance(sentence, str):
        return str(sentence)
    return [str(each) if isinstance(each, str) else each for each in sentence]


def is_ready(sentence: SentenceLike, *, trees: bool) -> TypeGuard[Sentence]:
    """Whether `annotate` would return a sentence unchanged."""
    return (
        _is_annotated(sentence, trees)
        and len(sentence) <= MAX_TOKENS
        and len(sentence.text) <= MAX_CHARACTERS
        and (sentence.text.isascii() or _is_unicode(sentence.text))
    )


def _is_annotated(sentence: SentenceLike, trees: bool) -> TypeGuard[Sentence]:
    if not isinstance(sentence, Sentence):
        return False
    if trees and sentence.heads is None:
        return False
    if sentence.viewed() is not None:
        return True  # of the annotated ones
    return bool(sentence.tokens) and None not in (sentence.tags, sentence.lemmas)


def _is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogates."""
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def _first_tokens(sentence: Sentence, given: SentenceLike) -> Sentence:
    """Return a sentence cut to MAX_TOKENS tokens, with all of its text."""
    first = sentence.first(MAX_TOKENS)
    if isinstance(given, str) and len(given) > len(first.text):
        return first.replace(text=given)
    return first


def is_short(text: str, most: int) -> bool:
    """Whether a text has at most so many tokens, as the native annotator finds them."""
    return len(text) <= most or (len(text) <= MOST_CHARACTERS and len(tokenize(text)[0]) <= most)


def pieces(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a sentence that have at most so many tokens.

    A piece ends in the second half of what it may hold: before a line break if there is one, else
    at white space, else inside a word. Of several such places it ends where the words around have
    the least hash: after an insertion the same words make the same pieces again. A piece of more
    than MOST_CHARACTERS is cut after so many.

    Neither the text nor the half-open ranges have white space at their ends; only white space is
    between two ranges.

    Examples
    --------
    >>> text = "one two\\nthree four five"
    >>> [text[start:end] for start, end in pieces(text, 3)]
    ['one two', 'three four five']
    """
    if is_short(text, most):
        yield 0, len(text)
        return
    _, starts, ends = tokenize(text)
    first = 0
    while first < len(starts):
        last = min(first + most, len(starts))
        if last < len(starts):
            last = _best_cut(text, starts, ends, range(first + most // 2 + 1, last + 1))
        yield from _cut(text, starts[first], ends[last - 1])
        first = last


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a range in parts of at most MOST_CHARACTERS, stripped of white space."""
    for part in range(start, end, MOST_CHARACTERS):
        piece = text[part : min(part + MOST_CHARACTERS, end)]
        if piece.strip():
            first = part + len(piece) - len(piece.lstrip())
            yield first, first + len(piece.strip())


def _best_cut(text: str, starts: Sequence[int], ends: Sequence[int], places: Sequence[int]) -> int:
    """Return the token out of some at which to begin a piece; of equally good ones the last."""
    gaps = [text[ends[k - 1] : starts[k]] for k in places]
    lines = [k for k, gap in zip(places, gaps, strict=True) if "\n" in gap]
    spaces = lines or [k for k, gap in zip(places, gaps, strict=True) if gap]

    def rank(k: int) -> tuple[int, int]:
        around = text[starts[max(0, k - _AROUND)] : ends[min(k + _AROUND, len(ends)) - 1]]
        return crc32(around.encode(errors="surrogatepass")), -k

    return min(spaces or places, key=rank)
