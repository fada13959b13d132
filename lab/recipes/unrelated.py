"""Collect pairs that are not parallel, for training and development; users send many of them.

    python -m lab.recipes.unrelated --data DATA --output build/unrelated

writes ``train.jsonl`` and ``dev.jsonl``: JSON lines as `tokalign.formats` reads them, without
links, and with a ``kind``:

- ``unrelated``: people judged that the sentences have little or nothing to do with each other;
- ``mined``: sentences of aligned corpora that are not partners but share more than most;
- ``question``: a question and a sentence that does not answer it;
- ``half-related``: they share a subject, and people judged that they do not mean the same.

What is known of the first three is partial: no content word is linked with an unlike one
(`tokalign.english.lexicon.likeness`). Of half-related pairs not even that is known, so they are
development data alone, for looking at. So are questions and the pairs of STS, that rankings and
similarities of the same sentences can be judged. No sentence is in both files.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.likeness import is_content
from tokalign.formats import read_gold
from tokalign.types import GoldPair, Sentence, SentenceLike
from tokalign.types.objects import sentence_to_json

from lab.recipes.corpora import (
    EDINBURGH_SURE,
    MTREF,
    MTREF_DEV,
    RTE2,
    own_pairs,
    read_msrp,
    read_questions,
    read_sts,
)
from lab.recipes.frames import captions, definitions
from lab.recipes.groups import Clusters

UNRELATED_STS = 1.0
"""Largest gold similarity, of 0 to 5, of unrelated pairs; 1 is "not equivalent, same topic"."""
HALF_RELATED_STS = 2.5
UNRELATED_SICK = 2.0
"""Relatedness, of 1 to 5, below which pairs are unrelated."""
HALF_RELATED_SICK = 3.0
MINED_SHARE = (0.08, 0.34)
"""Share of the idf of a mined pair's shorter side that the other side holds. Above, sentences of
the corpora often say the same; below, they are easy."""
ANSWERED_SHARE = 0.5
"""Share of a question's idf from which a wrong candidate counts as half-related."""
CANDIDATES_PER_QUESTION = 8
DEV_SHARE = 0.35
MINED_FROM = {
    "train": (RTE2, EDINBURGH_SURE, MTREF),
    "dev": (MTREF_DEV,),
}
"""Models are trained on the links of the former, so that only the latter can judge them."""


@dataclass(frozen=True, slots=True)
class Unaligned:
    """A pair without links.

    Attributes
    ----------
    id, kind : str
    source, target : Sentence
        With tags and lemmas.
    """

    id: str
    kind: str
    source: Sentence
    target: Sentence


RawPair = tuple[str, str, SentenceLike, SentenceLike]


def sts_pairs(data: Path) -> Iterator[RawPair]:
    """Yield id, kind and sentences of the pairs of STS 2012 that people judged unlike."""
    for path in sorted((data / "similarity").glob("sts2012.*.tsv")):
        for number, pair in enumerate(read_sts(path)):
            if pair.gold <= HALF_RELATED_STS:
                kind = "unrelated" if pair.gold <= UNRELATED_STS else "half-related"
                yield f"{path.stem}:{number}", kind, pair.source, pair.target


def sick_pairs(data: Path) -> Iterator[RawPair]:
    """Yield id, kind and sentences of the neutral pairs of SICK that people judged unrelated."""
    path = data / "similarity" / "sick.train.tsv"
    with path.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE):
            score = float(row["relatedness_score"])
            if score < HALF_RELATED_SICK and row["entailment_judgment"] == "NEUTRAL":
                kind = "unrelated" if score < UNRELATED_SICK else "half-related"
                yield f"sick:{row['pair_ID']}", kind, row["sentence_A"], row["sentence_B"]


def non_paraphrases(data: Path) -> Iterator[RawPair]:
    """Yield MSRP's pairs that are no paraphrases."""
    for path in (data / "msrp/par_train.dat", data / "msrp/par_dev.dat"):
        for number, pair in enumerate(read_msrp(path)):
            if not pair.gold:
                yield f"{path.stem}:{number}", "half-related", pair.source, pair.target


