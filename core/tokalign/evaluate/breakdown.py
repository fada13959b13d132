"""Errors by sentence length, by part of speech, and one by one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from tokalign.evaluate.metrics import (
    Scores,
    choose_links,
    count_pairs,
    harmonic_mean,
    is_content,
    is_identical,
    precision_recall,
    scores_of,
)
from tokalign.files.shipped import LISTS
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice

LENGTH_BINS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 60), (61, None))
"""Bounds of the longer side in tokens, both included."""

_TAG_CLASSES = LISTS.values("tag-classes", str)


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Pooled links of one class, and their micro scores."""

    right: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Share of the predicted links that are right."""
        return precision_recall(self.right, self.predicted, self.gold)[0]

    @property
    def recall(self) -> float:
        """Share of the gold links that were predicted."""
        return precision_recall(self.right, self.predicted, self.gold)[1]

    @property
    def f1(self) -> float:
        """Harmonic mean of both; 1 without any links."""
        total = self.predicted + self.gold
        return 2 * self.right / total if total else 1.0

    def to_json(self) -> dict[str, float]:
        """Return counts and scores as plain values."""
        return {**asdict(self), "precision": self.precision, "recall": self.recall, "f1": self.f1}


@dataclass(frozen=True, slots=True)
class LinkError:
    """One wrong or missing link.

    Attributes
    ----------
    pair : int
        Index of the pair in the corpus.
    id : str
        The pair's id.
    source, target : int
        Token indices.
    is_missing : bool
        True for a gold link that was not predicted, False for a wrong prediction.
    is_possible : bool
        A wrong prediction that gold lists as possible.
    harm : float
        Gain in corpus F1 if only this link were corrected; below 0 if removing a pair's only link
        would leave an empty prediction.
    """

    pair: int
    id: str
    source: int
    target: int
    words: tuple[str, str]
    is_missing: bool
    is_possible: bool
    harm: float


def by_length(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> dict[str, Scores]:
    """Return the scores of each class of `LENGTH_BINS` that has pairs."""
    longest = [max(len(pair.source), len(pair.target), 1) for pair in gold]
    found = {}
    for low, high in LENGTH_BINS:
        if places := [k for k, n in enumerate(longest) if low <= n <= (high or n)]:
            pairs, links = [gold[k] for k in places], [predictions[k] for k in places]
            name = f"{low}-{high}" if high else f"{low}+"
            found[name] = scores_of(count_pairs(pairs, links, choice))
    return found


def by_tag(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> dict[str, LinkCounts]:
    """Return the links by the word class of their target token, most gold links first.

    Pairs whose target has no tags are left out.
    """
    return _by_class(
        gold,
        predictions,
        choice,
        lambda pair, link: tag_class(pair.target.tags[link[1]]) if pair.target.tags else None,
    )


def by_kind(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> dict[str, LinkCounts]:
    """Return the links by whether their words are identical and both are content words."""
    return _by_class(gold, predictions, choice, _kind)


def _kind(pair: GoldPair, link: tuple[int, int]) -> str:
    is_both = is_content(pair.source, link[0]) and is_content(pair.target, link[1])
    likeness = "identical" if is_identical(pair, link) else "non-identical"
    return f"{likeness}, {'content' if is_both else 'function or punctuation'}"


def tag_class(tag: str) -> str:
    """Return the word class of a Penn tag."""
    is_word = any(character.isalpha() for character in tag)
    if not is_word or tag in ("-LRB-", "-RRB-", "HYPH", "NFP"):
        return "punctuation"
    return next((name for prefix, name in _TAG_CLASSES.items() if tag.startswith(prefix)), "other")


def _by_class(
    gold: Sequence[GoldPair],
    predictions: Sequence[Links],
    choice: LinkChoice,
    classify: Callable[[GoldPair, tuple[int, int]], str | None],
) -> dict[str, LinkCounts]:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for pair, predicted in zip(gold, predictions, strict=True):
        wanted, found = choose_links(pair, predicted, choice)
        for place, links in enumerate((wanted & found, found, wanted)):
            for link in links:
                name = classify(pair, link)
                if name is not None:
                    counts[name][place] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1][2], item[0]))
    return {name: LinkCounts(*values) for name, values in ordered}


def list_errors(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> list[LinkError]:
    """Return every wrong and missing link, most harmful first.

    Harm is the exact change of the corpus F1 (harmonic mean of macro precision and recall) when
    the one link is corrected. Ties go by pair, source and target.
    """
    overall = scores_of(count_pairs(gold, predictions, choice))
    errors: list[LinkError] = []
    for index, (pair, predicted) in enumerate(zip(gold, predictions, strict=True)):
        wanted, found = choose_links(pair, predicted, choice)
        sizes = (len(wanted & found), len(found), len(wanted))
        before = precision_recall(*sizes)
        for is_missing, links in ((True, wanted - found), (False, found - wanted)):
            after = precision_recall(
                sizes[0] + is_missing, sizes[1] + (1 if is_missing else -1), sizes[2]
            )
            harm = harmonic_mean(
                overall.precision + (after[0] - before[0]) / len(gold),
                overall.recall + (after[1] - before[1]) / len(gold),
            )
            errors.extend(
                LinkError(
                    index,
                    pair.id,
                    i,
                    j,
                    (pair.source.tokens[i], pair.target.tokens[j]),
                    is_missing,
                    (i, j) in pair.possible and not is_missing,
                    harm - overall.f1,
                )
                for i, j in links
            )
    return sorted(errors, key=lambda each: (-each.harm, each.pair, each.source, each.target))


def worst_word_pairs(errors: Iterable[LinkError]) -> list[tuple[str, str, bool, int, float]]:
    """Return word pairs with their summed harm: (source, target, is_missing, count, harm).

    Words are lower-cased; the most harmful come first.
    """
    sums: defaultdict[tuple[str, str, bool], list[float]] = defaultdict(lambda: [0, 0.0])
    for error in errors:
        entry = sums[(error.words[0].lower(), error.words[1].lower(), error.is_missing)]
        entry[0] += 1
        entry[1] += error.harm
    ordered = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    return [(*key, int(count), harm) for key, (count, harm) in ordered]
