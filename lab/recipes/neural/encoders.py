"""Encoders of the neural models, each fine-tuned on a part of the corpora.

Encoders are written to the work folder one by one; those already there are not trained again.
"""

from __future__ import annotations

import itertools
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from tokalign.features.feature_groups import Encoded
from tokalign.files.tables import Table
from tokalign.formats import read_gold
from tokalign.model.training.examples import fold_numbers, gold_targets
from tokalign.neural.encoder import Encoder
from tokalign.neural.wordpieces import WordPieces
from tokalign.types import GoldPair

from lab.recipes.corpora import (
    EDINBURGH,
    MTREF,
    OWN_MADE_VERSIONS,
    OWN_TASKS,
    RTE2,
    WIKI,
    read_corpus,
)
from lab.recipes.groups import SentenceTokens, sentence_groups
from lab.recipes.made_versions import made_versions
from lab.recipes.neural.bases import OPEN, SMALL, BaseEncoder
from lab.recipes.neural.joining import lengthened
from lab.recipes.neural.teaching import (
    TaughtPair,
    TokenPair,
    encode_all,
    is_taught,
    paraphrases,
    said_by,
    taught_pairs,
    tokens_of,
    without_sentences,
)

OTHERS = (MTREF, WIKI, EDINBURGH)
WIKI_SAMPLE = 500
"""Wikipedia's edits leave most words alone, so that few of them teach as much as all."""

SEED = 1
N_FOLDS = 5
KEPT_BACK = 0
"""Fold of RTE2 that en-neural never sees, so that there is something left to measure it on."""
EPOCHS_OTHERS = 3
EPOCHS_AFTER_OTHERS = 2
EPOCHS_RTE2_ALONE = 4
SOURCE = "fine-tuned from {} on {}"
TAUGHT_BY = "; taught by {} on paraphrases and translations without links"
LENGTHENED = "; then by itself on texts of several pairs"
N_OF_TEXTS = 1000
"""Pairs of each corpus, and paraphrases, that texts are made of."""
TEXTS_PACE = 0.1
"""What learning rates are multiplied by on texts; with 0.3 it loses exact matches of sentences."""


