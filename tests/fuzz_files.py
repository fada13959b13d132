"""Fuzz: model and table files with changes that a stranger could make, opened and used.

Ends with exit code 1 where one is neither used nor refused with a ModelError or ResourceError, and
by a sanitizer's or the kernel's hand where one leads a kernel out of an array. Every array of a
table is copied into memory of its own, so that sanitizers see where it ends.

Usage: python tests/fuzz_files.py [--inputs 20000] [--seed 0]
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import itertools
import json
import random
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np
from support import hostile
from tokalign.aligner import Aligner
from tokalign.english.annotate import load_annotator
from tokalign.english.annotate.native import Lemmatizer
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.lexicon.lexical_tables import Frequencies, Paraphrases, Vectors, WordNet
from tokalign.errors import ModelError, ResourceError
from tokalign.files.shipped import DATA_DIR
from tokalign.files.tables import Table
from tokalign.model import load_model
from tokalign.model.shipped import model_path

sys.path.append(str(Path(__file__).parents[1]))  # of a script, only its own folder is there

from lab.kernels.doors import are_paraphrases, vector_cosine, wordnet_relations

SHIPPED = {
    "vectors": "vectors", "wordnet": "wordnet", "counts": "counts", "tagger": "tagger-en",
    "parser": "parser-en",
}  # fmt: skip
KINDS = ("wordnet", "vectors", "ppdb", "counts", "tagger", "parser")
SENTENCES = [["Dogs", "bark", ".", "``", "''"], ["the", "cat", "run-down", "dog", "geese"]]
NUMBERS = (0, 1, -1, 2, 6, 255, 2**31 - 1, -(2**31), 2**30, 2**24)
LENGTHS = (0, 1, 15, 63, 64, 65, 1 << 16, 1 << 30, 1 << 31, 1 << 63, (1 << 64) - 1)
# JSON texts that stand where a header has something else.
VALUES = (
    "5", "-1", "null", "true", "1e999", "NaN", "0.5", "[]", "{}", '""', '"../x"', '"\\ud800"',
    '"a\\u0000b"', "[[]]", '[1, -1]', '[1073741824, 1073741824]', "9" * 40, str(1 << 62),
    str(1 << 63), '"<i4"', '"|O"', '"<f8"', "64", "[6]", "[0]", "[6, 4]", hostile.DEEP,
    '{"a": {"dtype": "|u1", "shape": [1], "offset": 0}}',
)  # fmt: skip


class HeapTable(Table):
    """A table whose arrays are copies, each with an end of its own."""

    def __getitem__(self, name):
        return super().__getitem__(name).copy()


class Fuzzer:
    """Makes one file after another, the same ones for the same seed."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.path = folder / "file"
        self.tables = {kind: hostile.write_kind(folder / kind, kind).read_bytes() for kind in KINDS}
        lines = model_path("en").read_text().splitlines()[:-1]
        at = [k for k, line in enumerate(lines) if line.startswith("style ")]
        # Few enough to be quick; transitions come last of what the styles share.
        self.model = [*lines[:60], *lines[at[0] - 40 : at[0]]]
        for start in at:
            self.model += lines[start : start + 10]
        self.annotator = load_annotator("native")

    def next(self) -> str:
        """Write a file and return its kind."""
        kind = self.random.choice((*KINDS, "model"))
        if kind == "model":
            self.path.write_bytes(self.changed_model())
        else:
            content = self.tables[kind]
            for _ in range(self.random.choice((1, 1, 1, 2, 3))):
                content = self.changed_table(content)
            self.path.write_bytes(content)
        return kind

    def changed_table(self, content: bytes) -> bytes:
        """Return a table with one change."""
        change = self.random.choice(
            (self.flipped, self.cut, self.other_length, self.other_field, self.other_field,
             self.other_number, self.other_number, self.other_number)
        )  # fmt: skip
        try:
            return change(content)
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            return self.flipped(content)  # an earlier change has made it unreadable

    def flipped(self, content: bytes) -> bytes:
        changed = bytearray(content)
        for _ in range(self.random.choice((1, 3, 30))):
            if changed:
                changed[self.random.randrange(len(changed))] = self.random.randrange(256)
        return bytes(changed)

    def cut(self, content: bytes) -> bytes:
        end = self.random.randrange(len(content) + 1)
        return content[:end] if self.random.random() < 0.7 else content + content[:end]

    def other_length(self, content: bytes) -> bytes:
        length = self.random.choice(LENGTHS)
        return content[:8] + length.to_bytes(8, "little") + content[16:]

    def other_field(self, content: bytes) -> bytes:
        """Return a table with another value anywhere in its header."""
        header, _ = hostile.header_of(content)
        place, keys = header, list(header)
        while True:
            key = self.random.choice(keys)
            below = place[key]
            if not isinstance(below, dict | list) or not below or self.random.random() < 0.2:
                break
            place = below
            keys = list(below) if isinstance(below, dict) else list(range(len(below)))
        mark = "a place for it"
        place[key] = mark
        text = json.dumps(header).replace(json.dumps(mark), self.random.choice(VALUES))
        return hostile.with_header(content, text.encode())

    def other_number(self, content: bytes) -> bytes:
        """Return a table with another number anywhere in its arrays."""
        header, start = hostile.header_of(content)
        if not header["arrays"]:  # lost in an earlier change
            return content
        spec = self.random.choice(list(header["arrays"].values()))
        dtype = np.dtype(spec["dtype"])
        n_items = int(np.prod(spec["shape"]))
        if not n_items:
            return content
        array = np.frombuffer(bytearray(content), dtype=np.uint8)
        at = start + spec["offset"] + dtype.itemsize * self.random.randrange(n_items)
        number = self.random.choice((*NUMBERS, n_items, self.random.randrange(32)))
        value = np.array([number], dtype=np.int64).astype(dtype)
        if dtype.kind == "f":
            value = np.array([self.random.choice((np.nan, np.inf, -1, 1e30))], dtype=dtype)
        array[at : at + dtype.itemsize] = value.view(np.uint8)
        return array.tobytes()

    def changed_model(self) -> bytes:
        """Return a model with one change, and most often the digest that fits."""
        lines = list(self.model)
        what = self.random.randrange(5)
        if what == 0:
            header = json.loads(lines[1])
            key = self.random.choice(list(header))
            header[key] = mark = "a place for it"
            text = json.dumps(header).replace(json.dumps(mark), self.random.choice(VALUES))
            lines[1] = text
        elif what == 1:
            k = self.random.randrange(3, len(lines))
            name, *_ = lines[k].split("\t")
            values = ("nan", "inf", "-1e6", "1e6", "1e300", "x", "", "0x1", "1_0", "\u0663")
            lines[k] = "\t".join((name, *self.random.choices(values, k=2)))
        elif what == 2:
            k, m = self.random.choices(range(len(lines)), k=2)
            lines[k] = lines[m]
        elif what == 3:
            del lines[self.random.randrange(len(lines))]
        body = "".join(f"{line}\n" for line in lines).encode()
        if what == 4:
            body = self.flipped(body)
        content = body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()
        return self.flipped(content) if self.random.random() < 0.05 else content

    def use(self, kind: str) -> None:
        """Open the file that was written last and do with it whatever can be done."""
        if kind == "model":
            self.align()
            return
        mapped = Table.open(self.path)
        table = HeapTable(mapped.path, mapped.header, mapped._payload)
        USES[kind](table)

    def align(self) -> None:
        model = load_model(self.path)
        if model.header.encoder:
            return  # its packages are optional
        alignment = Aligner(model, self.annotator).align(
            "Dogs bark at cats.", "The dog barked at 3 cats.", posteriors=True, explain=True
        )
        if not np.isfinite(alignment.posteriors).all():
            raise AssertionError("a posterior is not finite")


