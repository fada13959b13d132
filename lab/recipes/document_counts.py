"""Count the sentences that each lemma occurs in: the table behind every idf weight.

    python -m lab.recipes.document_counts --data DATA --wordnet DICT --output counts.table.xz

Documents are distinct sentences of sources that anybody may use: UD English EWT, the project's own
corpus, Edinburgh++, the claims and the evidence of WiCE, and the examples of WordNet. Lemmas of a
single sentence are left out: they and unknown ones count as one.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokalign.english.annotate import load_annotator
from tokalign.english.annotate.prepared import annotate
from tokalign.english.lexicon.lexical_resources import pack_words
from tokalign.files.tables import write_table
from tokalign.formats import open_document, read_gold
from tokalign.formats.conllu import read_sentences
from tokalign.types import SentenceLike

from lab.recipes.corpora import EDINBURGH_SURE, own_pairs
from lab.recipes.wordnet import POS_FILES

WICE = ("wice/tokens-train.jsonl", "wice/claims-dev.jsonl")
SOURCE = (
    "sentences of UD English EWT, the tokalign corpus, Edinburgh++ and WiCE (training and "
    "development parts), and the examples of WordNet 3.0"
)
LICENSE = "CC-BY-SA-4.0, ODC-By-1.0, Apache-2.0, CC0-1.0 and WordNet 3.0 license; see NOTICE"
_EXAMPLE = re.compile(r'"([^"]+)"')


def sentences(data: Path, wordnet: Path) -> Iterator[SentenceLike]:
    """Yield the sentences of all sources, some more than once."""
    for pair in [*read_gold(data / EDINBURGH_SURE), *(pair for pair, _ in own_pairs())]:
        yield pair.source
        yield pair.target
    for _, tree in read_sentences(open_document(data / "ud_ewt/en_ewt-ud-train.conllu")):
        yield tree.tokens
    for path in WICE:
        for line in (data / path).read_text(encoding="utf-8").splitlines():
            claim = json.loads(line)
            yield claim["claim"]
            yield from (text for text in claim["evidence"] if text.strip())
    for name in POS_FILES:
        for line in (wordnet / f"data.{name}").read_text(encoding="utf-8").splitlines():
            yield from _EXAMPLE.findall(line.partition("|")[2])


def count(data: Path, wordnet: Path) -> tuple[Counter[str], int]:
    """Return in how many distinct sentences each lemma occurs, and how many there are."""
    found = list(sentences(data, wordnet))
    annotated = annotate(load_annotator("native"), found, trees=False, truncate=True)
    distinct = {" ".join(each.tokens).lower(): each for each in annotated}
    counts: Counter[str] = Counter()
    for sentence in distinct.values():
        counts.update({lemma.lower() for lemma in sentence.lemmas or ()})
    return counts, len(distinct)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder of WordNet's files")
    parser.add_argument("--output", type=Path, required=True, help="table to write")
    arguments = parser.parse_args()
    counts, n_sentences = count(arguments.data, arguments.wordnet)
    words = sorted(word for word, n in counts.items() if n > 1)
    write_table(
        arguments.output,
        {**pack_words(words), "count": np.array([counts[word] for word in words], dtype=np.int32)},
        name="counts",
        version="2.0.0",
        license=LICENSE,
        source=SOURCE,
        meta={"sentences": n_sentences, "lemmas": len(words)},
    )
    print(f"{arguments.output}: {len(words)} lemmas of {n_sentences} sentences")


if __name__ == "__main__":
    main()
