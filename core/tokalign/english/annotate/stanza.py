"""Stanza's neural pipeline behind the annotator protocol: the extra ``stanza``.

Qi et al. (2020), Stanza: a Python natural language processing toolkit for many human languages,
ACL demos.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from tokalign.english.annotate.annotator import filled, require_tokens, sentence_at, whole
from tokalign.english.reading.text_reading import words_of
from tokalign.errors import InputError, MissingPackageError, ResourceError, quoted
from tokalign.types import Sentence, SentenceLike

_BASE = ("pos", "lemma")
_Pieces: TypeAlias = tuple[Sentence, list[int]]
"""A text, and the numbers of tokens of the sentences that it is made of."""


class StanzaAnnotator:
    """Penn tags, lemmas and Universal Dependencies trees from Stanza.

    Nothing is downloaded; run ``stanza.download("en")`` once, or name a folder that holds
    ``resources.json`` and the models. Raises ResourceError if Stanza or its models are missing.
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
            # Stanza raises a different type of exception for each thing that can be missing.
            where = "Stanza's default folder" if directory is None else os.fspath(directory)
            raise ResourceError(
                f"no Stanza models for {quoted(language)} in {where}: {error}; "
                f"run stanza.download({quoted(language)}) or name their folder, as in stanza:FOLDER"
            ) from error

    def annotate(self, sentences: Sequence[SentenceLike], *, trees: bool) -> list[Sentence]:
        """Return the sentences with tags and lemmas and, if `trees`, heads and relations.

        See `annotator.Annotator.annotate`. Raw texts go through Stanza in one
        batch and tokenised sentences in another. Each sentence that Stanza splits a text into has
        its own root.
        """
        texts = self._tokenize([text for text in sentences if isinstance(text, str)])
        given = [
            next(texts) if isinstance(sentence, str) else whole(sentence) for sentence in sentences
        ]
        annotated = [sentence for sentence, _ in given]
        require_tokens(annotated)
        todo = [
            index
            for index, each in enumerate(annotated)
            if each.tags is None or each.lemmas is None or (trees and each.heads is None)
        ]
        answers = self._filled([given[index] for index in todo], trees)
        for index, sentence in zip(todo, answers, strict=True):
            annotated[index] = sentence
        return annotated

    def _tokenize(self, texts: list[str]) -> Iterator[_Pieces]:
        if not texts:
            return
        documents = self._pipeline.bulk_process(
            [self._stanza.Document([], text=words_of(text)) for text in texts],
            processors="tokenize",
        )
        for text, document in zip(texts, documents, strict=True):
            words = [word for sentence in document.sentences for word in sentence.words]
            sentence = sentence_at(text, [word.text for word in words], map(_span, words))
            yield sentence, [len(each.words) for each in document.sentences]

    def _filled(self, given: list[_Pieces], trees: bool) -> Iterator[Sentence]:
        if not given:
            return
        parts = []
        for sentence, lengths in given:
            start = 0
            for length in lengths:
                tokens = sentence.tokens[start : start + length]
                parts.append(
                    [{"id": number, "text": token} for number, token in enumerate(tokens, 1)]
                )
                start += length
        document = self._stanza.Document(parts)
        steps = (*_BASE, "depparse") if trees else _BASE
        self._pipeline.process(document, processors=",".join(steps))
        answers = iter(document.sentences)
        for sentence, lengths in given:
            words: list[Any] = []
            heads: list[int] = []
            for length in lengths:
                words_here = next(answers).words
                if len(words_here) != length:
                    raise InputError(
                        f"Stanza made {len(words_here)} words of {length} tokens: "
                        f"{quoted(' '.join(sentence.tokens))}"
                    )
                offset = len(words)
                words += words_here
                if trees:
                    heads += [word.head + offset - 1 if word.head else -1 for word in words_here]
            yield filled(
                sentence,
                tags=tuple(word.xpos for word in words),
                lemmas=tuple(word.lemma or word.text for word in words),
                heads=tuple(heads) if trees else None,
                relations=tuple(word.deprel for word in words) if trees else None,
            )


def _span(word: Any) -> tuple[int, int]:
    """Return a word's offsets; without its own, it has those of its multi-word token."""
    place = word if word.start_char is not None else word.parent
    return place.start_char, place.end_char
