"""Similarities of many sentences, whose pairs are all aligned (docs/scores.md says what the number
means), and near-duplicates among many: similar pairs, and groups of them.

For near-duplicates, only sentences whose weighted lemmas seem to overlap are aligned. Such pairs
are found by MinHash signatures, without comparing all: the probability that a slot of two
signatures is equal is the sets' Jaccard overlap (Broder 1997, "On the resemblance of containers and
documents").
The slots are made by rensa. Sets that share a band of their signatures are compared by their
sketches (locality-sensitive hashing: Indyk and Motwani 1998). Memory grows with the sets and with
the pairs that are found.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from tokalign.batches.outcomes import AlignsPairs, annotate_each, try_one, unwrap
from tokalign.batches.pipe import with_progress
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.likeness import is_content
from tokalign.errors import InputError, MissingPackageError, WorkerError, quoted
from tokalign.types import Alignment, Sentence, SentenceLike
from tokalign.types.inputs import FrameCells, columns_of, require_many, require_sentence
from tokalign.types.keywords import NanErrors
from tokalign.types.options import AlignOptions

ANNOTATED_AT_ONCE = 512
PAIRS_AT_ONCE = 256


def similarities(
    aligner: AlignsPairs,
    one: SentenceLike,
    many: Iterable[SentenceLike],
    options: AlignOptions,
    errors: NanErrors,
    n_process: int,
    progress: bool,
) -> NDArray[np.float64]:
    """Return the similarities of one sentence with many; see Aligner.similarities."""
    (source,) = aligner.annotate([one], truncate=options.truncate, markup=options.markup)
    targets = _annotated(aligner, many, "many", options, errors)
    found = np.full(len(targets), math.nan)
    usable = [k for k, target in enumerate(targets) if target is not None]
    pairs = ((source, targets[k]) for k in usable)
    values = pair_similarities(aligner, pairs, options, n_process)
    found[usable] = list(with_progress(values, "pair", is_shown=progress, total=len(usable)))
    return found


def similarity_matrix(
    aligner: AlignsPairs,
    rows: Iterable[SentenceLike],
    columns: Iterable[SentenceLike] | None,
    options: AlignOptions,
    errors: NanErrors,
    n_process: int,
    progress: bool,
) -> NDArray[np.float64]:
    """Return the similarity of each row with each column; see Aligner.similarity_matrix."""
    sources = _annotated(aligner, rows, "rows", options, errors)
    is_square = columns is None
    targets = sources
    if columns is not None:
        targets = _annotated(aligner, columns, "columns", options, errors)
    found = np.full((len(sources), len(targets)), math.nan)
    cells = partial(_cells, sources, targets, is_square=is_square)
    pairs = ((sources[i], targets[j]) for i, j in cells())
    values = pair_similarities(aligner, pairs, options, n_process)
    total = sum(1 for _ in cells()) if progress else None
    shown = with_progress(values, "pair", is_shown=progress, total=total)
    for (i, j), value in zip(cells(), shown, strict=True):
        found[i, j] = value
        if is_square:
            found[j, i] = value
    if is_square:
        usable = [k for k, sentence in enumerate(sources) if sentence is not None]
        found[usable, usable] = 1.0
    return found


def _annotated(
    aligner: AlignsPairs,
    sentences: Iterable[SentenceLike],
    name: str,
    options: AlignOptions,
    errors: NanErrors,
) -> list[Sentence | None]:
    """Return annotated sentences; with errors="nan", None for one that cannot be annotated."""
    if errors not in ("raise", "nan"):
        raise InputError(f"errors is {quoted(errors)}; wanted raise or nan", field="errors")
    found: list[Sentence | None] = []
    given = require_many(columns_of(sentences)[0], name)
    checked = (try_one(partial(require_sentence, name="sentence"), each) for each in given)
    for outcome in annotate_many(aligner, checked, options):
        missing = isinstance(given, FrameCells) and given[len(found)] is None
        if not isinstance(outcome, Exception):
            found.append(outcome)
        elif isinstance(outcome, InputError) and (errors == "nan" or missing):
            found.append(None)
        else:
            outcome.args = (f"{name}[{len(found)}]: {outcome}",)
            raise outcome
    return found


def annotate_many(
    aligner: AlignsPairs, sentences: Iterable[SentenceLike | Exception], options: AlignOptions
) -> Iterator[Sentence | Exception]:
    """Yield annotated sentences, or the error of one that cannot be annotated, batch by batch."""
    annotate = partial(aligner.annotate, truncate=options.truncate, markup=options.markup)
    pending = iter(sentences)
    while batch := list(islice(pending, ANNOTATED_AT_ONCE)):
        yield from annotate_each(annotate, batch)


def _cells(
    sources: Sequence[Sentence | None], targets: Sequence[Sentence | None], *, is_square: bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs to align; if the columns are the rows, each pair once."""
    for i, source in enumerate(sources):
        for j in range(i + 1 if is_square else 0, len(targets)):
            if source is not None and targets[j] is not None:
                yield i, j


