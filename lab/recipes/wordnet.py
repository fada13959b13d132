"""Compile WordNet's dictionary files into the table that ships.

    python -m lab.recipes.wordnet --dict DIR --output wordnet.table.xz

DIR holds index.noun, data.noun, noun.exc and so on, as in Debian's wordnet-base or NLTK's corpus.
Only single words are kept. Relations of synsets become relations of their words, so that a look-up
of two words needs no senses; what would explode that way (co-hyponyms, distant hypernyms) is kept
as short sorted lists of synsets instead. File formats: wndb(5WN), wninput(5WN).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.english.lexicon.lexical_resources import pack_rows, pack_words
from tokalign.english.lexicon.word_lists import RELATION_NAMES
from tokalign.errors import ResourceError
from tokalign.files.tables import write_table

POS_FILES = ("noun", "verb", "adj", "adv")
_POS_OF_TYPE = {"n": 0, "v": 1, "a": 2, "s": 2, "r": 3}
_SEMANTIC = {
    "@": "hypernym", "@i": "hypernym", "~": "hyponym", "~i": "hyponym", "*": "entailing",
    ">": "causing", "#m": "member-of", "%m": "has-member", "#s": "substance-of",
    "%s": "has-substance", "#p": "part-of", "%p": "has-part", "&": "similar", "$": "verb-group",
}  # fmt: skip
_LEXICAL = {"+": "derived", "\\": "pertainym", "!": "antonym"}

SynsetKey = tuple[int, int]  # part of speech, offset in its data file


@dataclass(slots=True)
class _Synset:
    words: list[str]
    semantic: list[tuple[str, SynsetKey]] = field(default_factory=list)
    lexical: list[tuple[str, int, SynsetKey, int]] = field(default_factory=list)


def relation_bit(name: str) -> int:
    """Return the bit of a relation of RELATION_NAMES; raise ValueError for another name."""
    return 1 << RELATION_NAMES.index(name)


DERIVED, DERIVED_SYNONYM, SYNONYM = map(relation_bit, ("derived", "derived-synonym", "synonym"))


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if not line.startswith("  "))
    except OSError as error:
        raise ResourceError(f"{path}: cannot be read ({error}); give WordNet's dict") from error


def _word(raw: str) -> str:
    return raw.split("(")[0].lower()  # adjectives may carry a marker: galore(ip)


def read_synsets(directory: Path) -> dict[SynsetKey, _Synset]:
    """Return all synsets of the four data files."""
    synsets = {}
    for pos, name in enumerate(POS_FILES):
        for line in _lines(directory / f"data.{name}"):
            fields = line.split("|")[0].split()
            n_words = int(fields[3], 16)
            synset = _Synset([_word(fields[4 + 2 * k]) for k in range(n_words)])
            position = 4 + 2 * n_words
            for k in range(int(fields[position])):
                symbol, offset, kind, ends = fields[position + 1 + 4 * k : position + 5 + 4 * k]
                target = (_POS_OF_TYPE[kind], int(offset))
                source_word, target_word = int(ends[:2], 16), int(ends[2:], 16)
                if symbol in _SEMANTIC:
                    synset.semantic.append((_SEMANTIC[symbol], target))
                elif symbol in _LEXICAL and source_word:
                    synset.lexical.append(
                        (_LEXICAL[symbol], source_word - 1, target, target_word - 1)
                    )
            synsets[pos, int(fields[0])] = synset
    return synsets


def _hypernyms(synset: _Synset) -> list[SynsetKey]:
    return [target for name, target in synset.semantic if name == "hypernym"]


class _Compiler:
    """Numbers words and entries, and gathers what holds between entries."""

    def __init__(self, synsets: dict[SynsetKey, _Synset]) -> None:
        self.synsets = synsets
        self.number = {key: k for k, key in enumerate(sorted(synsets))}
        entries = {
            (word, key[0])
            for key, synset in synsets.items()
            for word in synset.words
            if "_" not in word
        }
        self.entries = {entry: k for k, entry in enumerate(sorted(entries))}
        self.words = sorted({word for word, _ in entries})

    def _ids(self, key: SynsetKey) -> list[int]:
        return [self.entries[word, key[0]] for word in self.synsets[key].words if "_" not in word]

    def relations(self) -> dict[tuple[int, int], int]:
        """Return the mask of relations of every related pair of entries."""
        masks: dict[tuple[int, int], int] = defaultdict(int)
        for key, synset in self.synsets.items():
            own = self._ids(key)
            related = [("synonym", key), *synset.semantic]
            for name, target in related:
                for a in own:
                    for b in self._ids(target):
                        if a != b:
                            masks[a, b] |= relation_bit(name)
            for name, source_word, target, target_word in synset.lexical:
                a = self.entries.get((synset.words[source_word], key[0]), -1)
                b = self.entries.get((self.synsets[target].words[target_word], target[0]), -1)
                if a < 0 or b < 0 or a == b:
                    continue
                masks[a, b] |= relation_bit(name)
                if name == "derived":
                    for c in self._ids(target):
                        if c not in (a, b):
                            masks[a, c] |= DERIVED_SYNONYM
                            masks[c, a] |= DERIVED_SYNONYM
        return {
            pair: mask & ~DERIVED_SYNONYM if mask & (DERIVED | SYNONYM) else mask
            for pair, mask in masks.items()
        }

    def synset_lists(self) -> dict[str, list[set[int]]]:
        """Return, for every entry, its synsets, their hypernyms, and those two or three up."""
        lists: dict[str, list[set[int]]] = {
            name: [set() for _ in self.entries] for name in ("senses", "parents", "ancestors")
        }
        for key, synset in self.synsets.items():
            parents = _hypernyms(synset)
            second = [up for parent in parents for up in _hypernyms(self.synsets[parent])]
            third = [up for parent in second for up in _hypernyms(self.synsets[parent])]
            for entry in self._ids(key):
                lists["senses"][entry].add(self.number[key])
                lists["parents"][entry].update(self.number[up] for up in parents)
                lists["ancestors"][entry].update(self.number[up] for up in (*second, *third))
        return lists


def compile_wordnet(directory: Path, output: Path) -> None:
    """Write the table of the WordNet files in `directory` to `output`; reproducible to the bit."""
    compiler = _Compiler(read_synsets(directory))
    masks = compiler.relations()
    distinct = sorted(set(masks.values()))
    code = {mask: k for k, mask in enumerate(distinct)}
    rows: list[list[int]] = [[] for _ in compiler.entries]
    for a, b in masks:
        rows[a].append(b)
    start, neighbour = pack_rows(rows)
    codes = np.array(
        [code[masks[a, b]] for a, row in enumerate(rows) for b in sorted(row)], dtype=np.uint8
    )
    word_entries = np.full((len(compiler.words), len(POS_FILES)), -1, dtype=np.int32)
    word_ids = {word: k for k, word in enumerate(compiler.words)}
    for (word, pos), entry in compiler.entries.items():
        word_entries[word_ids[word], pos] = entry
    arrays: dict[str, NDArray[np.generic] | list[str]] = {
        **pack_words(compiler.words),
        "word_entries": word_entries,
        "row_start": start,
        "neighbour": neighbour,
        "code": codes,
        "masks": np.array(distinct, dtype=np.uint32),
    }
    for name, lists in compiler.synset_lists().items():
        arrays[f"{name}_start"], arrays[name] = pack_rows(lists)
    for name in POS_FILES:
        exceptions = [
            " ".join(line.split()[:2])
            for line in _lines(directory / f"{name}.exc")
            if "_" not in line
        ]
        arrays[f"exceptions_{name}"] = exceptions
    write_table(
        output,
        arrays,
        name="wordnet",
        version="3.0",
        license="WordNet 3.0 license",
        source="WordNet 3.0 dictionary files, Princeton University",
        meta={"entries": len(compiler.entries), "pairs": len(masks)},
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.wordnet", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--dict", type=Path, required=True, help="folder of WordNet's files")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    compile_wordnet(arguments.dict, arguments.output)


if __name__ == "__main__":
    main()
