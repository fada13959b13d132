"""Counts of right and wrong links, pair by pair; every score is a function of their sums."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import InputError, ShapeError, quoted
from tokalign.files.shipped import LISTS
from tokalign.types import GoldPair, Links, Sentence
from tokalign.types.options import LinkChoice

COLUMNS = (
    "pairs",  # 1 per pair
    "precision",  # of the pair
    "recall",  # of the pair
    "exact",  # 1 if prediction and gold are the same set
    "right",  # links in both
    "predicted",
    "gold",
    "right_identical",  # the same three over links between tokens equal ignoring case
    "predicted_identical",
    "gold_identical",
    "right_content",  # and over links between two content words
    "predicted_content",
    "gold_content",
    "all_predicted",  # before the choice of links: |A|, |A & S|, |A & (S | P)|, |S|
    "all_right_sure",
    "all_right_possible",
    "all_sure",
)
"""Meaning of each column of `count_pairs`."""
FUNCTION_WORDS = frozenset(LISTS.words("closed-class"))
"""Closed-class English words in lower case, with the clitics of Penn tokenisation."""


def choose_links(
    gold: GoldPair, predicted: Links, choice: LinkChoice
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """Return the gold and the predicted links to compare."""
    if choice is LinkChoice.SURE_AND_POSSIBLE:
        return gold.sure | gold.possible, frozenset(predicted)
    if choice is LinkChoice.IGNORE_POSSIBLE:
        return gold.sure, frozenset(predicted) - gold.possible
    return gold.sure, frozenset(predicted)


def precision_recall(n_right: int, n_predicted: int, n_gold: int) -> tuple[float, float]:
    """Return a pair's precision and recall.

    An empty prediction has precision 0 and empty gold has recall 0, as jacana-align scores them,
    unless both are empty: then both are 1.
    """
    if n_predicted == 0 and n_gold == 0:
        return 1.0, 1.0
    return n_right / n_predicted if n_predicted else 0.0, n_right / n_gold if n_gold else 0.0


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def is_identical(gold: GoldPair, link: tuple[int, int]) -> bool:
    """Return whether a link joins two tokens that are equal ignoring case."""
    source, target = gold.source.tokens[link[0]], gold.target.tokens[link[1]]
    return source.lower() == target.lower()


def is_content(sentence: Sentence, index: int) -> bool:
    """Return whether a token is a content word: not in `FUNCTION_WORDS` and not punctuation."""
    token = sentence.tokens[index].lower()
    return token not in FUNCTION_WORDS and any(character.isalnum() for character in token)


def count_pairs(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> NDArray[np.float64]:
    """Return the counts of every pair, a float64 array of shape (n_pairs, len(COLUMNS)); raise
    ShapeError unless there is one prediction for each pair, InputError if there are no pairs, or a
    link is out of range."""
    if len(gold) != len(predictions):
        raise ShapeError(f"{len(predictions)} predictions for {len(gold)} gold pairs")
    if not gold:
        raise InputError("no pairs to score")
    rows = [_count(*row, choice) for row in zip(gold, predictions, strict=True)]
    return np.array(rows, dtype=np.float64)


def _count(gold: GoldPair, predicted: Links, choice: LinkChoice) -> list[float]:
    for i, j in predicted:
        if not (0 <= i < len(gold.source) and 0 <= j < len(gold.target)):
            raise InputError(
                f"pair {quoted(gold.id)}: predicted link {i}-{j}, but the sentences have "
                f"{len(gold.source)} and {len(gold.target)} tokens"
            )
    wanted, found = choose_links(gold, predicted, choice)
    right = wanted & found
    row = [1.0, *precision_recall(len(right), len(found), len(wanted)), float(found == wanted)]
    sets = (right, found, wanted)
    row += [len(links) for links in sets]
    row += [sum(is_identical(gold, link) for link in links) for links in sets]
    row += [len(content_links(gold, links)) for links in sets]
    row += [len(predicted), len(predicted & gold.sure)]
    row += [len(predicted & (gold.sure | gold.possible)), len(gold.sure)]
    return row


def content_links(gold: GoldPair, links: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the links between two content words."""
    return [(i, j) for i, j in links if is_content(gold.source, i) and is_content(gold.target, j)]
