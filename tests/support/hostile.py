"""Model and table files as a stranger would write them: well formed, with one thing wrong."""

import hashlib
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tokalign.english.lexicon.lexical_resources import pack_rows, pack_words
from tokalign.errors import ModelError, ResourceError
from tokalign.files.tables import ALIGNMENT, MAGIC, write_table

DEEP = "[" * 5000 + "]" * 5000
WORDS = ["bark", "canine", "cat", "dog", "hound", "run"]
TAGS = ["NN", "NNS", "VB", "VBP", ".", "``", "''"]

TEXT = {"name": "tiny", "version": "1", "license": "none", "source": "a test"}


def write_model(path: Path, template: Path, change) -> Path:
    """Change the lines of a model file, and give it the digest that fits."""
    lines = change(template.read_text("utf-8").splitlines()[:-1])
    body = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    path.write_bytes(body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode())
    return path


def model_with_header(path: Path, template: Path, **fields: str) -> Path:
    """Write a model whose header has other fields; values are JSON, as text."""

    def change(lines):
        header = {key: json.dumps(value) for key, value in json.loads(lines[1]).items()} | fields
        text = ", ".join(f"{json.dumps(key)}: {value}" for key, value in header.items())
        return [lines[0], f"{{{text}}}", *lines[2:]]

    return write_model(path, template, change)


def header_of(content: bytes) -> tuple[dict, int]:
    """Return a table's header and where its arrays begin."""
    start = 16 + int.from_bytes(content[8:16], "little")
    return json.loads(content[16:start]), start


def with_header(content: bytes, text: bytes) -> bytes:
    """Return a table with another header, padded as it must be."""
    _, start = header_of(content)
    text += b" " * (-(len(text) + 16) % ALIGNMENT)
    return MAGIC + len(text).to_bytes(8, "little") + text + content[start:]


def arrays_of(kind: str) -> dict[str, object]:
    """Return the arrays of a small sound table of a kind."""
    return {"wordnet": wordnet, "vectors": vectors, "ppdb": ppdb, "tagger": tagger,
            "parser": parser, "counts": counts}[kind]()  # fmt: skip


def write_kind(path: Path, kind: str, **arrays: object) -> Path:
    """Write a small table of a kind, some of its arrays replaced."""
    write_table(path, {**arrays_of(kind), **arrays}, **TEXT, meta={"sentences": 100})
    return path


def wordnet() -> dict[str, object]:
    entries = np.full((len(WORDS), 4), -1, dtype=np.int32)
    entries[:, 0] = np.arange(len(WORDS))
    rows = [[0, 3], [1], [0], [1, 2], [2], [4]]
    row_start, neighbour = pack_rows(rows)
    exceptions = {f"exceptions_{pos}": ["geese goose"] for pos in ("noun", "verb", "adj", "adv")}
    lists = {}
    for name in ("senses", "parents", "ancestors"):
        lists[f"{name}_start"], lists[name] = pack_rows(rows)
    return {
        **pack_words(WORDS),
        "word_entries": entries,
        "row_start": row_start,
        "neighbour": neighbour,
        "code": np.arange(len(neighbour), dtype=np.uint8) % 3,
        "masks": np.array([1, 2, 4], dtype=np.uint32),
        **lists,
        **exceptions,
    }


def vectors() -> dict[str, object]:
    rows = np.random.default_rng(0).integers(-128, 128, (len(WORDS), 8)).astype(np.int8)
    scale = 1 / np.linalg.norm(rows.astype(np.float32), axis=1).astype(np.float32)
    return {**pack_words(WORDS), "row": rows, "scale": scale}


def ppdb() -> dict[str, object]:
    start, partner = pack_rows([[1], [0, 2], [1], [4], [3], [5]])
    return {**pack_words(WORDS), "row_start": start, "partner": partner}


def tagger() -> dict[str, object]:
    random = np.random.default_rng(0)
    return {
        "tags": TAGS,
        "weights": random.integers(-99, 99, (32, 64)).astype(np.int16),
        "lexicon_keys": np.array([0, 7, 0, 9], dtype=np.uint32),
        "lexicon_values": np.arange(4, dtype=np.uint32),
    }


def parser() -> dict[str, object]:
    random = np.random.default_rng(0)
    return {
        "tags": TAGS,
        "labels": ["nsubj", "root", "punct"],
        "action_weights": random.integers(-99, 99, (32, 4)).astype(np.int16),
        "label_weights": random.integers(-99, 99, (16, 64)).astype(np.int16),
    }


def counts() -> dict[str, object]:
    return {**pack_words(WORDS), "count": np.arange(len(WORDS), dtype=np.int32)}


def peak_bytes(function, *arguments) -> tuple[int, str]:
    """Return the memory that a call which raises an AlignError took, and the error's message."""
    tracemalloc.start()
    try:
        with pytest.raises((ModelError, ResourceError)) as caught:
            function(*arguments)
        return tracemalloc.get_traced_memory()[1], str(caught.value)
    finally:
        tracemalloc.stop()
