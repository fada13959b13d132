"""`Aligner.similarity` and its kin: how much sentences say the same, two or many of them.

All of these align each pair that they compare; see docs/scores.md for what the number means.
"""

from __future__ import annotations

import heapq
import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NoReturn, Unpack

import numpy as np
from numpy.typing import NDArray

from tokalign.batches.outcomes import annotate_each, unwrap
from tokalign.batches.piped import Piped
from tokalign.batches.processes import WorkerError
from tokalign.comparison.candidates import candidate_pairs
from tokalign.comparison.lemmas import weighed_lemmas
from tokalign.comparison.signatures import Signatures
from tokalign.english.lexicon.word_weights import Frequencies
from tokalign.errors import InputError, quoted
from tokalign.types import Alignment, Sentence, SentenceLike
from tokalign.types.inputs import require_many
from tokalign.types.keywords import AlignKeywords, NanErrors, PairKeywords
from tokalign.types.options import AlignOptions, Detail

ANNOTATED_AT_ONCE = 512
PAIRS_AT_ONCE = 256
DEFAULT_THRESHOLD = 0.75
DEFAULT_OVERLAP = 0.3


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Two sentences that say much the same.

    Attributes
    ----------
    first, second : int
        Their numbers from 0, the smaller first.
    similarity : float
        In [0, 1]; 1 where the texts are equal.
    """

    first: int
    second: int
    similarity: float


class Compares(Piped):
    """Base of what aligns pairs and compares sentences so."""

    @abstractmethod
    def annotate(
        self, sentences: Sequence[SentenceLike], *, truncate: bool = False
    ) -> list[Sentence]:
        """Return sentences with every column that the model needs."""

    @abstractmethod
    def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        **changes: Unpack[PairKeywords],
    ) -> Alignment:
        """Return the alignment of one pair."""

    def similarity(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> float:
        """Return how much two sentences say the same, in [0, 1]; see docs/scores.md.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
        options, **changes
            As of `align`, without constraints. Where no style is named, the model's first one
            decides, so that the figures of all pairs can be compared.

        Raises
        ------
        InputError, LimitError
            As `align` does.

        Examples
        --------
        >>> from tokalign import Aligner
        >>> round(Aligner.load().similarity("Dogs bark.", "The dogs bark."), 1)
        1.0
        """
        return self.align(source, target, _for_scores(options, changes)).similarity

    def similarities(
        self,
        one: SentenceLike,
        many: Iterable[SentenceLike],
        options: AlignOptions | None = None,
        *,
        errors: NanErrors = "raise",
        n_process: int = 1,
        **changes: Unpack[AlignKeywords],
    ) -> NDArray[np.float64]:
        """Return how much one sentence says the same as each of many.

        Parameters
        ----------
        one : str, sequence of str, or Sentence
            The source of each pair; annotated once.
        many : iterable of the same
        options, **changes
            As of `align`. Where no style is named, the model's first one decides.
        errors : "raise" or "nan"
            What becomes of a sentence of `many` that cannot be used.
        n_process : int
            As of `pipe`.

        Returns
        -------
        float64 array, shape (n_many,)
            In [0, 1].

        Raises
        ------
        InputError
            If `one` cannot be used, `many` is one text, an argument is out of range, or as `errors`
            says; it names the sentence.

        Examples
        --------
        >>> from tokalign import Aligner
        >>> many = ["The dogs bark.", "It rained all day."]
        >>> Aligner.load().similarities("Dogs bark.", many).round(1).tolist()
        [1.0, 0.0]
        """
        options = _for_scores(options, changes)
        (source,) = self.annotate([one], truncate=options.truncate)
        targets = _annotated(self, many, "many", options, errors)
        found = np.full(len(targets), math.nan)
        usable = [k for k, target in enumerate(targets) if target is not None]
        pairs = ((source, targets[k]) for k in usable)
        found[usable] = list(_similarities(self, pairs, options, n_process))
        return found

    def similarity_matrix(
        self,
        rows: Iterable[SentenceLike],
        columns: Iterable[SentenceLike] | None = None,
        options: AlignOptions | None = None,
        *,
        errors: NanErrors = "raise",
        n_process: int = 1,
        **changes: Unpack[AlignKeywords],
    ) -> NDArray[np.float64]:
        """Return how much each of many sentences says the same as each of others.

        Each sentence is annotated once, and encoded once by a model with an encoder of sentences.
        Every pair is aligned: a thousand rows and columns are a million pairs.

        Parameters
        ----------
        rows : iterable of str, sequence of str, or Sentence
            The sources of the pairs.
        columns : iterable of the same, optional
            The targets. By default the rows, each two of which are aligned once, the earlier one as
            the source; the diagonal is 1.
        options, errors, n_process, **changes
            As of `similarities`; with "nan", a sentence that cannot be used has a row or column of
            NaN.

        Returns
        -------
        float64 array, shape (n_rows, n_columns)
            In [0, 1].

        Raises
        ------
        InputError
            As `similarities` does.
        """
        options = _for_scores(options, changes)
        sources = _annotated(self, rows, "rows", options, errors)
        is_square = columns is None
        targets = (
            sources if columns is None else _annotated(self, columns, "columns", options, errors)
        )
        found = np.full((len(sources), len(targets)), math.nan)
        pairs = ((sources[i], targets[j]) for i, j in _cells(sources, targets, is_square=is_square))
        values = _similarities(self, pairs, options, n_process)
        for (i, j), value in zip(
            _cells(sources, targets, is_square=is_square), values, strict=True
        ):
            found[i, j] = value
            if is_square:
                found[j, i] = value
        if is_square:
            usable = [k for k, sentence in enumerate(sources) if sentence is not None]
            found[usable, usable] = 1.0
        return found

    def near_duplicates(
        self,
        sentences: Iterable[str],
        options: AlignOptions | None = None,
        *,
        threshold: float = DEFAULT_THRESHOLD,
        overlap: float = DEFAULT_OVERLAP,
        on_bad: Callable[[int, InputError], None] | None = None,
        n_process: int = 1,
        **changes: Unpack[AlignKeywords],
    ) -> Iterator[Duplicates]:
        """Yield the pairs of sentences, of up to millions, that say much the same.

        Sentences are compared where their lemmas, weighed by how rare they are, seem to overlap. So
        a pair without common words is never found. Needs ``pip install 'tokalign[dedupe]'``.

        Parameters
        ----------
        sentences : iterable of str
            All are read before the first pair is yielded. Those without text are like no other.
        options, **changes
            As of `align`. Where no style is named, the model's first one decides.
        threshold : float
            Least similarity of a pair, in [0, 1].
        overlap : float
            Least Jaccard overlap of the lemmas of a pair that is compared, in [0, 1]. A smaller one
            finds more and takes longer.
        on_bad : callable, optional
            Called with the number of each sentence that cannot be aligned, such as one that is too
            long, and why; only its equals are found then. By default the first such error is
            raised.
        n_process : int
            As of `pipe`.

        Yields
        ------
        Duplicates
            Rising by `first`, then `second`. Of equal texts each is paired with the first one
            alone, and only the first one is compared with others.

        Raises
        ------
        InputError
            If an argument is out of range, the sentences are one text, or one cannot be aligned.
        ResourceError
            If the package of the extra "dedupe" is missing.
        """
        for name, value in (("threshold", threshold), ("overlap", overlap)):
            if not 0 <= value <= 1:
                raise InputError(f"{name} is {value}; wanted 0 to 1", field=name)
        options = _for_scores(options, changes)
        bad = _raise if on_bad is None else on_bad
        texts, places, equals = _distinct(require_many(sentences, "sentences"))
        signatures = Signatures()
        for sets in _lemma_sets(self, texts, options, lambda k, error: bad(places[k], error)):
            signatures.add(sets)
        pairs = candidate_pairs(signatures, overlap)
        both = ((texts[i], texts[j]) for i, j in pairs)
        values = _similarities(self, both, options, n_process)
        close = (
            (places[i], places[j], value)
            for (i, j), value in zip(pairs, values, strict=True)
            if value >= threshold
        )
        for first, second, value in heapq.merge(close, equals):
            yield Duplicates(first, second, value)


def _for_scores(options: AlignOptions | None, changes: Mapping[str, Any]) -> AlignOptions:
    """Return options of comparisons: what is not needed is not made."""
    return AlignOptions.of(options, {**changes, "detail": Detail.SCORES})


def _annotated(
    aligner: Compares,
    sentences: Iterable[SentenceLike],
    name: str,
    options: AlignOptions,
    errors: NanErrors,
) -> list[Sentence | None]:
    """Return sentences annotated, None for those that cannot be used and are not to raise."""
    if errors not in ("raise", "nan"):
        raise InputError(f"errors is {quoted(errors)}; wanted raise or nan", field="errors")
    found: list[Sentence | None] = []
    for outcome in _annotate(aligner, require_many(sentences, name), options):
        if not isinstance(outcome, Exception):
            found.append(outcome)
        elif isinstance(outcome, InputError) and errors == "nan":
            found.append(None)
        else:
            outcome.args = (f"{name}[{len(found)}]: {outcome}",)
            raise outcome
    return found


def _annotate(
    aligner: Compares, sentences: Iterable[SentenceLike], options: AlignOptions
) -> Iterator[Sentence | Exception]:
    annotate = partial(aligner.annotate, truncate=options.truncate)
    pending = iter(sentences)
    while batch := list(islice(pending, ANNOTATED_AT_ONCE)):
        yield from annotate_each(annotate, batch)


def _cells(
    sources: Sequence[Sentence | None], targets: Sequence[Sentence | None], *, is_square: bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are aligned; where rows and columns are the same, each two once."""
    for i, source in enumerate(sources):
        for j in range(i + 1 if is_square else 0, len(targets)):
            if source is not None and targets[j] is not None:
                yield i, j


