"""The matcher of the metric METEOR, without its paraphrase table."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence

import numpy as np

from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.english.lexicon.word_lists import remembered
from tokalign.english.spelling.same_spelling import stem
from tokalign.systems import Matches
from tokalign.systems.lemma import lower_lemmas
from tokalign.types import Sentence

CONFIDENCES = {"exact": 1.0, "stem": 0.6, "synonym": 0.8}
"""Stages in order, with Meteor 1.3's weights of English matches."""


class MeteorSystem:
    """Links equal words, then equal stems, then synonyms, with few crossings.

    Each stage uses the words that earlier ones left. Banerjee and Lavie (2005) take the largest set
    of a stage's matches, and among these one with the fewest crossing links. Here each group of
    words that can exchange partners is solved separately, those with few matches first; see
    `resolve`.

    References
    ----------
    Banerjee and Lavie (2005), "METEOR: an automatic metric for MT evaluation with improved
    correlation with human judgments". Denkowski and Lavie (2011), "Meteor 1.3".

    Examples
    --------
    >>> big = Sentence.from_tokens(["Big", "dogs"], lemmas=["big", "dog"])
    >>> large = Sentence.from_tokens(["a", "large", "dog"], lemmas=["a", "large", "dog"])
    >>> matches = MeteorSystem().align(big, large)
    >>> matches.source.tolist(), matches.target.tolist(), matches.rules
    ([0, 1], [1, 2], ('synonym', 'stem'))
    """

    name = "meteor"
    uses_trees = False

    def __init__(self) -> None:
        wordnet = WordNet.open_shipped()
        self._entry = wordnet.entry
        self._starts = wordnet.source.array("senses_start", np.int32, (None,))
        self._senses = wordnet.source.array("senses", np.int32, (None,))
        self._stem = remembered(stem)
        self._synsets = remembered(self._find_synsets)

    def align(self, source: Sentence, target: Sentence) -> Matches:
        """Return the links, of the rules ``exact``, ``stem`` and ``synonym``."""
        sides = (source, target)
        forms = [[token.lower() for token in side.tokens] for side in sides]
        # What the words of each side are looked up by, and their keys; two words match if they
        # share one.
        stages: dict[str, tuple[list[list[str]], Callable[[str], Collection[Hashable]]]] = {
            "exact": (forms, lambda form: (form,)),
            "stem": (forms, lambda form: (self._stem(form),)),
            "synonym": ([lower_lemmas(side) for side in sides], self._synsets),
        }
        links: dict[tuple[int, int], str] = {}
        for stage, (words, keys_of) in stages.items():
            taken = [{link[side] for link in links} for side in range(2)]
            of_source, of_target = (
                [() if at in done else keys_of(word) for at, word in enumerate(side)]
                for side, done in zip(words, taken, strict=True)
            )
            for group in components(matches(of_source, of_target)):
                links.update(dict.fromkeys(resolve(group, list(links)), stage))
        return Matches.of((i, j, CONFIDENCES[stage], stage) for (i, j), stage in links.items())

    def _find_synsets(self, lemma: str) -> frozenset[int]:
        """Return the numbers of a lemma's synsets, in any part of speech."""
        entries = (self._entry(lemma, pos) for pos in range(4))
        return frozenset(
            sense
            for entry in entries
            if entry >= 0
            for sense in self._senses[self._starts[entry] : self._starts[entry + 1]].tolist()
        )


def matches(
    source: Sequence[Collection[Hashable]], target: Sequence[Collection[Hashable]]
) -> list[tuple[int, int]]:
    """Return the sorted pairs of indices whose collections share an item.

    Examples
    --------
    >>> matches([("a",), ("b", "c")], [("c", "a"), ("d",)])
    [(0, 0), (1, 0)]
    """
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for j, items in enumerate(target):
        for item in items:
            places[item].append(j)
    found: list[tuple[int, int]] = []
    for i, items in enumerate(source):
        if partners := {j for item in items if item in places for j in places[item]}:
            found += [(i, j) for j in sorted(partners)]
    return found


def components(pairs: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Return groups of sorted pairs whose words can exchange partners, small groups first.

    Examples
    --------
    >>> components([(0, 0), (0, 1), (1, 2), (2, 1)])
    [[(1, 2)], [(0, 0), (0, 1), (2, 1)]]
    """
    # A word -> another of its group, or itself; targets are below 0.
    first: dict[int, int] = {}

    def root(word: int) -> int:
        while (above := first.setdefault(word, word)) != word:
            first[word] = first[above]
            word = above
        return word

    for i, j in pairs:
        first[root(~j)] = root(i)
    groups: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in pairs:
        groups[root(pair[0])].append(pair)
    return sorted(groups.values(), key=lambda group: (len(group), group[0]))


def resolve(
    group: Sequence[tuple[int, int]], links: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the largest set of a group's pairs that share no word and do not cross.

    Ties go to the set that crosses the fewest existing links, then to the one whose pairs are
    nearest to the same position, then to the leftmost in the target.

    Examples
    --------
    >>> resolve([(0, 0), (0, 2), (1, 0), (1, 2)], [])
    [(0, 0), (1, 2)]
    >>> resolve([(1, 0), (1, 2)], [(0, 1)])
    [(1, 2)]
    """
    if len(group) == 1:
        return list(group)
    rows = sorted({i for i, _ in group})
    columns = sorted({j for _, j in group})
    if len(rows) == len(columns) and len(group) == len(rows) ** 2:
        return list(zip(rows, columns, strict=True))  # the only set of that size
    crossed = _crossed(rows, columns, links)
    may_link = set(group)
    # best[q]: for the rows so far and the columns before q, minus the number of pairs, crossings,
    # distance, and the pairs as a chain from the last one.
    best: list[tuple[int, int, int, tuple[object, ...]]] = [(0, 0, 0, ())] * (len(columns) + 1)
    for p, i in enumerate(rows):
        before, best = best, best[:1]
        for q, j in enumerate(columns):
            choice = min(before[q + 1], best[q], key=lambda each: each[:3])
            if (i, j) in may_link:
                n, crossings, distance, chain = before[q]
                linked = (n - 1, crossings + crossed[p][q], distance + abs(i - j), ((i, j), chain))
                if linked[:3] < choice[:3]:
                    choice = linked
            best.append(choice)
    chosen: list[tuple[int, int]] = []
    chain = best[-1][3]
    while chain:
        pair, chain = chain  # type: ignore[assignment]
        chosen.append(pair)  # type: ignore[arg-type]
    return chosen[::-1]


def _crossed(
    rows: Sequence[int], columns: Sequence[int], links: Sequence[tuple[int, int]]
) -> list[list[int]]:
    """Return the number of links of other words that each cell of rows and columns crosses."""
    if not links:
        return [[0] * len(columns)] * len(rows)
    linked = np.array(links)
    # 1 if a link is on the same side of the cell in both sentences, -1 if it crosses.
    in_source = np.sign(linked[:, 0] - np.array(rows)[:, None])
    in_target = np.sign(linked[:, 1] - np.array(columns)[:, None])
    crossed: list[list[int]] = ((len(links) - in_source @ in_target.T) // 2).tolist()
    return crossed