def use_vocabulary(vocabulary) -> list[str]:
    words = [vocabulary[k] for k in range(min(len(vocabulary), 50))]
    for word in (*words, "", "zz", "\ud800"):
        vocabulary.find(word)
    return [*words, *hostile.WORDS]


def use_wordnet(table: Table) -> None:
    wordnet = WordNet(table)
    for a, b in itertools.product(use_vocabulary(wordnet.vocabulary), repeat=2):
        wordnet_relations(wordnet, a, b)
    lemmatizer = Lemmatizer(wordnet)
    for word, tag in itertools.product(("geese", "dogs", "run"), ("NNS", "VBD", "RBR")):
        lemmatizer.lemmatize(word, tag)


def use_vectors(table: Table) -> None:
    vectors = Vectors(table)
    for a, b in itertools.product(use_vocabulary(vectors.vocabulary), repeat=2):
        if not -1 <= vector_cosine(vectors, a, b) <= 1:
            raise AssertionError("a cosine is none")


def use_ppdb(table: Table) -> None:
    paraphrases = Paraphrases(table)
    for a, b in itertools.product(use_vocabulary(paraphrases.vocabulary), repeat=2):
        are_paraphrases(paraphrases, a, b)


def use_counts(table: Table) -> None:
    frequencies = Frequencies(table)
    for word in hostile.WORDS:
        if not 0 <= frequencies.idf(word) <= 1:
            raise AssertionError("an idf is none")