def _similarities(
    aligner: Compares, pairs: Iterable[Any], options: AlignOptions, n_process: int
) -> Iterator[float]:
    """Yield the similarity of each pair, NaN of one that cannot be aligned."""
    outcomes = aligner.pipe(
        pairs, options, batch_size=PAIRS_AT_ONCE, n_process=n_process, errors="return"
    )
    for outcome in outcomes:
        if isinstance(outcome, WorkerError):
            raise outcome
        yield outcome.similarity if isinstance(outcome, Alignment) else math.nan


def _distinct(
    sentences: Iterable[str],
) -> tuple[list[str], list[int], list[tuple[int, int, float]]]:
    """Return the different texts, where each stands first, and its later places with that one.

    Texts without a word are left out.
    """
    numbers: dict[str, int] = {}
    places: list[int] = []
    equals: list[tuple[int, int, float]] = []
    for place, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise InputError(
                f"sentences[{place}] is {quoted(sentence)}; wanted text", field="sentences"
            )
        if not (text := sentence.strip()):
            continue
        number = numbers.setdefault(text, len(numbers))
        if number == len(places):
            places.append(place)
        else:
            equals.append((places[number], place, 1.0))
    return list(numbers), places, sorted(equals)


def _lemma_sets(
    aligner: Compares,
    texts: Sequence[str],
    options: AlignOptions,
    bad: Callable[[int, InputError], None],
) -> Iterator[list[list[str]]]:
    """Yield the lemmas of texts, many at a time; one that cannot be annotated is like no other."""
    idf = Frequencies.open_shipped().idf
    outcomes = enumerate(_annotate(aligner, texts, options))
    while batch := list(islice(outcomes, ANNOTATED_AT_ONCE)):
        sets = []
        for number, outcome in batch:
            if isinstance(outcome, InputError):
                bad(number, outcome)
                sets.append([f"\0{number}"])
            else:
                sets.append(weighed_lemmas(unwrap(outcome), idf))
        yield sets


def _raise(number: int, error: InputError) -> NoReturn:
    """Raise the error of a sentence."""
    error.args = (f"sentences[{number}]: {error}",)
    raise error
