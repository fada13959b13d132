"""Table files from strangers: refused with the file, the field and what was wanted."""

import json
import lzma
import os
import runpy
import tracemalloc

import numpy as np
import pytest
from support import hostile
from tokalign.english.annotate.native import Lemmatizer
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.lexicon.lexical_resources import read_pairs
from tokalign.english.lexicon.lexical_tables import Frequencies, Paraphrases, Vectors, WordNet
from tokalign.errors import FormatError, ModelError, ResourceError
from tokalign.files.headers import MAX_HEADER_BYTES
from tokalign.files.shipped import DATA_DIR
from tokalign.files.tables import MAX_TABLE_BYTES, Table, write_table
from tokalign.model import load_model
from tokalign.neural.encoder import add_differences
from tokalign.neural.wordpieces import numbered_pieces

from lab.kernels.doors import are_paraphrases, vector_cosine, wordnet_relations

MIB = 1 << 20
INT = np.iinfo(np.int32)
READERS = {
    "wordnet": WordNet, "vectors": Vectors, "ppdb": Paraphrases, "tagger": Tagger.from_table,
    "parser": Parser.from_table, "counts": Frequencies,
}  # fmt: skip


def test_a_device_is_no_model_and_no_table(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(ModelError, match="is not a regular file"):
            load_model(path)
        with pytest.raises(ResourceError, match="is not a regular file"):
            Table.open(path)


@pytest.mark.parametrize("name", ["../data/wordnet", "/etc/passwd", "", "..", "a\0b"])
def test_a_table_outside_the_folder(name):
    with pytest.raises(ResourceError, match="no table can be called"):
        Table.open_shipped(name)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("name", 5, "name is 5; wanted a name"),
        ("name", "../x", "name is '../x'; wanted a name"),
        ("version", 123, "version is 123; wanted text"),
        ("license", None, "license is None; wanted text"),
        ("source", ["x"], "source is .*; wanted text"),
        ("source", "\ud800", "source is .*; wanted text"),
        ("meta", 7, "meta is 7; wanted an object"),
        ("size", True, "size is True; wanted a whole number from 0"),
        ("size", -1, "size is -1; wanted a whole number from 0"),
        ("size", 1e999, "size is inf; wanted a whole number from 0"),
        ("sha256", "x", "sha256 is 'x'; wanted 64 hexadecimal digits"),
        ("arrays", [], "arrays is .*; wanted an object"),
        ("arrays", {"row": 5}, "arrays.row is 5; wanted an object"),
        ("arrays", {"row": {}}, "arrays.row has no field 'dtype'"),
        ("arrays", {"r" * 9999: {}}, r"arrays\.r+\.\.\.r+ has no field 'dtype'"),
        ("extra", 1, "unknown field 'extra'"),
    ],
)  # fmt: skip
def test_a_header_field_of_a_table(tmp_path, field, value, message):
    path = hostile.write_kind(tmp_path / "t.table", "vectors")
    content = path.read_bytes()
    header, _ = hostile.header_of(content)
    path.write_bytes(hostile.with_header(content, json.dumps(header | {field: value}).encode()))
    with pytest.raises(ResourceError, match=rf"t\.table: damaged header: .*{message}"):
        Table.open(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offset": 8}, "wanted a multiple of 64"),
        ({"offset": 1 << 61}, "within the"),
        ({"shape": [1 << 31]}, "wanted at most 4 dimensions of at most"),
        ({"shape": [0, 1 << 40]}, "wanted at most 4 dimensions of at most"),
        ({"shape": [1 << 30] * 4}, "within the"),
        ({"shape": [1] * 5}, "wanted at most 4 dimensions"),
        ({"shape": [True]}, r"shape\[0\] is True"),
        ({"shape": [1.0]}, r"shape\[0\] is 1.0"),
        ({"dtype": "O"}, "has the type 'O'"),
        ({"dtype": "|f1"}, r"has the type '\|f1'"),
        ({"dtype": ">i4"}, "has the type '>i4'"),
        ({"dtype": "<i4,<i4"}, "has the type"),
        ({"dtype": "<M8[s]"}, "has the type"),
    ],
)
def test_where_an_array_of_a_table_lies(tmp_path, change, message):
    path = hostile.write_kind(tmp_path / "t.table", "vectors")
    content = path.read_bytes()
    header, _ = hostile.header_of(content)
    header["arrays"]["row"] |= change
    path.write_bytes(hostile.with_header(content, json.dumps(header).encode()))
    with pytest.raises(ResourceError, match=rf"t\.table: damaged header: .*\brow\b.*{message}"):
        Table.open(path)


