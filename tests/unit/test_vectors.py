"""Word vectors: the shipped table, and its compilation from text."""

import zipfile

import numpy as np
import pytest
from tokalign.english.lexicon.lexical_tables import Vectors
from tokalign.errors import ResourceError
from tokalign.files.tables import Table

from lab.kernels.doors import vector_cosine
from lab.recipes.vectors.encodings import (
    join_encodings,
    read_glove,
    round_rows,
    write_vectors,
)


@pytest.fixture(scope="module")
def vectors():
    return Vectors.open_shipped()


def test_similar_words_are_closer_than_unrelated_ones(vectors):
    assert (
        vector_cosine(vectors, "explosion", "blast")
        > 0.5
        > vector_cosine(vectors, "explosion", "menu")
    )
    assert vector_cosine(vectors, "car", "car") == pytest.approx(1.0, abs=1e-6)


def test_unknown_words_have_no_similarity(vectors):
    assert vectors.find("qwertyish") == -1
    assert vector_cosine(vectors, "qwertyish", "car") == 0.0
    assert vector_cosine(vectors, "", "car") == vector_cosine(vectors, "caf\udce9", "car") == 0.0


def test_words_are_found_at_their_rows(vectors):
    for index in (0, 1, len(vectors) // 2, len(vectors) - 1):
        assert vectors.find(vectors.vocabulary[index]) == index


def test_the_kernel_is_the_cosine_of_the_rows(vectors):
    rows = vectors.source["row"].astype(np.float64)
    generator = np.random.default_rng(0)
    for a, b in generator.integers(0, len(vectors), (200, 2)):
        expected = rows[a] @ rows[b] / np.linalg.norm(rows[a]) / np.linalg.norm(rows[b])
        seen = vector_cosine(vectors, vectors.vocabulary[int(a)], vectors.vocabulary[int(b)])
        assert seen == pytest.approx(expected, abs=1e-5)


def test_rounding_keeps_cosines():
    plain = np.random.default_rng(1).normal(size=(300, 64))
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    rows, scale = round_rows(plain)
    rounded = rows * scale[:, None]
    assert np.abs(rounded @ rounded.T - plain @ plain.T).max() < 0.02


def test_vectors_are_written_to_the_same_bytes_twice(tmp_path):
    words = ["the", "cat", "dog", "well-known", "na\u00efve", "tree", "sea"]
    plain = np.random.default_rng(2).normal(size=(len(words), 6)).astype(np.float32)
    for name in ("a.table", "b.table"):
        write_vectors(tmp_path / name, words, plain, version="1", source="test", license="none")
    assert (tmp_path / "a.table").read_bytes() == (tmp_path / "b.table").read_bytes()
    compiled = Vectors(Table.open(tmp_path / "a.table"))
    unit = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    assert vector_cosine(compiled, "sea", "na\u00efve") == pytest.approx(
        unit[6] @ unit[4], abs=0.02
    )


def test_encodings_are_joined_with_equal_shares():
    generator = np.random.default_rng(3)
    encodings = [generator.normal(size=(20, n)).astype(np.float32) * n for n in (4, 9)]
    joined = join_encodings(encodings)
    for part, encoding in zip(np.split(joined, [4], axis=1), encodings, strict=True):
        np.testing.assert_allclose(np.linalg.norm(part, axis=1), np.sqrt(0.5), rtol=1e-5)
        centred = encoding - encoding.mean(axis=0)
        cosines = (part * centred).sum(1) / np.linalg.norm(centred, axis=1) / np.sqrt(0.5)
        np.testing.assert_allclose(cosines, 1.0, rtol=1e-5)


def test_a_wheel_with_other_contents_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as wheel:
        wheel.writestr("readme.txt", "nothing")
    with pytest.raises(ResourceError, match=r"other.whl: 0 files end in '\.parquet'; wanted one"):
        read_glove(tmp_path / "other.whl", 10)


def test_a_table_of_another_kind_is_refused():
    with pytest.raises(ResourceError, match="has no array 'row'"):
        Vectors(Table.open_shipped("wordnet"))
