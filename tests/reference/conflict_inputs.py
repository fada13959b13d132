"""Slow twin of the inputs by which a place of two sentences is judged."""

from __future__ import annotations

from math import log1p

from tokalign.english.lexicon.word_lists import negates, token_weight

from reference.agreement import of_one_dimension
from reference.clauses import REACH, Found
from reference.conflicts import Conflicts
from reference.value_pieces import Said
from reference.words import Word

WAYS = (
    "values", "signs", "units", "codes", "names", "opposites", "scales", "negation", "verb",
    "comparison", "place", "one-side", "nouns",
)  # fmt: skip
KINDS = (
    "value", "name", "negation", "modality", "quantity", "opposite", "roles", "condition", "code",
)  # fmt: skip


def inputs_of(places: Conflicts, place: Found) -> dict[str, float]:
    """Return the inputs of a place, by name; those that are 0 may be missing."""
    i, j = place.source, place.target
    pair = places.pair
    cell = (i, j)
    found = {f"by-{way}": float(way == place.way) for way in WAYS}
    found |= {"kind": KINDS.index(place.kind), "place": place.place, "link": 0.0}
    if places.best[1].get(j) == i:
        found["link"] = places.confidence[1][j]
    if places.best[0].get(i) == j:
        found["link"] = places.confidence[0][i]
    for side, name, at in ((0, "source", i), (1, "target", j)):
        words, linked = places.sides[side], places.best[side]
        weights = [weight(places, word) for word in words]
        others = [k for k in range(len(words)) if k != at]
        alike = sum(weights[k] * alikeness(places, side, k) for k in others)
        near = [k for k in range(max(at - REACH, 0), min(at + REACH + 1, len(words))) if k != at]
        free = [
            k
            for k, w in enumerate(words)
            if w.kind == "content" and k not in linked and not negates(w.lower, w.lemma)
        ]
        first = max((k for k in linked if k < at), default=-1)
        end = min((k for k in linked if k > at), default=len(words))
        found |= {
            f"{name}-covered": share(weights, range(len(words)), linked),
            f"{name}-alike": alike / (sum(weights[k] for k in others) or 1.0),
            f"{name}-near": share(weights, near, linked),
            f"{name}-asks": float(words[-1].lower == "?"),
            f"{name}-content": log1p(sum(w.kind == "content" for w in words)),
            f"{name}-weight": weights[at],
            f"{name}-gap": sum(first < k < end and k != at for k in free),
            f"{name}-free": log1p(len(free)),
        }
    one, other = places.value_at(0, i), places.value_at(1, j)
    n_negations = [sum(negates(w.lower, w.lemma) for w in side) for side in places.sides]
    return found | {
        "strength": pair.V(i, j),
        "word-cosine": pair.cosines.get(cell, 0.0),
        "is-antonym": float("antonym" in pair.relations[cell]),
        "has-one-tag": float(places.source[i].tag == places.target[j].tag),
        "negations": abs(n_negations[0] - n_negations[1]),
        "others": log1p(len(places.found) - 1),
        "around": pair.window(i, j),
        "value-kind": -1.0 if one is None else float(one.kind),
        "has-one-unit": float(
            one is not None
            and other is not None
            and (unit(one) == unit(other) or of_one_dimension(one, other))
        ),
    }


def alikeness(places: Conflicts, side: int, at: int) -> float:
    """Return how like the likest word of the other side is: by its strength, the cosine where both
    have no partner, or the link where the word is in a place."""
    pair = places.pair
    line = pair.row(at) if side == 0 else pair.column(at)
    free = [cell for cell in line if cell in pair.cosines and pair.lacks_partner(*cell)]
    share = places.confidence[side].get(at, 0.0) if places.is_told(side, at) else 0.0
    return max([share, pair.best(line), *(pair.cosines[cell] for cell in free)])


def unit(value: Said) -> tuple[object, object]:
    code = value.facts.get("code")
    return value.kind, None if code == -1 else code


def weight(places: Conflicts, word: Word) -> float:
    frequencies = places.pair.frequencies
    assert frequencies is not None
    return token_weight(word.form, word.raw_tag, frequencies.idf(word.lemma))


def share(weights: list[float], among: list[int] | range, linked: dict[int, int]) -> float:
    whole = sum(weights[k] for k in among)
    return sum(weights[k] for k in among if k in linked) / whole if whole else 0.0