@pytest.mark.parametrize("n_header", [1 << 30, (1 << 64) - 1, MAX_HEADER_BYTES + 64, 1])
def test_a_header_of_gigabytes_costs_no_memory(tmp_path, n_header):
    path = tmp_path / "t.table"
    path.write_bytes(b"TOKTABL1" + n_header.to_bytes(8, "little") + b"{")
    os.truncate(path, MAX_TABLE_BYTES)
    peak, message = hostile.peak_bytes(Table.open, path)
    assert f"damaged header: it has {n_header} bytes; wanted at most {MAX_HEADER_BYTES}" in message
    assert peak < MIB


def test_a_table_of_terabytes_costs_no_memory(tmp_path):
    path = hostile.write_kind(tmp_path / "t.table", "vectors")
    os.truncate(path, 1 << 40)
    peak, message = hostile.peak_bytes(Table.open, path)
    assert f"has {1 << 40} bytes; a table has at most {MAX_TABLE_BYTES}" in message
    assert peak < MIB


def test_strings_without_end_cost_no_memory(tmp_path):
    write_table(tmp_path / "t.table", {"a": np.zeros(16 * MIB, dtype=np.uint8)}, **hostile.TEXT)
    peak, message = hostile.peak_bytes(Table.open(tmp_path / "t.table").strings, "a")
    assert "the strings of 'a' have 16777216 bytes; wanted at most" in message
    assert peak < MIB


def test_a_table_is_verified_without_a_copy(tmp_path):
    write_table(tmp_path / "t.table", {"a": np.zeros(16 * MIB, dtype=np.uint8)}, **hostile.TEXT)
    table = Table.open(tmp_path / "t.table")
    tracemalloc.start()
    table.verify()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MIB


def test_a_deep_header_of_a_table(tmp_path):
    path = hostile.write_kind(tmp_path / "t.table", "vectors")
    path.write_bytes(hostile.with_header(path.read_bytes(), hostile.DEEP.encode()))
    # Python 3.14 reads deeper JSON than those before.
    refused = r"damaged header: it(s JSON is nested too deeply| is \[\[.*; wanted an object)"
    with pytest.raises(ResourceError, match=refused):
        Table.open(path)


def test_strings_that_are_not_text(tmp_path):
    broken = {"a": np.array([255], dtype=np.uint8), "b": np.zeros(3, dtype=np.int32)}
    write_table(tmp_path / "t.table", broken, **hostile.TEXT)
    table = Table.open(tmp_path / "t.table")
    with pytest.raises(ResourceError, match=r"t\.table: the strings of 'a'"):
        table.strings("a")
    with pytest.raises(ResourceError, match=r"'b' is int32 of shape \(3,\); wanted uint8 of any"):
        table.strings("b")


def of(kind, name, place, value):
    """Return an array of a sound table with one number changed."""
    array = np.array(hostile.arrays_of(kind)[name])
    array.flat[place] = value
    return array


