"""Train the judge of conflicts, and judge it by folds of topics.

    python -m lab.recipes.conflicts --data DATA --output core/tokalign/data/conflicts.table.xz

Examples are the places that tokalign.relations.conflicts finds in aligned pairs. Those of the
project's own corpus are conflicts where people marked one at their words; all its tasks are learned
from, pairs that say unlike things and candidates of questions among them. Further examples:

- pairs in which one thing was changed (`made_conflicts`), of weight MADE_WEIGHT, and changed copies
  of sentences and of short pieces of them, as they are, with a pronoun for the first noun,
  without the last words, or without a condition, and labels of yes and no beside sentences, of
  COPY_WEIGHT,
- sentences of pages beside claims of WiCE; a word that people found supported by them is in no
  conflict. They weigh WICE_WEIGHT, and only the training part is used,
- these claims beside the sentences that support them, with one supported thing changed, of
  CHANGED_WEIGHT: claims say their evidence in other words. Names are not changed, since another
  name stands in most of the sentences about something else,
- long sentences of these pages beside one of their clauses (`condensed`), as it is and changed, of
  CLAUSE_WEIGHT: answers tell one thing of many,
- each pair twice, by the default, which has seen nothing of research terms: as `align` reads it,
  the longer sentence first and in the style chosen for it, and as `ground` reads evidence and
  answers, as they stand and in the first style. Figures are of the former alone.

The trees' size and the weights were chosen by folds of the training part, out of some twenty that
were within .02 of one another in average precision. `least` is the lowest probability that makes
PRECISION of the pairs right that are told to be in conflict, and tells a conflict in no more than
MOST_FALSE of the others, by folds.

Prints what folds of the training part and the development part have: per pair of claims, versions,
paraphrases and simplifications how many conflicts are found and told rightly, and how many pairs
without one have one told; per kind how many are found and told rightly; and the reliability of the
probabilities.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from tokalign import Aligner, Sentence
from tokalign.decoding.backend import AT_ONCE, Extras
from tokalign.decoding.by_model import ModelBackend
from tokalign.files.tables import write_table
from tokalign.relations.conflicts import CONFLICT_INPUTS, ConflictJudge
from tokalign.types import SentenceLike
from tokalign.types.columns import AlignmentColumns, columns_of
from tokalign.types.options import AlignOptions
from tokalign.types.relations import CONFLICT_KINDS, ConflictKind

from lab.recipes.condensed import condensed_pairs
from lab.recipes.corpora import OwnPair, own_marks
from lab.recipes.forests import forest_arrays
from lab.recipes.made_conflicts import (
    NOUNS,
    MadeConflict,
    dropped_condition,
    faced_bounds,
    made_conflicts,
)
from lab.recipes.settings import LICENSES
from lab.recipes.tree_chunks import with_trees

ALIGNER = "en"
MADE_WEIGHT, COPY_WEIGHT, WICE_WEIGHT = 1.0, 1.0, 1.5
CHANGED_WEIGHT, CLAUSE_WEIGHT = 0.3, 0.3
N_FOLDS = 5
SEED = 3
N_ORDERS = 5
"""Orders of topics, for folds; all of them tell the scaling and the least probability."""
PRECISION, MOST_FALSE = 0.8, 0.04
ASSERTIONS = ("claim", "versions", "paraphrase", "simplification")
"""Tasks in whose pairs conflicts are counted."""
REPHRASED = ("versions", "paraphrase", "simplification")
ADDED = ("made", "copy", "wice", "clause", "changed")
SCOPED = frozenset(
    (ConflictKind.NEGATION, ConflictKind.MODALITY, ConflictKind.QUANTITY, ConflictKind.CONDITION)
)
"""Kinds whose word may be marked, or what it governs."""
REACH = 3
"""Tokens between the two."""
SHORTEST, LONGEST = 4, 9
"""Tokens of a piece."""
N_COPIES = 1200
NEAR_START = 4
LABELS = ("true", "yes", "false", "no")
N_LAST = 3
"""Words that a copy lacks."""
N_OTHERS = 3
"""Sentences of a page that share most words with a claim."""
MOST_CITED = 2
"""Sentences that support a claim together, of which each is taken for its changed copies."""
UNCHANGED = (
    (ConflictKind.NAME, ConflictKind.VALUE, ConflictKind.OPPOSITE, ConflictKind.ROLES),
    (ConflictKind.NAME,),
) * 2
"""Kinds of conflict that are not made, for each copy of a claim."""
N_CLAUSES = 1500
LEAST_LONG, MOST_LONG = 18, 60
"""Words of sentences of which a clause is taken."""
LONG = 3
"""Letters of a word that counts for that, at least."""
TREES = {
    "max_iter": 60,
    "learning_rate": 0.12,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 30,
    "l2_regularization": 5.0,
    "random_state": 0,
}

_Array = NDArray[np.float64]
Marks = Sequence[Mapping[str, Any]]
FoundPlace: TypeAlias = tuple[ConflictKind, int, int]
"""Kind, source and target token of a place."""


@dataclass(slots=True)
class ScoredPair:
    """The places of a pair.

    Attributes
    ----------
    origin, topic : str
        The corpus' task, or one of ADDED; topics are whole in one fold.
    marks : sequence of mapping
        The conflicts that people marked.
    places : sequence of FoundPlace
    inputs : float32 array, shape (n_places, n_inputs)
    is_right : float64 array, shape (n_places,)
    weights : float64 array, shape (n_places,)
    is_grounded : bool
        Whether the pair was aligned as `ground` does it.
    """

    origin: str
    topic: str
    marks: Marks
    places: Sequence[FoundPlace]
    inputs: NDArray[np.float32]
    is_right: _Array
    weights: _Array
    is_grounded: bool


def is_marked(place: FoundPlace, marks: Marks) -> bool:
    """Whether people marked a conflict at a place."""
    kind, source, target = place
    for mark in marks:
        if source in mark["source"] or target in mark["target"]:
            return True
        if kind is ConflictKind.ROLES and mark["kind"] == kind.value:
            return True  # of the clause as a whole
        if kind in SCOPED and ConflictKind(mark["kind"]) in SCOPED:
            gaps = [abs(source - each) for each in mark["source"]]
            gaps += [abs(target - each) for each in mark["target"]]
            if min(gaps) <= REACH:
                return True
    return False


def finder(model: str) -> Aligner:
    """Return an aligner that tells all places, with the inputs of the judge."""
    aligner = Aligner.load(model)
    backend = aligner._engine.backend
    if not isinstance(backend, ModelBackend):
        raise TypeError(f"{model} is no model without an encoder")
    backend.use_judge(ConflictJudge())
    return aligner


def places_of(
    aligner: Aligner, pairs: Sequence[tuple[SentenceLike, SentenceLike]]
) -> Iterator[tuple[list[FoundPlace], NDArray[np.float32]]]:
    """Yield the places of each pair as `align` reads it, and their inputs."""
    for alignment in aligner.pipe(pairs):
        yield _places(*columns_of(alignment))


def _places(columns: AlignmentColumns, at: int) -> tuple[list[FoundPlace], NDArray[np.float32]]:
    assert columns.conflict_inputs is not None
    first, end = columns.conflict_offsets[at : at + 2]
    places = [
        (CONFLICT_KINDS[each["kind"]], int(each["source"]), int(each["target"]))
        for each in columns.conflicts[first:end]
    ]
    return places, columns.conflict_inputs[first:end]


def places_as_grounded(
    aligner: Aligner, pairs: Sequence[tuple[SentenceLike, SentenceLike]]
) -> Iterator[tuple[list[FoundPlace], NDArray[np.float32]]]:
    """Yield the places of each pair as `ground` reads it, and their inputs."""
    options, backend = AlignOptions(), aligner._engine.backend
    sides = [aligner.annotate(side) for side in zip(*pairs, strict=True)]
    given = list(zip(*sides, strict=True))
    for start in range(0, len(given), AT_ONCE):
        encoded = backend.encode(given[start : start + AT_ONCE], options, compares=True)
        columns = backend.decide(encoded, options, Extras(supports=True)).columns
        for at in range(len(encoded)):
            yield _places(columns, at)


@dataclass(frozen=True, slots=True)
class PairInConflict:
    """A pair to be aligned, with its marks."""

    source: SentenceLike
    target: SentenceLike
    marks: Marks
    origin: str
    topic: str
    supported: Sequence[bool] | None = None
    """Of WiCE: which target tokens are surely in no conflict; others are left out."""


def own_part(part: str) -> list[PairInConflict]:
    """Return the pairs of a part of the project's own corpus."""
    return [
        PairInConflict(
            pair.gold.source, pair.gold.target, pair.marks["conflicts"], pair.marks["task"],
            pair.topic,
        )
        for pair in own_marks(part)
    ]  # fmt: skip