@dataclass
class Encoders:
    """Corpora, and the encoders trained on parts of them.

    Parameters
    ----------
    data : Path
        Folder of the corpora.
    work : Path
        Folder of the encoders; those of each base encoder get a folder in it.
    unrelated : Path
        Folder of the pairs that are not parallel.
    base : BaseEncoder
    """

    data: Path
    work: Path
    unrelated: Path = Path("build/unrelated")
    base: BaseEncoder = SMALL
    _corpora: dict[str, list[GoldPair]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        made = self.base.made
        self.word_pieces = WordPieces(Table.open_shipped(made["vocabulary"]), made)

    def corpus(self, name: str) -> list[GoldPair]:
        if name not in self._corpora:
            if name == OWN_MADE_VERSIONS:
                self._corpora[name] = made_versions()
            elif name in OWN_TASKS:
                self._corpora[name] = read_corpus(self.data, name)
            else:  # Edinburgh++ without the difference of sure and possible
                self._corpora[name] = list(read_gold(self.data / name))
        return self._corpora[name]

    def tune(
        self, name: str, parts: Mapping[str, Sequence[int]], epochs: int,
        start: Table | None = None, unseen: Iterable[GoldPair] | None = None,
    ) -> Table:  # fmt: skip
        """Return an encoder trained on the numbered pairs of corpora.

        With `unseen` it is also taught by the base encoder's teacher, on pairs that have no
        sentence of those.
        """
        from lab.recipes.neural.fine_tune import examples, fine_tune, taught_examples

        base, sources = self.base, self.base.sources
        path = self._path(name)
        if path.exists():
            return Table.open(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        data = []
        for number, (corpus, numbers) in enumerate(parts.items()):
            pairs = [self.corpus(corpus)[k] for k in numbers]
            possible = dict(sources.possible_in).get(Path(corpus).name, sources.possible)
            targets = gold_targets(pairs, possible)
            data += examples(
                [
                    (pair.source.tokens, pair.target.tokens, target.sure)
                    for pair, target in zip(pairs, targets, strict=True)
                ],
                self.word_pieces,
                number,
            )
        taught = [] if unseen is None else without_sentences(self.taught, unseen)
        usual, once = (
            taught_examples([pair for pair in taught if pair.is_usual == kind], self.word_pieces)
            for kind in (True, False)
        )
        corpora = ", ".join(Path(corpus).name for corpus in parts)
        source = SOURCE.format(base.name, corpora)
        if taught:
            source += TAUGHT_BY.format(base.teacher)
        return fine_tune(data + usual, base, epochs, path, source=source, start=start, once=once)

    def _path(self, name: str) -> Path:
        terms = "-open" if self.base.sources is OPEN else ""
        return self.work / f"{self.base.name}{terms}" / f"{name}.table"

    @cached_property
    def taught(self) -> list[TaughtPair]:
        """Pairs that the base encoder's teacher teaches; none where it has no teacher."""
        teacher = self.base.teacher
        return taught_pairs(self.data, Encoder.open_shipped(teacher)) if teacher else []

    def joint(self, without: int | None = None) -> Table:
        """Return the encoder trained on all corpora at once, without one of their halves if asked.

        Every corpus has a NULL of its own. What is kept back has no part in it. A teacher knows
        all halves, so it teaches nothing that has a sentence of the one left out.
        """
        parts, unseen = {}, []
        for corpus in self.base.sources.corpora:
            halves, kept_back = self.halves(corpus), self.kept_back(corpus)
            parts[corpus] = [
                k for k in self._numbers(corpus)
                if halves[k] != without and k not in kept_back
            ]  # fmt: skip
            pairs = self.corpus(corpus)
            unseen += [pairs[k] for k, half in enumerate(halves) if half == without]
        name = "joint" if without is None else f"joint-without-{without}"
        sources = self.base.sources
        epochs = sources.epochs if without is None else sources.epochs_halves
        return self.tune(name, parts, epochs, unseen=unseen)

    def shipped(self) -> Table:
        """Return the encoder trained on all corpora, if its base asks for it also on texts.

        What it says of sentences stays, so that what was learned from its halves, and from what it
        says of development pairs, still fits.
        """
        from lab.recipes.neural.fine_tune import fine_tune, taught_examples

        start, path = self.joint(), self._path("lengthened")
        if not self.base.is_lengthened:
            return start
        if path.exists():
            return Table.open(path)
        teacher = Encoder(start)
        pools = [said_by(teacher, pairs) for pairs in self._pairs_of_texts()]
        data = taught_examples(lengthened(pools), self.word_pieces)
        gently = replace(
            self.base, drops=False,
            rate=self.base.rate * TEXTS_PACE, head_rate=self.base.head_rate * TEXTS_PACE,
        )  # fmt: skip
        return fine_tune(
            [each._replace(corpus=0) for each in data], gently, 1, path,
            source=start.header["source"] + LENGTHENED, start=start,
        )  # fmt: skip

    def _pairs_of_texts(self) -> Iterator[list[TokenPair]]:
        """Yield pairs of paraphrases, and of each corpus, that texts are made of."""
        pools = [paraphrases(self.data)]
        for corpus in self.base.sources.corpora:
            kept_back = self.kept_back(corpus)
            pools.append(
                [tokens_of(p) for k, p in enumerate(self.corpus(corpus)) if k not in kept_back]
            )
        for pool in pools:
            pairs = list(filter(is_taught, pool))
            random.Random(SEED).shuffle(pairs)
            yield pairs[:N_OF_TEXTS]

    def _numbers(self, corpus: str) -> list[int]:
        """Return the pairs of a corpus that encoders are trained on: all, or a sample of Wiki's."""
        size = len(self.corpus(corpus))
        if corpus != WIKI:
            return [*range(size)]
        sample: list[int] = np.random.default_rng(7).permutation(size)[:WIKI_SAMPLE].tolist()
        return sorted(sample)

    def others(self) -> Table:
        """Return the encoder trained on all corpora but RTE2."""
        parts = {corpus: self._numbers(corpus) for corpus in OTHERS}
        return self.tune("others", parts, EPOCHS_OTHERS)

    def rte2(self, without: Iterable[int] = (), *, others: bool) -> Table:
        """Return the encoder trained on RTE2 without some folds, after the others or alone."""
        left_out = sorted(set(without))
        folds = self.folds(RTE2, N_FOLDS)
        numbers = [k for k, fold in enumerate(folds) if fold not in left_out]
        name = "-".join(["all" if others else "rte2", *(map(str, left_out) if left_out else ())])
        return self.tune(
            name, {RTE2: numbers}, EPOCHS_AFTER_OTHERS if others else EPOCHS_RTE2_ALONE,
            self.others() if others else None,
        )  # fmt: skip

    def kept_back(self, corpus: str) -> set[int]:
        """Return the pairs of a corpus that models of all corpora never see."""
        folds = self.folds(corpus, N_FOLDS) if corpus == RTE2 else []
        return {k for k, fold in enumerate(folds) if fold == KEPT_BACK}

    def halves(self, corpus: str) -> list[int]:
        """Return the half of every pair."""
        if not self.base.sources.by_group:
            return self.folds(corpus, 2)
        groups = (self._groups[tuple(pair.target.tokens)] for pair in self.corpus(corpus))
        return [zlib.crc32(" ".join(group).encode()) % 2 for group in groups]

    @cached_property
    def _groups(self) -> dict[SentenceTokens, SentenceTokens]:
        corpora = map(self.corpus, self.base.sources.corpora)
        return sentence_groups(itertools.chain.from_iterable(corpora))

    def folds(self, corpus: str, n_folds: int) -> list[int]:
        return fold_numbers(self.corpus(corpus), n_folds, seed=1)


def scores(encoder: Table, pairs: Sequence[GoldPair], numbers: Sequence[int]) -> dict[int, Encoded]:
    """Return what an encoder says of some of the pairs, by their numbers."""
    sentences = [(pairs[k].source, pairs[k].target) for k in numbers]
    return dict(zip(numbers, encode_all(Encoder(encoder), sentences), strict=True))


def held_out(
    encoders: Sequence[Table], pairs: Sequence[GoldPair], folds: Sequence[int]
) -> list[Encoded]:
    """Return what encoder number k says of the pairs of fold k, in order."""
    found: dict[int, Encoded] = {}
    for number, encoder in enumerate(encoders):
        found |= scores(encoder, pairs, [k for k, fold in enumerate(folds) if fold == number])
    return [found[k] for k in range(len(folds))]
