"""Count the sentences that each lemma occurs in: the table behind every idf weight.

    python -m lab.recipes.document_counts --data DATA --output core/tokalign/data/counts.table.xz

Documents are distinct sentences of the corpora, of simplified texts the originals alone. Left out
are TrecQA, by whose questions rankings are judged, STS, by which similarity is, and all
development halves. Lemmas of a single sentence are left out as well: they and unknown ones count
as one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.lexical_resources import pack_words
from tokalign.files.tables import write_table
from tokalign.formats import open_document, read_gold
from tokalign.formats.conllu import read_sentences
from tokalign.types import SentenceLike

from lab.recipes.corpora import EDINBURGH_SURE, MTREF, RTE2, WIKI, read_msrp, read_paraphrases

ALIGNED = (RTE2, EDINBURGH_SURE, MTREF, WIKI)
SIMPLIFIED = ("asset", "turk")
SOURCE = (
    "sentences of UD English EWT, MSRP, RTE2, Edinburgh++, MultiMWA (training parts), SICK, PAN, "
    "and the originals of ASSET and TurkCorpus"
)


def sentences(data: Path) -> Iterator[SentenceLike]:
    """Yield the sentences of all corpora, some more than once."""
    for path in ALIGNED:
        for pair in read_gold(data / path):
            yield pair.source
            yield pair.target
    for judged in read_msrp(data / "msrp/par_train.dat"):
        yield judged.source
        yield judged.target
    for _, tree in read_sentences(open_document(data / "ud_ewt/en_ewt-ud-train.conllu")):
        yield tree.tokens
    for name, source, target in read_paraphrases(data):
        yield source
        if not name.startswith(SIMPLIFIED):
            yield target


def count(data: Path) -> tuple[Counter[str], int]:
    """Return in how many distinct sentences each lemma occurs, and how many there are."""
    annotated = load_annotator("native").annotate(list(sentences(data)), trees=False)
    distinct = {" ".join(each.tokens).lower(): each for each in annotated}
    counts: Counter[str] = Counter()
    for sentence in distinct.values():
        counts.update({lemma.lower() for lemma in sentence.lemmas or ()})
    return counts, len(distinct)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="table to write")
    arguments = parser.parse_args()
    counts, n_sentences = count(arguments.data)
    words = sorted(word for word, n in counts.items() if n > 1)
    write_table(
        arguments.output,
        {**pack_words(words), "count": np.array([counts[word] for word in words], dtype=np.int32)},
        name="counts",
        version="1.0.0",
        license="research use",
        source=SOURCE,
        meta={"sentences": n_sentences, "lemmas": len(words)},
    )
    print(f"{arguments.output}: {len(words)} lemmas of {n_sentences} sentences")


if __name__ == "__main__":
    main()