def wrong_candidates(data: Path) -> Iterator[RawPair]:
    """Yield TrecQA's wrong candidates (source) with their questions (target), some a question."""
    for name in ("train", "dev"):
        for number, question in enumerate(list(read_questions(data / f"trecqa/{name}.xml"))):
            wrong = [tokens for tokens, right in question.candidates if not right]
            wrong.sort(key=lambda tokens: zlib.crc32(" ".join(tokens).encode()))
            for k, tokens in enumerate(wrong[:CANDIDATES_PER_QUESTION]):
                yield f"trecqa-{name}:{number}:{k}", "question", tokens, question.tokens


def content(sentence: Sentence) -> set[str]:
    """Return the lemmas of a sentence's content words."""
    return {
        lemma.lower()
        for token, lemma in zip(sentence.tokens, sentence.lemmas or (), strict=True)
        if is_content(token)
    }


class DocumentFrequencies:
    """Inverse document frequencies of lemmas.

    Parameters
    ----------
    sentences : iterable of Sentence
        With lemmas; each is a document.
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        counts: Counter[str] = Counter()
        self._n = 0
        for sentence in sentences:
            counts.update(content(sentence))
            self._n += 1
        self._counts = counts

    def __getitem__(self, lemma: str) -> float:
        return math.log((1 + self._n) / (1 + self._counts[lemma]))

    def share(self, part: set[str], whole: set[str]) -> float:
        """Return the share of the idf of `whole` that is in `part`, in [0, 1]."""
        total = sum(self[lemma] for lemma in whole)
        return sum(self[lemma] for lemma in part & whole) / total if total else 0.0


def text_of(sentence: Sentence) -> str:
    return " ".join(sentence.tokens).lower()


def in_dev(cluster: str) -> bool:
    return zlib.crc32(cluster.encode()) % 1000 < 1000 * DEV_SHARE


def mine(
    name: str, sources: Sequence[Sentence], targets: Sequence[Sentence], clusters: Clusters[str]
) -> Iterator[Unaligned]:
    """Yield each target with the source of another cluster that shares most with it, once each."""
    weights = DocumentFrequencies([*sources, *targets])
    where = defaultdict(list)
    words = [content(source) for source in sources]
    for k, each in enumerate(words):
        for lemma in each:
            where[lemma].append(k)
    taken: set[int] = set()
    for number, target in enumerate(targets):
        wanted, home = content(target), clusters.find(text_of(target))
        shared: defaultdict[int, float] = defaultdict(float)
        for lemma in sorted(wanted):
            if len(where[lemma]) <= len(sources) / 20:
                for k in where[lemma]:
                    shared[k] += weights[lemma]
        for k, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
            share = max(weights.share(words[k], wanted), weights.share(wanted, words[k]))
            if share < MINED_SHARE[0]:
                break
            if (
                share <= MINED_SHARE[1]
                and k not in taken
                and clusters.find(text_of(sources[k])) != home
            ):
                taken.add(k)
                yield Unaligned(f"mined-{name}:{number}", "mined", sources[k], target)
                break


def annotate(pairs: Sequence[RawPair]) -> list[Unaligned]:
    sentences = load_annotator("native").annotate(
        [sentence for _, _, *both in pairs for sentence in both], trees=False
    )
    return [
        Unaligned(name, kind, source, target)
        for (name, kind, _, _), source, target in zip(
            pairs, sentences[::2], sentences[1::2], strict=True
        )
    ]


def mined_pairs(data: Path, paths: Iterable[str]) -> list[Unaligned]:
    """Return the mined pairs of some aligned corpora, each mined by itself."""
    mined: list[Unaligned] = []
    for path in paths:
        gold = [("", "", p.source, p.target) for p in read_gold(data / path)]
        pairs = annotate(gold)
        clusters: Clusters[str] = Clusters()
        for pair in pairs:
            clusters.join(text_of(pair.source), text_of(pair.target))
        name = Path(path).name.partition(".")[0]
        mined += mine(name, [p.source for p in pairs], [p.target for p in pairs], clusters)
    return mined


def mined_gold(data: Path, path: str) -> list[GoldPair]:
    """Return the mined pairs of one aligned corpus, as pairs without links to train on."""
    return list(map(_without_links, mined_pairs(data, [path])))


def mined_own() -> list[GoldPair]:
    """Return pairs of the project's own corpus whose sides are of unlike topics."""
    own = [*own_pairs(), *own_pairs("styles")]
    pairs = annotate([("", "", pair.source, pair.target) for pair, _ in own])
    clusters: Clusters[str] = Clusters()
    for pair, (_, topic) in zip(pairs, own, strict=True):
        clusters.join(topic, text_of(pair.source))
        clusters.join(topic, text_of(pair.target))
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    mined = [
        *mine("corpus", sources, targets, clusters),
        *mine("corpus-turned", targets, sources, clusters),
    ]
    return list(map(_without_links, mined))