def pair_similarities(
    aligner: AlignsPairs, pairs: Iterable[Any], options: AlignOptions, n_process: int
) -> Iterator[float]:
    """Yield the similarity of each pair, NaN for one that cannot be aligned."""
    outcomes = aligner.pipe(
        pairs, options, batch_size=PAIRS_AT_ONCE, n_process=n_process, errors="return"
    )
    for outcome in outcomes:
        if isinstance(outcome, WorkerError):
            raise outcome
        yield outcome.similarity if isinstance(outcome, Alignment) else math.nan


N_BANDS: Final = 64
SLOTS_PER_BAND: Final = 4
"""Sets that overlap by 0.3, 0.4, 0.5, 0.6 share a band with probability .41, .81, .98, 1.00."""
SKETCHED: Final = 128
"""Slots whose last byte is kept, to estimate overlaps with an error of 0.04."""
_SEED: Final = 1
_MIXER: Final = np.uint32(0x9E3779B1)


class Signatures:
    """Signatures of sets, in the order they were added: 384 bytes for each set.

    MissingPackageError is raised if the package of the extra "dedupe" is missing.
    """

    def __init__(self) -> None:
        try:
            from rensa import RMinHash
        except ImportError as error:
            what = "the search for near-duplicates"
            raise MissingPackageError.of(what, error, "dedupe") from None
        self._make = RMinHash.digest_matrix_from_token_sets
        self._bands: list[NDArray[np.uint32]] = []
        self._sketches: list[NDArray[np.uint8]] = []

    def add(self, sets: Sequence[Sequence[str]]) -> None:
        """Add sets, each of at least one string."""
        if not sets:
            return
        rows = self._make(list(sets), N_BANDS * SLOTS_PER_BAND, _SEED).to_rows()
        slots = np.array(rows, dtype=np.uint32)
        self._bands.append(_mixed(slots.reshape(len(slots), N_BANDS, SLOTS_PER_BAND)))
        self._sketches.append(slots[:, :SKETCHED].astype(np.uint8))

    def bands(self) -> NDArray[np.uint32]:
        """Return a number for each band of each set, shape (n_sets, N_BANDS).

        Sets with equal slots in a band have the same number there; others almost never do.
        """
        self._bands = [np.concatenate([np.empty((0, N_BANDS), np.uint32), *self._bands])]
        return self._bands[0]

    def sketches(self) -> NDArray[np.uint8]:
        """Return the last bytes of some slots, shape (n_sets, SKETCHED)."""
        self._sketches = [np.concatenate([np.empty((0, SKETCHED), np.uint8), *self._sketches])]
        return self._sketches[0]


