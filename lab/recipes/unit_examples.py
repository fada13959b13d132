"""Training examples of relations: units of aligned sentences, with what their marks say of them.

A unit is a link of words or phrases of the project's own corpus, or two chunks that its links join.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign import Aligner
from tokalign.decoding.backend import Unit
from tokalign.english.lexicon.likeness import is_content
from tokalign.relations.related_units import UNIT_INPUTS
from tokalign.types import GoldPair, Sentence
from tokalign.types.options import AlignOptions
from tokalign.types.relations import RELATION_KINDS, RelationKind, TokenChunk

from lab.recipes.contrasts import made_examples
from lab.recipes.corpora import EDINBURGH, OwnPair, read_corpus
from lab.recipes.tree_chunks import NEGATIONS, chunks_of, with_trees

STYLES = ("strict", "free")
"""Each example is taken under both, so that relations hold whatever style decided."""
LINK_WEIGHT, UNLIKE_WEIGHT = 0.5, 1.5
"""Of a link, seen from one side, that says the same, and of one that does not, as one in ten is."""
CHUNK_WEIGHT = 0.5
CONTRAST_WEIGHT = 1.0
PARAPHRASE_WEIGHT = 0.05
"""Of a link of Edinburgh++, which does not mark what is narrower."""
MOST_CHUNKS = 3
"""Of a side of a unit."""
SEED = 7

SCORES = {
    RelationKind.SAME: 5.0,
    RelationKind.NARROWER: 4.0,
    RelationKind.WIDER: 4.0,
    RelationKind.SIMILAR: 3.0,
    RelationKind.RELATED: 2.0,
    RelationKind.OPPOSITE: 3.0,
    RelationKind.DIFFERENT_VALUE: 3.0,
}
"""How alike the sides of a unit are, by its kind; the corpus has no such scores."""
UNKNOWN = -1

SentencePair = tuple[Sentence, Sentence]


@dataclass(slots=True)
class Examples:
    """Units as columns; lists of one length.

    Attributes
    ----------
    rows : list of float32 array
        As UNIT_INPUTS names them.
    kinds : list of int
        Place among RELATION_KINDS, or UNKNOWN.
    linked : list of int
        1 or 0; UNKNOWN where that is no matter.
    scores : list of float
        From 0 to 5; NaN where there is none.
    weights : list of float
    groups : list of str
        Examples of one topic have one group, and are never divided.
    """

    rows: list[NDArray[np.float32]] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(
        self,
        row: NDArray[np.float32],
        group: str,
        *,
        kind: int = UNKNOWN,
        linked: int = UNKNOWN,
        score: float = float("nan"),
        weight: float = 1.0,
    ) -> None:
        self.rows.append(row)
        self.kinds.append(kind)
        self.linked.append(linked)
        self.scores.append(score)
        self.weights.append(weight)
        self.groups.append(group)


@dataclass(frozen=True, slots=True)
class MarkedUnit:
    """A unit and the kind of its relation."""

    unit: Unit
    kind: RelationKind


def sides_of(aligner: Aligner, pairs: Sequence[GoldPair]) -> list[SentencePair]:
    """Return the pairs annotated."""
    sides = aligner.annotate([side.tokens for pair in pairs for side in (pair.source, pair.target)])
    return list(zip(sides[::2], sides[1::2], strict=True))


def unit_rows(
    aligner: Aligner, pair: SentencePair, units: Sequence[Unit], style: str = STYLES[0]
) -> NDArray[np.float32]:
    """Return the inputs of some units of a pair."""
    return aligner._engine.unit_inputs(pair, units, AlignOptions(style=style))


def blocks_of(links: Iterable[tuple[int, int]]) -> list[Unit]:
    """Return the tokens of links that share tokens, as units in the order of their sources."""
    found: list[tuple[set[int], set[int]]] = []
    for i, j in sorted(links):
        one, other = {i}, {j}
        apart = []
        for each in found:
            if i in each[0] or j in each[1]:
                one, other = one | each[0], other | each[1]
            else:
                apart.append(each)
        found = [*apart, (one, other)]
    return sorted((tuple(sorted(one)), tuple(sorted(other))) for one, other in found)


def linked_units(pair: OwnPair) -> list[MarkedUnit]:
    """Return the sure and the possible links of a pair as units; where the links of a unit differ
    in kind, it is of the commonest."""
    kinds = pair.relations
    found = []
    for links in (pair.gold.sure, pair.gold.possible):
        for unit in blocks_of(links):
            own = Counter(
                kinds.get(link, RelationKind.SAME.value)
                for link in sorted(links)
                if link[0] in unit[0] and link[1] in unit[1]
            )
            found.append(MarkedUnit(unit, RelationKind(own.most_common(1)[0][0])))
    return found


def add_links(examples: Examples, aligner: Aligner, pairs: Sequence[OwnPair]) -> None:
    """Add the links of words and phrases, from either side."""
    for own, pair in zip(pairs, sides_of(aligner, [each.gold for each in pairs]), strict=True):
        marked = linked_units(own)
        if marked:
            _add_links(examples, aligner, pair, marked, own.topic)
            turned = [MarkedUnit(each.unit[::-1], _turned(each.kind)) for each in marked]
            _add_links(examples, aligner, (pair[1], pair[0]), turned, own.topic)


def _add_links(
    examples: Examples,
    aligner: Aligner,
    pair: SentencePair,
    marked: Sequence[MarkedUnit],
    topic: str,
) -> None:
    for style in STYLES:
        rows = unit_rows(aligner, pair, [each.unit for each in marked], style)
        for each, row in zip(marked, rows, strict=True):
            examples.add(
                row,
                topic,
                kind=RELATION_KINDS.index(each.kind),
                score=SCORES[each.kind],
                weight=LINK_WEIGHT if each.kind is RelationKind.SAME else UNLIKE_WEIGHT,
            )


def _turned(kind: RelationKind) -> RelationKind:
    """Return a kind from the other side."""
    turned = {
        RelationKind.NARROWER: RelationKind.WIDER,
        RelationKind.WIDER: RelationKind.NARROWER,
    }
    return turned.get(kind, kind)


def add_chunks(
    examples: Examples,
    aligner: Aligner,
    pairs: Sequence[GoldPair],
    relations: Sequence[Mapping[tuple[int, int], str]] = (),
    topics: Sequence[str] = (),
) -> None:
    """Add all pairs of chunks with whether they belong together, and how those that do are related.

    Parameters
    ----------
    examples : Examples
    aligner : Aligner
    pairs : sequence of GoldPair
    relations : sequence of mapping
        The kind of each link that does not say the same; without any, units get no kind.
    topics : sequence of str
        Group of each pair; the id by default.
    """
    trees = with_trees([side for pair in pairs for side in (pair.source, pair.target)])
    for number, pair in enumerate(sides_of(aligner, pairs)):
        gold = pairs[number]
        topic = topics[number] if topics else gold.id
        sides = chunks_of(trees[2 * number]), chunks_of(trees[2 * number + 1])
        together = chunk_links(pair, gold.sure, *sides)
        units = [(one, other) for one in sides[0] for other in sides[1]]
        joined = []
        for ones, others in blocks_of(together):
            if len(ones) <= MOST_CHUNKS and len(others) <= MOST_CHUNKS:
                tokens = (
                    tuple(k for one in ones for k in sides[0][one]),
                    tuple(k for other in others for k in sides[1][other]),
                )
                joined.append(tokens)
        for style in STYLES:
            rows = unit_rows(aligner, pair, units, style)
            cells = np.ndindex(len(sides[0]), len(sides[1]))
            for cell, row in zip(cells, rows, strict=True):
                examples.add(row, topic, linked=int(cell in together))
            if not relations or not joined:
                continue
            for unit, row in zip(joined, unit_rows(aligner, pair, joined, style), strict=True):
                kind = chunk_kind(pair, unit, gold.sure, relations[number])
                examples.add(
                    row,
                    topic,
                    kind=RELATION_KINDS.index(kind),
                    linked=1,
                    score=SCORES[kind],
                    weight=CHUNK_WEIGHT,
                )


def chunk_links(
    pair: SentencePair,
    links: Collection[tuple[int, int]],
    sources: Sequence[TokenChunk],
    targets: Sequence[TokenChunk],
) -> set[tuple[int, int]]:
    """Return which chunks have links of content words, or of any words if one has no others.

    Punctuation belongs to nothing, as in the task of interpretable similarity.
    """
    of_source = {i: number for number, chunk in enumerate(sources) for i in chunk}
    of_target = {j: number for number, chunk in enumerate(targets) for j in chunk}
    has_content = [
        [any(is_content(side.tokens[k]) for k in chunk) for chunk in chunks]
        for side, chunks in zip(pair, (sources, targets), strict=True)
    ]
    found = set()
    for i, j in links:
        if not any(map(str.isalnum, pair[0].tokens[i] + pair[1].tokens[j])):
            continue
        cell = of_source[i], of_target[j]
        wanted = has_content[0][cell[0]] and has_content[1][cell[1]]
        if not wanted or (is_content(pair[0].tokens[i]) and is_content(pair[1].tokens[j])):
            found.add(cell)
    return found


def chunk_kind(
    pair: SentencePair,
    unit: Unit,
    links: Collection[tuple[int, int]],
    relations: Mapping[tuple[int, int], str],
) -> RelationKind:
    """Return how two chunks are related, by the relations of their words and the words without a
    link: a side that says more is narrower."""
    inside = [(i, j) for i, j in links if i in unit[0] and j in unit[1]]
    kinds = {RelationKind(relations[link]) for link in inside if link in relations}
    linked = {i for i, _ in inside}, {j for _, j in inside}
    words: list[set[str]] = [
        {side.tokens[k].lower() for k in chunk if k not in own}
        for side, chunk, own in zip(pair, unit, linked, strict=True)
    ]
    negated = [bool(each & NEGATIONS) for each in words]
    if negated[0] != negated[1]:
        return RelationKind.OPPOSITE
    for kind in (RelationKind.OPPOSITE, RelationKind.DIFFERENT_VALUE, RelationKind.RELATED):
        if kind in kinds:
            return kind
    more = any(map(is_content, words[0] - words[1])) or RelationKind.NARROWER in kinds
    less = any(map(is_content, words[1] - words[0])) or RelationKind.WIDER in kinds
    if RelationKind.SIMILAR in kinds or (more and less):
        return RelationKind.SIMILAR
    if more or less:
        return RelationKind.NARROWER if more else RelationKind.WIDER
    return RelationKind.SAME


def add_made(examples: Examples, aligner: Aligner, pairs: Sequence[OwnPair]) -> None:
    """Add made contrasts, from the sentences of the corpus: the words, and the chunks around."""
    from tokalign.english.lexicon.lexical_tables import Frequencies

    topics: dict[tuple[str, ...], str] = {}
    sentences: list[Sentence] = []
    for own, pair in zip(pairs, sides_of(aligner, [each.gold for each in pairs]), strict=True):
        for side in pair:
            if side.tokens not in topics:
                topics[side.tokens] = own.topic
                sentences.append(side)
    trees = zip(sentences, with_trees(sentences), strict=True)
    chunks = {sentence.tokens: chunks_of(tree) for sentence, tree in trees}
    for made in made_examples(sentences, SEED, Frequencies.open_shipped().idf):
        pair = made.source, aligner.annotate([made.target])[0]
        units = [made.unit]
        if len(made.source) == len(made.target):
            (around,) = (each for each in chunks[made.source.tokens] if made.unit[0][0] in each)
            units += [(around, around)] * (len(around) > 1)
        for style in STYLES:
            for row in unit_rows(aligner, pair, units, style):
                examples.add(
                    row,
                    topics[made.source.tokens],
                    kind=RELATION_KINDS.index(made.kind),
                    weight=CONTRAST_WEIGHT / len(units),
                )


def add_paraphrases(examples: Examples, aligner: Aligner, pairs: Sequence[GoldPair]) -> None:
    """Add links of unlike words that people made in sentences that say the same."""
    same = RELATION_KINDS.index(RelationKind.SAME)
    others = UNIT_INPUTS.index("other-value"), UNIT_INPUTS.index("opposite")
    for gold, pair, units in _unlike_links(aligner, pairs):
        for style in STYLES:
            for row in unit_rows(aligner, pair, units, style):
                if not any(row[other] for other in others):
                    examples.add(row, gold.id, kind=same, weight=PARAPHRASE_WEIGHT)


def paraphrases(data: Path) -> list[GoldPair]:
    """Return the pairs of Edinburgh++."""
    return read_corpus(data, EDINBURGH)


def _unlike_links(
    aligner: Aligner, pairs: Sequence[GoldPair]
) -> Iterator[tuple[GoldPair, SentencePair, list[Unit]]]:
    for gold, pair in zip(pairs, sides_of(aligner, pairs), strict=True):
        units: list[Unit] = [
            (one, other)
            for one, other in blocks_of(gold.sure)
            if len(one) == len(other) == 1
            and gold.source.tokens[one[0]].lower() != gold.target.tokens[other[0]].lower()
            and gold.source.tokens[one[0]].isalpha()
        ]
        if units:
            yield gold, pair, units