def made_part() -> list[PairInConflict]:
    """Return made conflicts in the training part's pairs."""
    same = [pair for pair in own_marks("train") if _says_the_same(pair)]
    targets = with_trees([pair.gold.target for pair in same])
    sources = with_trees([pair.gold.source for pair in same])
    pairs = [
        (pair.gold.source, target, pair.gold.sure)
        for pair, target in zip(same, targets, strict=True)
    ]
    pairs += [
        (pair.gold.target, source, frozenset((j, i) for i, j in pair.gold.sure))
        for pair, source in zip(same, sources, strict=True)
    ]
    topics = {
        side.tokens: pair.topic for pair in same for side in (pair.gold.source, pair.gold.target)
    }
    return [
        PairInConflict(each.source, each.target, each.conflicts, "made", topics[each.source.tokens])
        for each in made_conflicts(pairs, SEED)
    ]


def copied_part() -> list[PairInConflict]:
    """Return the training part's sentences, and short pieces of them, beside changed copies."""
    topics = {
        side.tokens: pair.topic
        for pair in own_marks("train")
        for side in (pair.gold.source, pair.gold.target)
    }
    chance = random.Random(SEED)
    pieces = {}
    for tokens, topic in topics.items():
        start = chance.randrange(max(len(tokens) - SHORTEST, 1))
        pieces[tokens[start : start + chance.randint(SHORTEST, LONGEST)]] = topic
    topics |= {tokens: topic for tokens, topic in pieces.items() if len(tokens) >= SHORTEST}
    chosen = chance.sample(sorted(topics), N_COPIES)
    sentences = with_trees([Sentence.from_tokens(tokens) for tokens in chosen])
    ways = (_copied, _with_pronoun, _shortened)
    pairs = [ways[number % len(ways)](each) for number, each in enumerate(sentences)]
    found = [
        PairInConflict(each.source, each.target, each.conflicts, "copy", topics[each.source.tokens])
        for each in made_conflicts(pairs, SEED)
    ]
    found += _labelled(sentences, topics)
    for sentence in sentences:
        found += [
            PairInConflict(*each, "copy", topics[sentence.tokens])
            for each in (*faced_bounds(sentence, chance), *dropped_condition(sentence))
        ]
    return found


