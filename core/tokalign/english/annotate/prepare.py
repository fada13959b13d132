"""Sentences as a model asks for them: with all columns, within the limits of length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from tokalign.english.annotate import Annotator
from tokalign.errors import InputError
from tokalign.types import Sentence, SentenceLike
from tokalign.types.lengths import (
    MAX_CHARACTERS,
    MAX_TOKENS,
    require_few_tokens,
    require_short,
    shortened,
)


def annotate(
    annotator: Annotator, sentences: Sequence[SentenceLike], *, trees: bool, truncate: bool
) -> list[Sentence]:
    """Return sentences with all columns that are needed.

    Parameters
    ----------
    annotator : Annotator
        Is not asked where nothing is missing.
    sentences : sequence of str, sequence of str, or Sentence
    trees : bool
        Whether heads and relations are needed.
    truncate : bool
        Whether what is too long is cut, not refused; see tokalign.types.lengths.

    Raises
    ------
    InputError
        If a sentence is empty, its columns do not fit, or it holds lone surrogates.
    LimitError
        If a sentence is too long and `truncate` is not set.
    """
    given = sentences = list(map(_plain, sentences))
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
    """Return a sentence whose strings are of no subclass, such as numpy's, for the kernels."""
    if type(sentence) is str or isinstance(sentence, Sentence):
        return sentence
    if isinstance(sentence, str):
        return str(sentence)
    return [str(each) if isinstance(each, str) else each for each in sentence]


def is_ready(sentence: SentenceLike, *, trees: bool) -> TypeGuard[Sentence]:
    """Whether `annotate` would give a sentence back as it is."""
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
        return True  # of what was annotated
    return bool(sentence.tokens) and None not in (sentence.tags, sentence.lemmas)


def _is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogates."""
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def _first_tokens(sentence: Sentence, given: SentenceLike) -> Sentence:
    """Return a sentence with as many of its tokens as it may have, and all of its text."""
    first = sentence.first(MAX_TOKENS)
    if isinstance(given, str) and len(given) > len(first.text):
        return first.replace(text=given)
    return first