def estimated_overlap(
    sketches: NDArray[np.uint8], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the estimated overlaps of pairs of sets, shape (n_pairs,).

    Unequal slots have the same last byte once in 256 times.
    """
    same = (sketches[first] == sketches[second]).mean(axis=1)
    return np.asarray((same - 1 / 256) / (1 - 1 / 256), dtype=np.float64)


def _mixed(slots: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return one hash of the slots of each band."""
    mixed = np.zeros(slots.shape[:2], dtype=np.uint32)
    for k in range(slots.shape[2]):
        mixed = (mixed ^ slots[:, :, k]) * _MIXER
        mixed ^= mixed >> np.uint32(15)
    return mixed


MOST_NEIGHBOURS = 100
"""Most sets that each set is compared with per band: those that follow it. Otherwise all pairs of
texts made from one template would be compared."""
_AT_ONCE = 200_000


def candidate_pairs(signatures: Signatures, overlap: float) -> NDArray[np.int64]:
    """Return pairs of sets whose estimated Jaccard overlap, in [0, 1], is at least `overlap`.

    They are an int64 array of shape (n_pairs, 2): numbers of sets, the smaller first; sorted, each
    pair once. The error of an estimate is 0.04.
    """
    bands, sketches = signatures.bands(), signatures.sketches()
    n_sets = len(bands)
    found = np.empty(0, dtype=np.int64)
    for band in range(bands.shape[1]):
        codes = [found]
        for first, second in _pairs_of_equals(bands[:, band]):
            close = estimated_overlap(sketches, first, second) >= overlap
            codes.append(first[close] * n_sets + second[close])
        found = np.unique(np.concatenate(codes))
    return np.stack([found // max(n_sets, 1), found % max(n_sets, 1)], axis=1)


def _pairs_of_equals(
    keys: NDArray[np.uint32],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield arrays of pairs of indices with equal keys, the smaller index first.

    Each step pairs the k-th index of a key with its (k + step)-th.
    """
    order = np.argsort(keys, kind="stable").astype(np.int64)
    ordered = keys[order]
    left = np.arange(len(keys) - 1)
    for step in range(1, MOST_NEIGHBOURS + 1):
        # An index without an equal `step` ahead has none farther ahead.
        left = left[left < len(keys) - step]
        left = left[ordered[left] == ordered[left + step]]
        if not len(left):
            return
        for start in range(0, len(left), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            yield order[some], order[some + step]


MOST_COPIES: Final = 3


@dataclass(frozen=True, slots=True)
class Duplicates:
    """A pair of near-duplicate sentences.

    `first`, `second`: their numbers from 0, the smaller first. `similarity`: in [0, 1]; 1 where the
    texts are equal.
    """

    first: int
    second: int
    similarity: float


def near_duplicates(
    aligner: AlignsPairs,
    sentences: Iterable[str],
    options: AlignOptions,
    threshold: float,
    overlap: float,
    on_bad: Callable[[int, InputError], None] | None,
    n_process: int,
    progress: bool,
) -> Iterator[Duplicates]:
    """Yield pairs of near-duplicate sentences; see Aligner.near_duplicates."""
    for name, value in (("threshold", threshold), ("overlap", overlap)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value}; wanted 0 to 1", field=name)
    bad = _raise if on_bad is None else on_bad
    given = require_many(columns_of(sentences)[0], "sentences")
    if isinstance(given, FrameCells):
        given = ("" if each is None else each for each in given)
    texts, places, equals = _distinct(given)
    signatures = Signatures()
    read = with_progress(texts, "sentence", is_shown=progress)
    for sets in _lemma_sets(aligner, read, options, lambda k, error: bad(places[k], error)):
        signatures.add(sets)
    pairs = candidate_pairs(signatures, overlap)
    both = ((texts[i], texts[j]) for i, j in pairs)
    found = pair_similarities(aligner, both, options, n_process)
    values = with_progress(found, "pair", is_shown=progress, total=len(pairs))
    close = (
        (places[i], places[j], value)
        for (i, j), value in zip(pairs, values, strict=True)
        if value >= threshold
    )
    for first, second, value in heapq.merge(close, equals):
        yield Duplicates(first, second, value)


def _distinct(
    sentences: Iterable[str],
) -> tuple[list[str], list[int], list[tuple[int, int, float]]]:
    """Return the distinct texts, the first index of each, and (first, later) index pairs of copies.

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
    aligner: AlignsPairs,
    texts: Iterable[str],
    options: AlignOptions,
    bad: Callable[[int, InputError], None],
) -> Iterator[list[list[str]]]:
    """Yield the lemmas of texts, in batches; a text that cannot be annotated gets a unique one."""
    idf = Frequencies.open_shipped().idf
    outcomes = enumerate(annotate_many(aligner, texts, options))
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
    error.args = (f"sentences[{number}]: {error}",)
    raise error


def weighed_lemmas(sentence: Sentence, idf: Callable[[str], float]) -> list[str]:
    """Return a sentence's distinct content lemmas in lower case, rarer ones with numbered copies.

    A lemma of idf 1 is there three times, one of idf 0.5 twice, the commonest once. So the Jaccard
    overlap of two sets weights words by rarity, nearly as similarity does.

    `sentence`: with lemmas. `idf`: lower-case lemma to its weight in [0, 1]; see Frequencies.

    They are all different. If the sentence has no content word, all of its lemmas.

    Examples
    --------
    >>> dog = Sentence.from_tokens(["The", "dog"], lemmas=["the", "dog"])
    >>> weighed_lemmas(dog, {"the": 0.0, "dog": 0.7}.__getitem__)
    ['dog', 'dog#1']
    """
    words = list(zip(sentence.tokens, sentence.lemmas or sentence.tokens, strict=True))
    content = dict.fromkeys(lemma.lower() for token, lemma in words if is_content(token))
    lemmas = content or dict.fromkeys(lemma.lower() for _, lemma in words)
    return [
        lemma if copy == 0 else f"{lemma}#{copy}"
        for lemma in lemmas
        for copy in range(max(1, round(MOST_COPIES * idf(lemma))))
    ]


def groups_of(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the connected groups of pairs of numbers, each rising, by their smallest numbers.

    Examples
    --------
    >>> groups_of([(4, 5), (0, 2), (2, 7)])
    [[0, 2, 7], [4, 5]]
    """
    parents: dict[int, int] = {}

    def root(number: int) -> int:
        while (parent := parents.setdefault(number, number)) != number:
            parents[number] = parents[parent]
            number = parent
        return number

    for pair in pairs:
        low, high = sorted(map(root, pair))
        parents[high] = low
    members: dict[int, list[int]] = {}
    for number in sorted(parents):
        members.setdefault(root(number), []).append(number)
    return list(members.values())