def _labelled(
    sentences: Sequence[Sentence], topics: Mapping[tuple[str, ...], str]
) -> Iterator[PairInConflict]:
    """Yield labels of yes and no beside sentences that say or deny it: "dry": true, It is dry."""
    number = 0
    for sentence in sentences:
        tags = sentence.tags or ()
        for at, tag in enumerate(tags[:-1], 1):
            word = sentence.tokens[at].lower()
            if tags[at] != "JJ" or tag not in ("VBZ", "VBD", "VBP") or not word.isalpha():
                continue
            said, is_denied = LABELS[number % len(LABELS)], number // len(LABELS) % 2
            number += 1
            label = ("``", word, "''", ":", said)
            told = ("It", "is", *(["not"] if is_denied else []), word, ".")
            is_conflict = bool(is_denied) == (said in LABELS[:2])
            marks = [{"kind": "negation", "source": [1], "target": [len(told) - 2]}]
            yield PairInConflict(
                Sentence.from_tokens(label), Sentence.from_tokens(told),
                marks if is_conflict else [], "copy", topics[sentence.tokens],
            )  # fmt: skip


def _copied(sentence: Sentence) -> tuple[Sentence, Sentence, frozenset[tuple[int, int]]]:
    return sentence, sentence, frozenset((k, k) for k in range(len(sentence)))


def _with_pronoun(sentence: Sentence) -> tuple[Sentence, Sentence, frozenset[tuple[int, int]]]:
    """Return a sentence, and a copy whose first noun and what is before it are a pronoun."""
    tags = sentence.tags or ()
    first = next((k for k, tag in enumerate(tags[:NEAR_START]) if tag in NOUNS), None)
    if first is None or first + 1 == len(tags):
        return _copied(sentence)
    pronoun = "They" if tags[first] == "NNS" else "It"
    (copy,) = with_trees([Sentence.from_tokens((pronoun, *sentence.tokens[first + 1 :]))])
    links = frozenset((first + k, k) for k in range(1, len(copy)))
    return sentence, copy, links


def _shortened(sentence: Sentence) -> tuple[Sentence, Sentence, frozenset[tuple[int, int]]]:
    """Return a sentence, and a copy without its last words."""
    end = len(sentence) - N_LAST
    if end < SHORTEST:
        return _copied(sentence)
    (copy,) = with_trees([Sentence.from_tokens(sentence.tokens[:end])])
    return sentence, copy, frozenset((k, k) for k in range(end))


