"""The baseline that any system must beat."""

from __future__ import annotations

from collections import defaultdict

from tokalign.systems.matches import Matches
from tokalign.types import Sentence


class LemmaSystem:
    """Links identical lemmas, those nearest to the diagonal first.

    A lemma is compared in lower case. Of all free tokens with the same lemma, the two are linked
    whose relative positions i / n_source and j / n_target differ least, the leftmost of equals;
    then the next two. Every confidence is 1.

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
        n_source, n_target = len(source), len(target)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for j, lemma in enumerate(target.lemmas or ()):
            places[lemma.lower()].append(j)
        # Cross-multiplied, so that what is equally far compares as equal.
        candidates = sorted(
            (abs(i * n_target - j * n_source), i, j)
            for i, lemma in enumerate(source.lemmas or ())
            for j in places.get(lemma.lower(), ())
        )
        free_source, free_target = [True] * n_source, [True] * n_target
        links = []
        for _, i, j in candidates:
            if free_source[i] and free_target[j]:
                free_source[i] = free_target[j] = False
                links.append((i, j, 1.0, "lemma"))
        return Matches.of(links)
