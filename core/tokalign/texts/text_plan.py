"""The plan of aligning the sentences of two texts, independent of what compares them.

Candidates with similarities become *blocks*: first those in order, then those that moved. A block's
gain is the excess of its similarity over `enough`, times its sentences on one side, less a price
for joining sentences. Blocks that keep the order of both texts are the chain of the highest total
gain. A candidate that crosses the chain is taken if it gains more than the blocks of the chain that
share a sentence with it plus the price of moving, unless another candidate fits its sentence as
well.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.english.annotate.prepared import is_short
from tokalign.english.lexicon.word_lists import function_word_set
from tokalign.english.reading.text_reading import words_of
from tokalign.errors import ShapeError
from tokalign.texts.block_forms import BlockForm, forms_of, unlabelled
from tokalign.texts.sentence_candidates import TextCandidate, find_candidates
from tokalign.texts.sentence_matching import UNITS, best_chain
from tokalign.texts.split_text import MOST_TOKENS, sentences_of
from tokalign.types.texts import SentenceSpan

Blocks: TypeAlias = NDArray[np.int32]
"""First old sentence, number of old sentences, first new one, number of new ones; shape (n, 4)."""

Cells: TypeAlias = Sequence[tuple[int, ...]]
"""Sentences of each block: number i of the old text as i, number j of the new one as ~j."""


@dataclass(frozen=True, slots=True)
class Gains:
    """Parameters of blocks' gains.

    The defaults were set by hand. `python -m lab.accuracy texts` finds no better ones: choosing on
    other corpora changes F1 by at most .003, mostly for the worse.
    """

    enough: float = 0.12  # similarity at which a block's gain is 0
    joining: float = 0.2  # price of a block that has two sentences on a side
    moving: float = 0.1  # price of a block that crosses others
    # Least difference in similarity between a block that crosses others and another block that
    # shares sentences with it on only one side
    margin: float = 0.1

    def of(self, blocks: Blocks, similarities: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the gain of each block, in millionths."""
        n_sentences = blocks[:, 1] + blocks[:, 3]
        gains = (similarities - self.enough) * n_sentences / 2 - self.joining * (n_sentences > 2)
        gained: NDArray[np.int64] = np.rint(gains * UNITS).astype(np.int64)
        return gained


GAINS = Gains()


def choose_blocks(
    blocks: Blocks, similarities: NDArray[np.float64], gains: Gains = GAINS
) -> NDArray[np.int64]:
    """Return the numbers of the chosen blocks; no two of them share a sentence.

    `blocks` are sorted by the first old sentence; their similarities, of shape (n,), are in [0, 1].
    """
    gained = gains.of(blocks, similarities)
    likely = np.flatnonzero(gained > 0)
    cells = [_cells(block) for block in blocks.tolist()]
    chain = _chain(blocks, gained, likely)
    moved = _moved(cells, similarities.tolist(), gained.tolist(), chain.tolist(), gains)
    taken = {cell for k in moved for cell in cells[k]}
    free = [k for k in likely.tolist() if taken.isdisjoint(cells[k])]
    kept = _chain(blocks, gained, np.array(free, np.int64))
    return np.concatenate([kept, np.array(moved, np.int64)])