def _says_the_same(pair: OwnPair) -> bool:
    return not pair.marks["conflicts"] and (
        pair.marks["task"] in REPHRASED or pair.marks.get("verdict") == "supported"
    )


def _wice_rows(data: Path) -> list[dict[str, Any]]:
    path = data / "wice" / "tokens-train.jsonl"
    return list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


def _wice_topic(row: Mapping[str, Any]) -> str:
    return f"wice/{row['meta']['id'].rsplit('-', 1)[0]}"


def wice_part(data: Path) -> list[PairInConflict]:
    """Return claims of WiCE's training part beside sentences of their pages."""
    found = []
    for row in _wice_rows(data):
        evidence, tokens = row["evidence"], row["claim_tokens"]
        words = {each.lower() for each in tokens if each.isalnum() and len(each) > LONG}
        shared = [-len(words & set(each.lower().split())) for each in evidence]
        near = sorted(range(len(evidence)), key=shared.__getitem__)[:N_OTHERS]
        cited = [at for group in row["supporting_sentences"] for at in group]
        supported = [not each for each in row["non_supported_spans"]]
        claim, topic = Sentence.from_tokens(tokens), _wice_topic(row)
        found += [
            PairInConflict(evidence[at], claim, (), "wice", topic, supported)
            for at in dict.fromkeys([*cited, *near])
            if at < len(evidence) and evidence[at].strip()
        ]
    return found


def _annotated(texts: Sequence[str]) -> list[Sentence]:
    found = Aligner.load(ALIGNER).annotate(texts)
    return [Sentence.from_tokens(each.tokens) for each in found]


def changed_part(data: Path) -> list[PairInConflict]:
    """Return claims of WiCE's training part, with a supported thing changed, beside sentences that
    support them."""
    cited = [
        (row["evidence"][at], row)
        for row in _wice_rows(data)
        for at in dict.fromkeys(
            group[0] for group in row["supporting_sentences"] if len(group) <= MOST_CITED
        )
        if at < len(row["evidence"]) and row["evidence"][at].strip()
    ]
    sources = _annotated([text for text, _ in cited])
    claims = with_trees([Sentence.from_tokens(row["claim_tokens"]) for _, row in cited])
    supported = [[not each for each in row["non_supported_spans"]] for _, row in cited]
    pairs = []
    alignments = Aligner.load(ALIGNER).pipe(list(zip(sources, claims, strict=True)))
    for source, claim, is_held, found in zip(sources, claims, supported, alignments, strict=True):
        links = frozenset((e.source, e.target) for e in found.links if is_held[e.target])
        pairs.append((source, claim, links))
    known = {
        source.tokens: (claim, is_held, _wice_topic(row))
        for source, claim, is_held, (_, row) in zip(sources, claims, supported, cited, strict=True)
    }
    changed = []
    for number, without in enumerate(UNCHANGED):
        for each in made_conflicts(pairs, SEED + number, without):
            claim, is_held, topic = known[each.source.tokens]
            own = [True] * len(each.target)
            blocks = SequenceMatcher(None, claim.tokens, each.target.tokens, False)
            for i, j, n in blocks.get_matching_blocks():
                own[j : j + n] = is_held[i : i + n]
            changed.append(
                PairInConflict(each.source, each.target, each.conflicts, "changed", topic, own)
            )
    return changed


def clause_part(data: Path) -> list[PairInConflict]:
    """Return long sentences of the pages of WiCE's training part beside their clauses, as they are
    and changed; half of them the clause first, as evidence may be the shorter side."""
    topics = {
        text: _wice_topic(row)
        for row in _wice_rows(data)
        for text in row["evidence"]
        if LEAST_LONG <= len(text.split()) <= MOST_LONG
    }
    texts = random.Random(SEED).sample(sorted(topics), N_CLAUSES)
    sentences = _annotated(texts)
    topic_of = {each.tokens: topics[text] for each, text in zip(sentences, texts, strict=True)}
    pairs = list(condensed_pairs(sentences, SEED))
    made = [MadeConflict(source, target, []) for source, target, _ in pairs]
    found = []
    for number, each in enumerate((*made, *made_conflicts(pairs, SEED))):
        topic = topic_of[each.source.tokens]
        if number % 2:
            turned = [{**e, "source": e["target"], "target": e["source"]} for e in each.conflicts]
            found.append(PairInConflict(each.target, each.source, turned, "clause", topic))
        else:
            found.append(PairInConflict(each.source, each.target, each.conflicts, "clause", topic))
    return found