def i32(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize(
    ("kind", "name", "array"),
    [
        ("ppdb", "word_start", i32()),
        ("ppdb", "word_start", i32(0, 4, 10, 13, 16, 21, 2**30)),
        ("ppdb", "word_start", of("ppdb", "word_start", 0, -1)),
        ("ppdb", "word_start", of("ppdb", "word_start", 3, -5)),
        ("ppdb", "word_start", of("ppdb", "word_start", 2, INT.max)),
        ("ppdb", "word_start", of("ppdb", "word_start", 2, INT.min)),
        ("ppdb", "word_start", of("ppdb", "word_start", 2, 4)),
        ("ppdb", "word_start", hostile.ppdb()["word_start"].astype(np.int64)),
        ("ppdb", "words", np.zeros(24, dtype=np.float32)),
        ("ppdb", "row_start", of("ppdb", "row_start", -1, 10_000)),
        ("ppdb", "row_start", of("ppdb", "row_start", 2, INT.max)),
        ("ppdb", "row_start", i32(0, 7)),
        ("ppdb", "partner", i32()),
        ("vectors", "row", np.zeros((6, 0), dtype=np.int8)),
        ("vectors", "row", np.zeros((5, 8), dtype=np.int8)),
        ("vectors", "row", np.zeros((6, 8), dtype=np.int16)),
        ("vectors", "row", np.zeros(48, dtype=np.int8)),
        ("vectors", "row", np.zeros((6, 5000), dtype=np.int8)),
        ("vectors", "scale", of("vectors", "scale", 1, np.nan)),
        ("vectors", "scale", of("vectors", "scale", 1, np.inf)),
        ("vectors", "scale", of("vectors", "scale", 1, -1)),
        ("wordnet", "word_entries", of("wordnet", "word_entries", 4, 6)),
        ("wordnet", "word_entries", of("wordnet", "word_entries", 4, -2)),
        ("wordnet", "word_entries", np.zeros((6, 3), dtype=np.int32)),
        ("wordnet", "word_entries", np.zeros((5, 4), dtype=np.int32)),
        ("wordnet", "code", of("wordnet", "code", 0, 3)),
        ("wordnet", "code", np.zeros(2, dtype=np.uint8)),
        ("wordnet", "masks", np.zeros(0, dtype=np.uint32)),
        ("wordnet", "row_start", i32()),
        ("wordnet", "row_start", i32(0)),
        ("wordnet", "row_start", of("wordnet", "row_start", 1, -7)),
        ("wordnet", "senses_start", of("wordnet", "senses_start", -1, 99)),
        ("wordnet", "parents_start", i32(0, 8)),
        ("wordnet", "ancestors_start", of("wordnet", "ancestors_start", 3, INT.max)),
        ("wordnet", "ancestors", i32()),
        ("counts", "count", of("counts", "count", 0, 101)),
        ("counts", "count", of("counts", "count", 0, -1)),
        ("counts", "count", np.zeros(5, dtype=np.int32)),
        ("counts", "count", np.zeros(6, dtype=np.float64)),
        ("tagger", "tags", ["NN"]),
        ("tagger", "tags", ["``", "''", "NN", "NN"]),
        ("tagger", "tags", [*hostile.TAGS, *map(str, range(60))]),
        ("tagger", "weights", np.zeros((32, 63), dtype=np.int16)),
        ("tagger", "weights", np.zeros((33, 64), dtype=np.int16)),
        ("tagger", "weights", np.zeros((0, 64), dtype=np.int16)),
        ("tagger", "weights", np.zeros((32, 64), dtype=np.int32)),
        ("tagger", "lexicon_keys", np.ones(4, dtype=np.uint32)),
        ("tagger", "lexicon_keys", np.zeros(3, dtype=np.uint32)),
        ("tagger", "lexicon_keys", np.zeros(8, dtype=np.uint32)),
        ("parser", "tags", []),
        ("parser", "tags", [f"T{k}" for k in range(62)]),
        ("parser", "labels", [f"l{k}" for k in range(64)]),
        ("parser", "action_weights", np.zeros((32, 64), dtype=np.int16)),
        ("parser", "label_weights", np.zeros((3, 64), dtype=np.int16)),
    ],
)  # fmt: skip
def test_an_array_that_would_lead_a_kernel_astray(tmp_path, kind, name, array):
    path = hostile.write_kind(tmp_path / "t.table", kind, **{name: array})
    with pytest.raises(ResourceError, match=r"t\.table: .*wanted|t\.table: .*(empty|lacks|no par)"):
        READERS[kind](Table.open(path))


def test_sound_small_tables_are_read_and_used(tmp_path):
    opened = {
        kind: reader(Table.open(hostile.write_kind(tmp_path / f"{kind}.table", kind)))
        for kind, reader in READERS.items()
    }
    assert "hypernym" in wordnet_relations(opened["wordnet"], "bark", "dog", "n", "n")
    assert are_paraphrases(opened["ppdb"], "bark", "canine")
    assert vector_cosine(opened["vectors"], "dog", "dog") == pytest.approx(1, abs=1e-5)
    tags = opened["tagger"].tag([["Dogs", "bark", "."]])
    assert opened["parser"].parse([["Dogs", "bark", "."]], tags)
    assert len(opened["tagger"].tag_ids([["a"]])) == 1


def test_exceptions_that_are_not_two_words(tmp_path):
    path = hostile.write_kind(tmp_path / "t.table", "wordnet", exceptions_noun=["geese"])
    with pytest.raises(ResourceError, match="a line of 'exceptions_noun' is not two words"):
        Lemmatizer(WordNet(Table.open(path)))


def encoder_table(path, **arrays):
    sound = {
        "a.up": np.ones((6, 2), dtype=np.float16),
        "a.down": np.ones((2, 8), dtype=np.float16),
        "projection": np.ones((4, 8), dtype=np.float16),
    }
    write_table(path, sound | arrays, **hostile.TEXT)
    return Table.open(path)


BASE = {
    "a.weight": np.zeros((6, 8), dtype=np.float32),
    "a.bias": np.zeros(6, dtype=np.float32),
    "embeddings.LayerNorm.weight": np.ones(8, dtype=np.float32),
}


def test_an_encoders_differences_are_added(tmp_path):
    weights = add_differences(encoder_table(tmp_path / "t.table"), BASE)
    np.testing.assert_array_equal(weights["a.weight"], np.full((6, 8), 2))
    assert not BASE["a.weight"].any()


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("b.up", np.ones((6, 2), dtype=np.float16)),
        ("a.up", np.ones((1, 2), dtype=np.float16)),
        ("a.up", np.ones((6, 9), dtype=np.float16)),
        ("a.up", np.ones(6, dtype=np.float16)),
        ("a.up", np.ones((6, 2), dtype=np.int16)),
        ("a.up", np.full((6, 2), np.nan, dtype=np.float16)),
        ("a.down", np.ones((2, 1), dtype=np.float16)),
        ("a.down", np.full((2, 8), 1e300)),
        ("projection", np.ones((4, 9), dtype=np.float16)),
        ("projection", np.ones((3, 8), dtype=np.float16)),
        ("projection", np.ones((20, 8), dtype=np.float16)),
        ("projection", np.full((4, 8), np.inf, dtype=np.float16)),
    ],
)
def test_an_encoder_that_does_not_fit_its_base(tmp_path, name, array):
    table = encoder_table(tmp_path / "t.table", **{name: array})
    with pytest.raises(ResourceError, match=r"t\.table: "):
        add_differences(table, BASE)