def use_tagger(table: Table) -> None:
    Tagger.from_table(table).tag(SENTENCES)


def use_parser(table: Table) -> None:
    Parser.from_table(table).parse(SENTENCES, [("NN", "VBP", ".", "``", "no tag")] * 2)


USES = {
    "wordnet": use_wordnet, "vectors": use_vectors, "ppdb": use_ppdb, "counts": use_counts,
    "tagger": use_tagger, "parser": use_parser,
}  # fmt: skip


def fuzz(inputs: int, seed: int, folder: Path) -> collections.Counter[tuple[str, str]]:
    """Return how often each kind of file was used or refused.

    Raises
    ------
    AssertionError
        If a file was neither; it is kept in the folder, and its number said.
    """
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    fuzzer = Fuzzer(seed, folder)
    for number in range(inputs):
        kind = fuzzer.next()
        try:
            fuzzer.use(kind)
        except (ModelError, ResourceError) as error:
            counts[kind, "refused"] += 1
            if len(str(error)) > len(str(fuzzer.path)) + 1000:
                raise AssertionError(f"input {number}, a {kind}: a long message") from error
        except Exception as error:
            raise AssertionError(f"input {number} of seed {seed}, a {kind}, raised") from error
        else:
            counts[kind, "used"] += 1
    return counts


def fuzz_shipped(inputs: int, seed: int, folder: Path) -> collections.Counter[tuple[str, str]]:
    """Do the same with single numbers of the tables that ship, changed in place and back."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    rng = random.Random(seed)
    for kind, name in SHIPPED.items():
        path = folder / f"{name}.table"
        path.write_bytes((DATA_DIR / f"{name}.table").read_bytes())
        sound = Table.open(path)
        start = path.stat().st_size - sound.header["size"]
        for number in range(inputs):
            spec = rng.choice(list(sound.header["arrays"].values()))
            size = np.dtype(spec["dtype"]).itemsize
            at = start + spec["offset"] + size * rng.randrange(int(np.prod(spec["shape"])))
            value = rng.choice((0, -1, 2**31 - 1, 2**30)).to_bytes(8, "little", signed=True)[:size]
            with path.open("r+b") as file:
                file.seek(at)
                before = file.read(size)
                file.seek(at)
                file.write(value)
                file.flush()
                try:
                    USES[kind](Table.open(path))
                except ResourceError:
                    counts[name, "refused"] += 1
                except Exception as error:
                    raise AssertionError(f"change {number} of {name} at {at}, raised") from error
                else:
                    counts[name, "used"] += 1
                file.seek(at)
                file.write(before)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            counts = fuzz(options.inputs, options.seed, Path(folder))
            counts += fuzz_shipped(options.inputs // 100, options.seed, Path(folder))
        except AssertionError:
            traceback.print_exc()
            return 1
    for (kind, end), count in sorted(counts.items()):
        sys.stdout.write(f"{kind:<12} {end:<8} {count:>7}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
