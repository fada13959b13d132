"""Stanza's neural pipeline behind the annotator protocol: ``pip install tokalign[stanza]``.

Qi et al. (2020), Stanza: a Python natural language processing toolkit for many human languages,
ACL demos.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from tokalign.english.annotate.annotator import MutableSentence, given_columns, require_tokens
from tokalign.errors import InputError, MissingPackageError, ResourceError, quoted
from tokalign.types import Sentence, SentenceLike

_BASE = ("pos", "lemma")


class StanzaAnnotator:
    """Penn tags, lemmas and Universal Dependencies trees from Stanza.

    Nothing is downloaded; run ``stanza.download("en")`` once, or name a folder of models.

    Parameters
    ----------
    directory : path-like, optional
        Folder that holds ``resources.json`` and the models; by default Stanza's own.
    language : str
        Stanza's code of the language.

    Raises
    ------
    ResourceError
        If Stanza or its models are missing.
    """

    name = "stanza"

    def __init__(
        self, directory: str | os.PathLike[str] | None = None, *, language: str = "en"
    ) -> None:
        try:
            import stanza
        except ImportError as error:
            raise MissingPackageError.of("the stanza annotator", error, "stanza") from error
        self._stanza = stanza
        options: dict[str, Any] = {} if directory is None else {"dir": os.fspath(directory)}
        try:
            self._pipeline = stanza.Pipeline(
                language,
                processors="tokenize,pos,lemma,depparse",
                download_method=None,
                verbose=False,
                **options,
            )
        except Exception as error:
            # Stanza raises a different type for each thing that can be missing.
            where = "Stanza's default folder" if directory is None else os.fspath(directory)
            raise ResourceError(
                f"no Stanza models for {quoted(language)} in {where}: {error}; "
                f"run stanza.download({quoted(language)}) or name their folder, as in stanza:FOLDER"
            ) from error

    def annotate(self, sentences: Sequence[SentenceLike], *, trees: bool) -> list[Sentence]:
        """Return the sentences with tags and lemmas and, if `trees`, heads and relations.

        See `annotator.Annotator.annotate`. Raw texts go through Stanza in one
        batch and tokenised sentences in another. A text that Stanza splits into sentences has
        one root in each.
        """
        texts = self._tokenize([text for text in sentences if isinstance(text, str)])
        columns = [
            next(texts) if isinstance(sentence, str) else given_columns(sentence)
            for sentence in sentences
        ]
        require_tokens(columns)
        todo = [
            column
            for column in columns
            if column.tags is None or column.lemmas is None or (trees and column.heads is None)
        ]
        self._fill(todo, trees)
        return [column.sentence() for column in columns]

    def _tokenize(self, texts: list[str]) -> Iterator[_Pieces]:
        if not texts:
            return
        documents = self._pipeline.bulk_process(
            [self._stanza.Document([], text=text) for text in texts], processors="tokenize"
        )
        for text, document in zip(texts, documents, strict=True):
            words = [word for sentence in document.sentences for word in sentence.words]
            spans = [_span(word) for word in words]
            yield _Pieces(
                [len(sentence.words) for sentence in document.sentences],
                text,
                tuple(word.text for word in words),
                tuple(start for start, _ in spans),
                tuple(end for _, end in spans),
            )

    def _fill(self, columns: list[MutableSentence], trees: bool) -> None:
        if not columns:
            return
        sentences = []
        for column in columns:
            start = 0
            for length in _lengths(column):
                tokens = column.tokens[start : start + length]
                sentences.append(
                    [{"id": number, "text": token} for number, token in enumerate(tokens, 1)]
                )
                start += length
        document = self._stanza.Document(sentences)
        steps = (*_BASE, "depparse") if trees else _BASE
        self._pipeline.process(document, processors=",".join(steps))
        answers = iter(document.sentences)
        for column in columns:
            words: list[Any] = []
            heads: list[int] = []
            for length in _lengths(column):
                words_here = next(answers).words
                if len(words_here) != length:
                    raise InputError(
                        f"Stanza made {len(words_here)} words of {length} tokens: "
                        f"{quoted(' '.join(column.tokens))}"
                    )
                offset = len(words)
                words += words_here
                if trees:
                    heads += [word.head + offset - 1 if word.head else -1 for word in words_here]
            column.fill(
                tags=tuple(word.xpos for word in words),
                lemmas=tuple(word.lemma or word.text for word in words),
                heads=tuple(heads) if trees else None,
                relations=tuple(word.deprel for word in words) if trees else None,
            )


class _Pieces(MutableSentence):
    """The columns of a text and the lengths of the sentences that Stanza cut it into."""

    __slots__ = ("lengths",)

    def __init__(self, lengths: list[int], *columns: Any) -> None:
        super().__init__(*columns)
        self.lengths = lengths


def _lengths(columns: MutableSentence) -> list[int]:
    return columns.lengths if isinstance(columns, _Pieces) else [len(columns.tokens)]


def _span(word: Any) -> tuple[int, int]:
    """Return a word's offsets; words of a multi-word token without their own share its span."""
    place = word if word.start_char is not None else word.parent
    return place.start_char, place.end_char
