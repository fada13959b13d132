"""Near-duplicates among many sentences: similar pairs, and groups of them.

Only sentences whose weighted lemmas seem to overlap are compared (tokalign.comparison.signatures),
by aligning them.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, NoReturn

from tokalign.batches.aligns import AlignsPairs
from tokalign.batches.outcomes import unwrap
from tokalign.batches.rows import with_progress
from tokalign.comparison.signatures import Signatures, candidate_pairs
from tokalign.comparison.similarities import ANNOTATED_AT_ONCE, annotate_many, pair_similarities
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.likeness import is_content
from tokalign.errors import InputError, quoted
from tokalign.types import Sentence
from tokalign.types.frames import FrameCells, columns_of
from tokalign.types.inputs import require_many
from tokalign.types.options import AlignOptions

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
