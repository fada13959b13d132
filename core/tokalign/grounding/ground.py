"""`Aligner.ground` and `Aligner.ground_sentences`: evidence for an answer, by a backend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from tokalign.batches.outcomes import annotate_each, attempt, together, unwrap, values
from tokalign.decoding.backend import AT_ONCE, Backend, Extras
from tokalign.errors import InputError, quoted
from tokalign.grounding.candidates import AlignedCandidate, AnswerWords
from tokalign.grounding.grounded import ground_sentence
from tokalign.grounding.offsets import in_unit
from tokalign.grounding.sources import Sources
from tokalign.model.file import ModelHeader
from tokalign.texts.sentences import sentences_of
from tokalign.types import AnnotatedPair, Sentence, SentenceLike
from tokalign.types.grounding import GroundedSentence, Grounding, GroundOptions
from tokalign.types.keywords import GroundKeywords
from tokalign.types.options import AlignOptions
from tokalign.types.passages import PassageLike
from tokalign.types.texts import SentenceSpan

_PLAIN = AlignOptions()


class Grounds(ABC):
    """Base of what aligns pairs by a backend and finds evidence for answers so."""

    _backend: Backend
    header: ModelHeader

    @abstractmethod
    def annotate(
        self, sentences: Sequence[SentenceLike], *, truncate: bool = False
    ) -> list[Sentence]:
        """Return sentences with every column that the model needs."""

    def ground(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> Grounding:
        """Return where passages support the words of an answer.

        Parameters
        ----------
        answer : str
            Of any number of sentences, also of none.
        passages : iterable of str, (str, str), mapping or SourcePassage
            Texts, or texts with ids: (id, text), or a mapping with `text` and `id`. The id of a
            text alone is its position, as "0".
        options : GroundOptions, optional
        **changes
            Fields of GroundOptions, in place of those of `options`.

        Raises
        ------
        InputError
            Of a system; if the answer or a passage is no text, two passages have one id, or an
            option is bad. The field is ``answer``, ``passages[i].text``, ``passages[i].id`` or of
            ``options``.
        LimitError
            If the answer, or all passages together, have more than
            tokalign.types.lengths.MAX_TEXT_SENTENCES sentences.
        """
        options = GroundOptions.of(options, changes)
        if not isinstance(answer, str):
            raise InputError(f"answer is {quoted(answer)}; wanted text", field="answer")
        spans = sentences_of(answer, "answer")
        sources = Sources.of(passages)
        found = map(unwrap, self.ground_sentences(spans, sources, options))
        return Grounding(
            answer,
            sources.passages,
            tuple(in_unit(found, answer, sources.passages, options.offsets)),
            self.header.name,
            self.header.version,
        )

    def ground_sentences(
        self, sentences: Sequence[SentenceSpan], sources: Sources, options: GroundOptions
    ) -> list[GroundedSentence | Exception]:
        """Return the evidence for sentences of an answer, or why there is none.

        Parameters
        ----------
        sentences : sequence of SentenceSpan
            In code points of the answer.
        sources : Sources
        options : GroundOptions
            Offsets are code points whatever its unit is; see tokalign.grounding.offsets.

        Raises
        ------
        InputError
            Of a system.
        """
        annotated = annotate_each(self.annotate, [each.text for each in sentences])
        return self.ground_annotated(sentences, annotated, sources, options)

    def ground_annotated(
        self,
        spans: Sequence[SentenceSpan],
        annotated: Sequence[Sentence | Exception],
        sources: Sources,
        options: GroundOptions,
    ) -> list[GroundedSentence | Exception]:
        """Return what `ground_sentences` does, of sentences that are annotated."""
        words = [attempt(partial(AnswerWords.of, sources=sources), each) for each in annotated]
        aligned = self.align_with_sources(words, sources, options.candidates)

        def grounded(
            found: tuple[SentenceSpan, AnswerWords, list[AlignedCandidate]],
        ) -> GroundedSentence:
            return ground_sentence(*found, sources, options)

        found: list[GroundedSentence | Exception] = []
        for span, own, candidates in zip(spans, words, aligned, strict=True):
            if isinstance(own, Exception):
                found.append(own)
            elif isinstance(candidates, Exception):
                found.append(candidates)
            else:
                found.append(attempt(grounded, (span, own, candidates)))
        return found

    def align_with_sources(
        self, words: Sequence[AnswerWords | Exception], sources: Sources, most: int
    ) -> list[list[AlignedCandidate] | Exception]:
        """Return the candidates of each sentence of an answer, aligned with it.

        Parameters
        ----------
        words : sequence of AnswerWords, or Exception
            Which stands in the place of its candidates, as that of a candidate does.
        sources : Sources
        most : int
            Candidates of each passage.
        """
        numbers = [
            []
            if isinstance(each, Exception)
            else sources.candidates(each.holders, each.weights, most)
            for each in words
        ]
        every = [number for own in numbers for number in own]
        distinct = list(dict.fromkeys(every))
        texts = [sources.sentences[number].span.text for number in distinct]
        annotated = dict(zip(distinct, annotate_each(self.annotate, texts), strict=True))
        pairs: list[AnnotatedPair | Exception] = []
        for own, each in zip(numbers, words, strict=True):
            for source in map(annotated.__getitem__, own):
                pairs.append(attempt(partial(_pair, each), source))
        aligned = iter(self._aligned_rows(pairs, every))
        return [
            _all_or_error(each, [next(aligned) for _ in own])
            for own, each in zip(numbers, words, strict=True)
        ]

    def _aligned_rows(
        self, pairs: Sequence[AnnotatedPair | Exception], numbers: Sequence[int]
    ) -> list[AlignedCandidate | Exception]:
        """Return pairs aligned, with their rows of support."""
        encode = partial(self._backend.encode, options=_PLAIN, compares=True)
        encoded = together(encode, pairs)
        found: list[AlignedCandidate | Exception] = []
        for start in range(0, len(encoded), AT_ONCE):
            some = encoded[start : start + AT_ONCE]
            good = values(some)
            decided = self._backend.decide(good, _PLAIN, Extras(supports=True))
            rows = _split(decided.support, [len(pair[1]) for pair, _ in good])
            rest = iter(range(len(good)))
            for each, number in zip(some, numbers[start:], strict=False):
                if isinstance(each, Exception):
                    found.append(each)
                    continue
                index = next(rest)
                found.append(
                    decided.errors.get(index)
                    or AlignedCandidate(number, each[0][0], decided.columns, index, rows[index])
                )
        return found


def _split(rows: NDArray[np.float32] | None, n_tokens: Sequence[int]) -> list[NDArray[np.float32]]:
    """Return the rows of each pair."""
    if rows is None:
        raise TypeError("a backend that was asked for support gave none")
    return np.split(rows, np.cumsum(n_tokens)[:-1])


def _pair(words: AnswerWords | Exception, source: Sentence) -> AnnotatedPair:
    return source, unwrap(words).sentence


def _all_or_error(
    words: AnswerWords | Exception, candidates: Sequence[AlignedCandidate | Exception]
) -> list[AlignedCandidate] | Exception:
    """Return candidates, or the first error of a sentence and its candidates."""
    for each in (words, *candidates):
        if isinstance(each, Exception):
            return each
    return values(candidates)
