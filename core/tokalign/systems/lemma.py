"""The lemma baseline."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from tokalign.systems import Matches
from tokalign.types import Sentence


class LemmaSystem:
    """Links identical lemmas, those nearest to the diagonal first.

    Lemmas are compared in lower case.

    Examples
    --------
    >>> dogs = Sentence.from_tokens(["Dogs", "bark"], lemmas=["dog", "bark"])
    >>> dog = Sentence.from_tokens(["A", "dog"], lemmas=["a", "dog"])
    >>> LemmaSystem().align(dogs, dog).rules
    ('lemma',)
    """

    name = "lemma"
    uses_trees = False

    def align(self, source: Sentence, target: Sentence) -> Matches:
        """Return the links, each of the rule ``lemma``."""
        pairs = nearest_pairs(lower_lemmas(source), lower_lemmas(target))
        return Matches.of((i, j, 1.0, "lemma") for i, j in pairs)


def lower_lemmas(sentence: Sentence) -> list[str]:
    """Return the lemmas of a sentence, which must have some, in lower case."""
    return [lemma.lower() for lemma in sentence.lemmas or ()]


def nearest_pairs(
    source: Sequence[str],
    target: Sequence[str],
    used_source: Collection[int] = (),
    used_target: Collection[int] = (),
) -> list[tuple[int, int]]:
    """Return pairs of equal words, each word in at most one.

    Pairs are taken by the difference of relative positions i / n_source and j / n_target, the
    smallest first; ties go to the leftmost.

    `used_source`, `used_target`: indices of words that must not be paired.

    Examples
    --------
    >>> nearest_pairs(["a", "b", "a", "c", "a"], ["a", "a"])
    [(0, 0), (2, 1)]
    """
    n_source, n_target = len(source), len(target)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for j, word in enumerate(target):
        if j not in used_target:
            places[word].append(j)
    # Cross-multiplied, so that equal distances compare as equal.
    candidates = sorted(
        (abs(i * n_target - j * n_source), i, j)
        for i, word in enumerate(source)
        if i not in used_source
        for j in places.get(word, ())
    )
    free_source, free_target = [True] * n_source, [True] * n_target
    pairs = []
    for _, i, j in candidates:
        if free_source[i] and free_target[j]:
            free_source[i] = free_target[j] = False
            pairs.append((i, j))
    return pairs