@pytest.mark.parametrize("pieces", [["[UNK]"], ["[UNK]", "[CLS]", "[SEP]", "a", "a"]])
def test_word_pieces_that_are_not_all_there(tmp_path, pieces):
    write_table(tmp_path / "t.table", {"pieces": pieces}, **hostile.TEXT)
    with pytest.raises(ResourceError, match=r"t\.table: \d pieces, \d different"):
        numbered_pieces(Table.open(tmp_path / "t.table"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a" * (MIB * 20), ":1: a line of 4096 characters"),
        (b"big\tlarge\n\xff\tb\n", "not UTF-8 text"),
        (b"\0\n", ":1: 1 columns"),
    ],
)
def test_a_file_of_paraphrases(tmp_path, content, message):
    (tmp_path / "pairs.txt").write_bytes(content)
    with pytest.raises(FormatError, match=message):
        list(read_pairs(tmp_path / "pairs.txt"))


@pytest.fixture
def unpack(monkeypatch):
    monkeypatch.chdir(DATA_DIR)  # setup.py goes to its own folder
    return runpy.run_path(str(DATA_DIR.parents[2] / "setup.py"), run_name="setup")["unpack"]


def test_a_bomb_of_xz_is_not_unpacked(unpack, tmp_path):
    with lzma.open(tmp_path / "t.table.xz", "wb", preset=0) as file:
        for _ in range(70):
            file.write(bytes(MIB))
    assert (tmp_path / "t.table.xz").stat().st_size < MIB
    tracemalloc.start()
    with pytest.raises(SystemExit, match=r"t\.table\.xz: unpacks to more than \d+ bytes"):
        unpack(tmp_path / "t.table.xz", tmp_path / "t.table")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MIB
    assert [path.name for path in tmp_path.iterdir()] == ["t.table.xz"]


@pytest.mark.parametrize("length", [20, 100])
def test_a_damaged_xz_leaves_no_table(unpack, tmp_path, length):
    packed = lzma.compress(np.random.default_rng(0).bytes(1000))
    (tmp_path / "t.table.xz").write_bytes(packed[:length] if length > 20 else b"not xz")
    with pytest.raises(SystemExit, match="cannot be unpacked"):
        unpack(tmp_path / "t.table.xz", tmp_path / "t.table")
    assert [path.name for path in tmp_path.iterdir()] == ["t.table.xz"]