def framed(wordnet: Path) -> list[GoldPair]:
    """Return the pairs that share only a frame."""
    made: list[RawPair] = [
        *((f"caption:{k}", "mined", *pair) for k, pair in enumerate(captions())),
        *((f"definition:{k}", "mined", *pair) for k, pair in enumerate(definitions(wordnet))),
    ]
    return list(map(_without_links, annotate(made)))


def _without_links(pair: Unaligned) -> GoldPair:
    return GoldPair(
        pair.id,
        Sentence.from_tokens(pair.source.tokens),
        Sentence.from_tokens(pair.target.tokens),
        frozenset(),
        frozenset(),
    )


def collect(data: Path) -> tuple[list[Unaligned], list[Unaligned]]:
    """Return the training and the development pairs."""
    judged = annotate(list(sick_pairs(data)))
    clusters: Clusters[str] = Clusters()
    for pair in judged:
        clusters.join(text_of(pair.source), text_of(pair.target))
    train = mined_pairs(data, MINED_FROM["train"])
    dev = mined_pairs(data, MINED_FROM["dev"])
    for pair in judged:
        (dev if in_dev(clusters.find(text_of(pair.target))) else train).append(pair)
    dev += annotate([*sts_pairs(data), *non_paraphrases(data)])
    questions = annotate(list(wrong_candidates(data)))
    weights = DocumentFrequencies(pair.source for pair in questions)
    for pair in questions:
        share = weights.share(content(pair.source), content(pair.target))
        dev.append(replace(pair, kind="half-related") if share >= ANSWERED_SHARE else pair)
    seen = {text_of(sentence) for pair in train for sentence in (pair.source, pair.target)}
    apart = [p for p in dev if seen.isdisjoint((text_of(p.source), text_of(p.target)))]
    return [pair for pair in train if pair.kind != "half-related"], apart


def lines(pairs: Iterable[Unaligned]) -> Iterator[str]:
    """Yield a JSON line a pair: tokens and text alone, for any annotator to annotate."""
    for pair in pairs:
        source, target = (
            sentence_to_json(sentence.replace(tags=None, lemmas=None))
            for sentence in (pair.source, pair.target)
        )
        item = {"id": pair.id, "kind": pair.kind, "source": source, "target": target, "links": []}
        yield json.dumps(item, ensure_ascii=False) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, pairs in zip(("train", "dev"), collect(arguments.data), strict=True):
        path = arguments.output / f"{name}.jsonl"
        with path.open("w", encoding="utf-8", newline="\n") as handle:
            handle.writelines(lines(pairs))
        kinds = Counter(f"{pair.kind} ({pair.id.partition(':')[0]})" for pair in pairs)
        print(path, dict(sorted(kinds.items())))


if __name__ == "__main__":
    main()