def _is_known(place: FoundPlace, marks: Marks) -> bool:
    """Return whether it is known if a place of a condensed sentence is a conflict: a condition that
    was left out with its own clause may be one of the clause that stayed."""
    return place[0] is not ConflictKind.CONDITION or is_marked(place, marks)


def judged(
    pairs: Sequence[PairInConflict], aligner: Aligner, weight: float
) -> Iterator[ScoredPair]:
    """Yield the places of pairs as `align` and as `ground` reads them."""
    sides = [(each.source, each.target) for each in pairs]
    for read in (places_of, places_as_grounded):
        for pair, (places, inputs) in zip(pairs, read(aligner, sides), strict=True):
            kept = [
                at
                for at, place in enumerate(places)
                if (pair.supported is None or pair.supported[place[2]])
                and (pair.origin != "clause" or _is_known(place, pair.marks))
            ]
            own = [places[at] for at in kept]
            is_right = np.array([is_marked(place, pair.marks) for place in own], np.float64)
            yield ScoredPair(
                pair.origin, pair.topic, pair.marks, own, inputs[kept], is_right,
                np.full(len(own), weight), read is places_as_grounded,
            )  # fmt: skip


def examples(data: Path) -> list[ScoredPair]:
    """Return all examples of the training parts."""
    aligner = finder(ALIGNER)
    return [
        each
        for pairs, weight in (
            (own_part("train"), 1.0),
            (made_part(), MADE_WEIGHT),
            (copied_part(), COPY_WEIGHT),
            (wice_part(data), WICE_WEIGHT),
            (clause_part(data), CLAUSE_WEIGHT),
            (changed_part(data), CHANGED_WEIGHT),
        )
        for each in judged(pairs, aligner, weight)
    ]


def fit(some: Sequence[ScoredPair]) -> HistGradientBoostingClassifier:
    """Return the trees fitted on the places of some pairs."""
    return HistGradientBoostingClassifier(**TREES).fit(
        np.concatenate([each.inputs for each in some]),
        np.concatenate([each.is_right for each in some]),
        sample_weight=np.concatenate([each.weights for each in some]),
    )


def probabilities(
    model: HistGradientBoostingClassifier, some: Sequence[ScoredPair]
) -> list[_Array]:
    """Return the probability of each place of some pairs."""
    every = model.predict_proba(np.concatenate([each.inputs for each in some]))[:, 1]
    ends = np.cumsum([len(each.places) for each in some])[:-1]
    return list(np.split(every, ends))


def by_folds(some: Sequence[ScoredPair], seed: int = SEED) -> list[_Array]:
    """Return the probabilities of the places of pairs by trees of other topics."""
    topics = sorted({each.topic for each in some})
    np.random.default_rng(seed).shuffle(topics)
    fold = {topic: k % N_FOLDS for k, topic in enumerate(topics)}
    found: list[_Array] = [np.empty(0)] * len(some)
    for number in range(N_FOLDS):
        model = fit([each for each in some if fold[each.topic] != number])
        held = [at for at, each in enumerate(some) if fold[each.topic] == number]
        for at, own in zip(held, probabilities(model, [some[at] for at in held]), strict=True):
            found[at] = own
    return found


class Scaling(NamedTuple):
    """A linear map of log odds."""

    slope: float
    bias: float

    @classmethod
    def fitted(cls, some: Sequence[ScoredPair], found: Sequence[_Array]) -> Scaling:
        """Return the map that makes probabilities right."""
        model = LogisticRegression(C=np.inf).fit(
            _log_odds(np.concatenate(found))[:, None],
            np.concatenate([each.is_right for each in some]),
        )
        return cls(float(model.coef_[0, 0]), float(model.intercept_[0]))

    def of(self, found: Sequence[_Array]) -> list[_Array]:
        """Return the mapped probabilities."""
        return [expit(self.slope * _log_odds(own) + self.bias) for own in found]


def _log_odds(shares: _Array) -> _Array:
    return np.asarray(logit(shares.clip(1e-6, 1 - 1e-6)))


