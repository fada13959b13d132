"""Word vectors: the shipped table, and its compilation from text."""

import numpy as np
import pytest
from tokalign.errors import FormatError, ResourceError
from tokalign.lexicon._vectors import Vectors
from tokalign.lexicon.build_vectors import N_REMOVED, compile_vectors, shape_vectors
from tokalign.tables import Table


@pytest.fixture(scope="module")
def vectors():
    return Vectors.open_shipped()


def test_similar_words_are_closer_than_unrelated_ones(vectors):
    assert vectors.similarity("explosion", "blast") > 0.5 > vectors.similarity("explosion", "menu")
    assert vectors.similarity("car", "car") == pytest.approx(1.0, abs=1e-6)


def test_unknown_words_have_no_similarity(vectors):
    assert vectors.find("qwertyish") == -1
    assert vectors.similarity("qwertyish", "car") == 0.0
    assert vectors.similarity("", "car") == vectors.similarity("caf\udce9", "car") == 0.0


def test_words_are_found_at_their_rows(vectors):
    for index in (0, 1, len(vectors) // 2, len(vectors) - 1):
        assert vectors.find(vectors.vocabulary[index]) == index


def test_the_kernel_is_the_cosine_of_the_rows(vectors):
    rows = vectors.source["row"].astype(np.float64)
    generator = np.random.default_rng(0)
    for a, b in generator.integers(0, len(vectors), (200, 2)):
        expected = rows[a] @ rows[b] / np.linalg.norm(rows[a]) / np.linalg.norm(rows[b])
        seen = vectors.similarity(vectors.vocabulary[int(a)], vectors.vocabulary[int(b)])
        assert seen == pytest.approx(expected, abs=1e-5)


def test_rounding_keeps_cosines(vectors):
    generator = np.random.default_rng(1)
    plain = generator.normal(size=(300, 50)).astype(np.float32)
    rows, scale = shape_vectors(plain)
    centred = plain.astype(np.float64) - plain.mean(axis=0, dtype=np.float64)
    shared = np.linalg.svd(centred, full_matrices=False)[2][:N_REMOVED]
    centred -= centred @ shared.T @ shared
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    rounded = rows * scale[:, None]
    assert np.abs(rounded @ rounded.T - centred @ centred.T).max() < 0.02


def glove_text(tmp_path, lines):
    path = tmp_path / "glove.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_text_is_compiled_to_the_same_bytes_twice(tmp_path):
    generator = np.random.default_rng(2)
    lines = [
        " ".join([word, *map(str, generator.normal(size=6).round(3))])
        for word in ("the", "cat", "dog", ",", "well-known", "3.5", "naïve", "tree", "sea")
    ]
    source = glove_text(tmp_path, lines)
    for name in ("a.table", "b.table"):
        compile_vectors(source, tmp_path / name)
    assert (tmp_path / "a.table").read_bytes() == (tmp_path / "b.table").read_bytes()
    compiled = Vectors(Table.open(tmp_path / "a.table"))
    assert len(compiled) == 7
    assert compiled.find("3.5") == compiled.find(",") == -1
    assert compiled.similarity("naïve", "naïve") == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["the 1 2", "cat 1 x"], "glove.txt:2: not a word and numbers"),
        (["the 1 2", "cat 1"], "glove.txt:2: 1 numbers; the first line has 2"),
    ],
)
def test_damaged_text_is_refused_with_its_line(tmp_path, lines, message):
    with pytest.raises(FormatError, match=message):
        compile_vectors(glove_text(tmp_path, lines), tmp_path / "a.table")


def test_a_table_of_another_kind_is_refused():
    with pytest.raises(ResourceError, match="has no array 'row'"):
        Vectors(Table.open_shipped("wordnet"))