def in_order(blocks: Blocks, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of the chosen blocks did not move: those in order with the most text.

    No two blocks share a sentence. `sizes`, of shape (n,), are the characters of each, above 0.
    """
    order = np.argsort(blocks[:, 0])
    is_kept = np.zeros(len(blocks), np.bool_)
    is_kept[_chain(blocks, sizes, order)] = True
    return is_kept


def _chain(
    blocks: Blocks, gained: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the numbers of the blocks of the best chain."""
    chosen: NDArray[np.int64] = numbers[best_chain(blocks[numbers], gained[numbers])]
    return chosen


def _cells(block: Sequence[int]) -> tuple[int, ...]:
    i, n_old, j, n_new = block
    return (*range(i, i + n_old), *(~k for k in range(j, j + n_new)))


def _moved(
    cells: Cells,
    similarities: Sequence[float],
    gained: Sequence[int],
    chain: Iterable[int],
    gains: Gains,
) -> list[int]:
    """Return the blocks that cross the chain and gain more, by falling gain."""
    holders = {cell: k for k in chain for cell in cells[k]}
    price = round(gains.moving * UNITS)
    on_chain = set(holders.values())

    def is_gain(k: int) -> bool:
        lost = {holders[cell] for cell in cells[k] if cell in holders}
        return k not in on_chain and gained[k] - price > sum(gained[each] for each in lost)

    def has_rival(k: int) -> bool:
        """Whether a block shares sentences with this one on only one side, and is as similar;
        those that share sentences on both sides are not rivals but variants."""
        for cell in cells[k]:
            for other in rivals[cell]:
                if similarities[other] <= similarities[k] - gains.margin:
                    break
                shared = set(cells[k]).intersection(cells[other])
                if min(shared) >= 0 or max(shared) < 0:
                    return True
        return False

    crossing = [k for k in range(len(cells)) if is_gain(k)]
    rivals: dict[int, list[int]] = {}
    for k in sorted(crossing, key=lambda k: (-similarities[k], k)):
        for cell in cells[k]:
            rivals.setdefault(cell, []).append(k)
    moved: list[int] = []
    taken: set[int] = set()
    for k in sorted(crossing, key=lambda k: (-gained[k], k)):
        if taken.isdisjoint(cells[k]) and not has_rival(k):
            moved.append(k)
            taken.update(cells[k])
    return moved


BETTER = 0.02
"""By how much a pair with a joined side must be the better one: a short sentence of common words,
which `similarity` hardly weighs, adds less."""


def _may_join(candidate: TextCandidate, similarities: Mapping[TextCandidate, float]) -> bool:
    """Whether sentences may be paired as one.

    One sentence with two: if it goes better with both than with either alone. Two with two: if one
    of the four goes better with two of the others than any with one, since then words have crossed
    the end of a sentence.
    """
    i, n_old, j, n_new = candidate
    if n_old + n_new == 2:
        return True

    def best(parts: Iterable[tuple[int, int, int, int]]) -> float:
        return max(similarities.get(TextCandidate(*part), 0.0) for part in parts)

    if n_old + n_new == 3:
        alone = best((i + k, 1, j + m, 1) for k in range(n_old) for m in range(n_new))
        return similarities[candidate] > alone + BETTER
    joined = best([(i, 1, j, 2), (i + 1, 1, j, 2), (i, 2, j, 1), (i, 2, j + 1, 1)])
    return joined > best([(i, 1, j, 1), (i + 1, 1, j + 1, 1)])


class BlockPlan(NamedTuple):
    """Sentences that correspond; see TextBlock."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    moved: bool


class TextPlan:
    """Sentences of two texts, and the candidates to compare.

    Examples
    --------
    >>> plan = TextPlan.of("Dogs bark.", "Dogs barked.")
    >>> list(plan.pairs())
    [('Dogs bark.', 'Dogs barked.')]
    >>> plan.decide([0.9])
    (BlockPlan(old=(0,), new=(0,), moved=False),)
    """

    def __init__(
        self,
        old_text: str,
        new_text: str,
        old: tuple[SentenceSpan, ...],
        new: tuple[SentenceSpan, ...],
    ) -> None:
        self.old_text = old_text
        self.new_text = new_text
        self.old = old
        self.new = new
        candidates, self._same = find_candidates(
            [unlabelled(each.text) for each in old], [unlabelled(each.text) for each in new]
        )
        paired = (
            {i for each in self._same for i in each.old},
            {j for each in self._same for j in each.new},
        )
        candidates += [TextCandidate(i, 1, j, n) for i, j, n in listed_items(old, new, paired)] + [
            TextCandidate(i, n, j, 1) for j, i, n in listed_items(new, old, paired[::-1])
        ]
        forms = (
            forms_of(old_text, [each.start for each in old]),
            forms_of(new_text, [each.start for each in new]),
        )
        self.candidates = [each for each in sorted(candidates) if self._are_alike(each, forms)]

    @classmethod
    def of(cls, old_text: str, new_text: str) -> Self:
        """Return the plan for two texts.

        Raises InputError if a text holds lone surrogates, and LimitError if it has more than
        MAX_TEXT_SENTENCES sentences that the other one lacks; the field is ``old_text`` or
        ``new_text``.
        """
        old = sentences_of(old_text, "old_text", None)
        return cls(old_text, new_text, old, sentences_of(new_text, "new_text", None))

    def _are_alike(
        self, candidate: TextCandidate, forms: tuple[list[BlockForm], list[BlockForm]]
    ) -> bool:
        """Whether sentences have one form, or are the same but for their marks."""
        both = {forms[0][k] for k in candidate.old} | {forms[1][k] for k in candidate.new}
        if len(both) == 1:
            return True
        old, new = (
            re.findall(r"\w+", words_of(text).lower())
            for text in self.texts(candidate.old, candidate.new)
        )
        return old == new

    def _is_one_enough(self, candidate: TextCandidate) -> bool:
        """Whether one of two joined sentences has all content words of the one on the other side.

        What stands beside it came or went, though the two may share a word such as must.
        """
        if len(candidate.old) + len(candidate.new) != 3:
            return False
        sides = [self.old[k] for k in candidate.old], [self.new[k] for k in candidate.new]
        one, two = sorted(sides, key=len)
        words = _words(one) - function_word_set()
        return bool(words) and any(words <= _words([each]) for each in two)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield the old and the new text of each candidate, without labels."""
        for each in self.candidates:
            old, new = self.texts(each.old, each.new)
            yield unlabelled(old), unlabelled(new)

    def texts(self, old: Sequence[int], new: Sequence[int]) -> tuple[str, str]:
        """Return both texts from the first to the last of some sentences."""
        return (
            self.old_text[self.old[old[0]].start : self.old[old[-1]].end],
            self.new_text[self.new[new[0]].start : self.new[new[-1]].end],
        )

    def decide(self, similarities: Sequence[float], gains: Gains = GAINS) -> tuple[BlockPlan, ...]:
        """Return the blocks of both texts, given how similar each candidate's sides are, in [0, 1].

        They are in the order of TextAlignment.blocks; each sentence is part of exactly one. Raises
        ShapeError if there is not one similarity per candidate.
        """
        if len(similarities) != len(self.candidates):
            raise ShapeError(
                f"{len(similarities)} similarities for {len(self.candidates)} candidates; give one "
                "for each"
            )
        known = [(each, 1.0) for each in self._same]
        known += zip(self.candidates, map(float, similarities), strict=True)
        similarity_of = dict(known)
        known = sorted(
            each
            for each in known
            if _may_join(each[0], similarity_of) and not self._is_one_enough(each[0])
        )
        blocks = np.array([each for each, _ in known], np.int32).reshape(-1, 4)
        chosen = choose_blocks(blocks, np.array([similarity for _, similarity in known]), gains)
        candidates = [known[k][0] for k in chosen]
        sizes = [sum(map(len, self.texts(each.old, each.new))) for each in candidates]
        kept = in_order(blocks[chosen], np.array(sizes, np.int64)).tolist()
        return self._ordered(
            BlockPlan(each.old, each.new, not is_kept)
            for each, is_kept in zip(candidates, kept, strict=True)
            if is_kept or any(map(str.isalnum, self.texts(each.old, each.new)[0]))  # no mere marks
        )

    def _ordered(self, chosen: Iterable[BlockPlan]) -> tuple[BlockPlan, ...]:
        """Return the blocks and the unmatched sentences, in order."""
        blocks = list(chosen)
        used_new = {j for each in blocks for j in each.new}
        used_old = {i for each in blocks for i in each.old}
        blocks += [BlockPlan((), (j,), False) for j in range(len(self.new)) if j not in used_new]
        by_end = {each.old[-1]: each.new for each in blocks if each.old}
        place: tuple[int, ...] = ()
        places = []
        # A deleted sentence comes after the block that ends before it in the old text.
        for i in range(len(self.old)):
            if i not in used_old:
                places.append(((place, i), BlockPlan((i,), (), False)))
            place = by_end.get(i, place)
        places += [((each.new, -1), each) for each in blocks]
        return tuple(each for _, each in sorted(places))


_ITEM = re.compile(r"(?:[-+*\u2022]|#\.|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s")
_WORD = re.compile(r"\w+")
LEAST_SHARED = 0.5
"""Least share of the words of a list that a sentence has, too."""
MOST_HELD = 50
"""Words in more sentences than this are not looked up."""


def listed_items(
    sentences: Sequence[SentenceSpan],
    others: Sequence[SentenceSpan],
    paired: tuple[Collection[int], Collection[int]],
) -> Iterator[tuple[int, int, int]]:
    """Yield a sentence of one text, and the first and the number of those of the other text that
    are its list: three or more, of which all but the first are items. Sentences of both texts that
    are `paired` are identical with one of the other text."""
    runs = [*_runs(others, paired[1])]
    if not runs:
        return
    holders: dict[str, list[int]] = {}
    for k, each in enumerate(sentences):
        if k not in paired[0]:
            for word in _words([each]):
                holders.setdefault(word, []).append(k)
    for first, end in runs:
        words = _words(others[first:end])
        held = (holders.get(word, []) for word in words)
        shared = Counter(k for each in held if len(each) <= MOST_HELD for k in each)
        for k, n in shared.most_common(1):
            text = " ".join(each.text for each in others[first:end])
            if n >= LEAST_SHARED * len(words) and is_short(text, MOST_TOKENS):
                yield k, first, end - first


def _runs(sentences: Sequence[SentenceSpan], paired: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of sentences that are lists with what introduces them."""
    k = 0
    while k < len(sentences):
        first = k
        while k < len(sentences) and k not in paired and _ITEM.match(sentences[k].text):
            k += 1
        if first and first - 1 not in paired and sentences[first - 1].text.endswith(":"):
            first -= 1
        if k - first > 2:
            yield first, k
        k += 1


def _words(sentences: Sequence[SentenceSpan]) -> set[str]:
    return {word for each in sentences for word in _WORD.findall(words_of(each.text).lower())}