def counts(some: Sequence[ScoredPair], found: Sequence[_Array], least: float) -> dict[str, float]:
    """Return the share of pairs in conflict that are told, of told pairs that are in conflict, and
    of other pairs that are told."""
    n_right = n_told = n_gold = n_none = n_false = 0
    for each, own in zip(some, found, strict=True):
        if each.origin not in ASSERTIONS:
            continue
        is_told, has_one = bool(len(own)) and own.max() >= least, bool(each.marks)
        n_told += is_told
        n_gold += has_one
        n_right += is_told and has_one
        n_none += not has_one
        n_false += is_told and not has_one
    return {
        "found": n_right / max(n_gold, 1),
        "right": n_right / max(n_told, 1),
        "false": n_false / max(n_none, 1),
    }


def least_of(some: Sequence[ScoredPair], found: Sequence[_Array]) -> float:
    """Return the least probability at which what is told is right and false as it should be."""
    levels = [round(0.01 * k, 2) for k in range(20, 90)]
    told = ((level, counts(some, found, level)) for level in levels)
    return next(e for e, of in told if of["right"] >= PRECISION and of["false"] <= MOST_FALSE)


def kinds_found(
    some: Sequence[ScoredPair], found: Sequence[_Array], least: float
) -> dict[str, str]:
    """Return of each kind how many of its marks a told place meets, and how many told places of it
    are right."""
    n_met: Counter[str] = Counter()
    n_marks: Counter[str] = Counter()
    n_right: Counter[str] = Counter()
    n_told: Counter[str] = Counter()
    for each, own in zip(some, found, strict=True):
        told = [place for place, share in zip(each.places, own, strict=True) if share >= least]
        for place in told:
            n_told[place[0]] += 1
            n_right[place[0]] += is_marked(place, each.marks)
        for mark in each.marks:
            n_marks[mark["kind"]] += 1
            n_met[mark["kind"]] += any(is_marked(place, [mark]) for place in told)
    return {
        kind: f"{n_met[kind]} of {n_marks[kind]} found, {n_right[kind]} of {n_told[kind]} right"
        for kind in CONFLICT_KINDS
    }


def reliability(
    some: Sequence[ScoredPair], found: Sequence[_Array]
) -> list[tuple[float, float, int]]:
    """Return of each tenth of probability its mean, the share of right places, and their number."""
    every = np.concatenate(found)
    is_right = np.concatenate([each.is_right for each in some])
    rows = []
    for tenth in range(10):
        inside = (every >= tenth / 10) & (every < (tenth + 1) / 10)
        if inside.any():
            rows.append((every[inside].mean(), is_right[inside].mean(), int(inside.sum())))
    return rows


def write(
    model: HistGradientBoostingClassifier, scaling: Scaling, least: float, output: Path
) -> None:
    """Write the table that ships."""
    arrays = forest_arrays("conflicts", model)
    arrays["conflicts_value"] *= np.float32(scaling.slope)
    arrays["conflicts_base"] = arrays["conflicts_base"] * np.float32(scaling.slope) + np.float32(
        scaling.bias
    )
    arrays["least"] = np.array([least], np.float32)
    write_table(
        output,
        arrays,
        name="conflicts",
        version="1",
        license=LICENSES["conflicts"],
        source="tokalign corpus (training part), conflicts made in it with WordNet 3.0, and "
        "annotations of WiCE (training part)",
        meta={"inputs": list(CONFLICT_INPUTS)},
    )


def _figures(name: str, some: Sequence[ScoredPair], found: Sequence[_Array], least: float) -> None:
    print(name, {key: round(value, 3) for key, value in counts(some, found, least).items()})
    for kind, line in kinds_found(some, found, least).items():
        print(f"  {kind}: {line}")
    for mean, share, number in reliability(some, found):
        print(f"  {mean:.2f} {share:.2f} {number}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.recipes.conflicts")
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="the table")
    options = parser.parse_args()
    some = examples(options.data)
    own = [at for at, each in enumerate(some) if each.origin not in ADDED and not each.is_grounded]
    held = [some[at] for at in own]
    orders = [by_folds(some, SEED + number) for number in range(N_ORDERS)]
    found = [order[at] for order in orders for at in own]
    scaling = Scaling.fitted(held * N_ORDERS, found)
    shares = scaling.of(found)
    least = least_of(held * N_ORDERS, shares)
    print("least", least, scaling)
    _figures("training part, by folds", held, shares[: len(held)], least)
    print(f"{N_ORDERS} orders of topics", counts(held * N_ORDERS, shares, least))
    model = fit(some)
    dev = [e for e in judged(own_part("dev"), finder(ALIGNER), 1.0) if not e.is_grounded]
    _figures("development part", dev, scaling.of(probabilities(model, dev)), least)
    write(model, scaling, least, options.output)


if __name__ == "__main__":
    main()
