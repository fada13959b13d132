"""Table files: they are mapped back as they were written, and damage is reported."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_strategies
from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.errors import ResourceError
from tokalign.files.shipped import DATA_DIR
from tokalign.files.tables import ALIGNMENT, MAGIC, Table, write_table

PACKED = sorted(DATA_DIR.glob("*.table.xz"))
WORDS = ["naïve", "", "two words", "\N{SNOWMAN}"]


def write(path: Path, arrays=None, **changes: object) -> Path:
    fields = {"name": "tiny", "version": "1", "license": "none", "source": "a test"} | changes
    given = {"counts": np.arange(6, dtype=np.int16).reshape(2, 3), "words": WORDS}
    write_table(path, given if arrays is None else arrays, **fields)
    return path


def edit_header(path: Path, change) -> None:
    """Change a table's header and keep everything else."""
    content = path.read_bytes()
    end = 16 + int.from_bytes(content[8:16], "little")
    text = change(content[16:end].decode())
    text += b" " * (-(len(text) + 16) % ALIGNMENT)
    path.write_bytes(MAGIC + len(text).to_bytes(8, "little") + text + content[end:])


def changed(**changes: object):
    def change(text: str) -> bytes:
        fields = json.loads(text) | changes
        return json.dumps(
            {key: value for key, value in fields.items() if value is not None}
        ).encode()

    return change


def test_arrays_and_strings_are_read_back(tmp_path: Path) -> None:
    table = Table.open(write(tmp_path / "tiny.table", meta={"entries": 4}))
    assert table["counts"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert table["counts"].dtype == np.int16
    assert table.strings("words") == WORDS
    assert table.header["meta"] == {"entries": 4}
    assert table.header["license"] == "none"
    table.verify()


@settings(max_examples=50)
@given(
    arrays=st.dictionaries(
        st.text("abc", min_size=1),
        numpy_strategies.arrays(
            st.sampled_from(("<i4", ">i4", "<f8", "<u1", ">u2", "<i8")),
            numpy_strategies.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5),
        ),
        max_size=4,
    )
)
def test_any_arrays_are_read_back(tmp_path_factory: pytest.TempPathFactory, arrays) -> None:
    path = write(tmp_path_factory.getbasetemp() / "any.table", arrays)
    table = Table.open(path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(table[name], array)
        assert table[name].shape == array.shape
        assert table[name].dtype == array.dtype.newbyteorder("<")
        assert table[name].ctypes.data % ALIGNMENT == 0
    table.verify()


@pytest.mark.parametrize("words", [[], ["a"], ["", ""], ["", "a", ""]])
def test_lists_of_strings_are_read_back(tmp_path: Path, words: list[str]) -> None:
    assert Table.open(write(tmp_path / "t", {"words": words})).strings("words") == words


@pytest.mark.parametrize("words", [["a\nb"], ["a", "\n"], [""]])
def test_strings_that_would_not_be_read_back_are_refused(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(ValueError, match="words"):
        write(tmp_path / "t", {"words": words})


def test_arrays_cannot_be_written_to(tmp_path: Path) -> None:
    counts = Table.open(write(tmp_path / "t"))["counts"]
    with pytest.raises(ValueError, match="read-only"):
        counts[0, 0] = 1


def test_bytes_are_reproducible_and_compression_changes_nothing(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.table").read_bytes()
    assert write(tmp_path / "b.table").read_bytes() == plain
    assert lzma.decompress(write(tmp_path / "c.table.xz").read_bytes()) == plain


def test_a_missing_table_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"nothing\.table: no such table; in a clone run"):
        Table.open(tmp_path / "nothing.table")


def test_a_missing_array(tmp_path: Path) -> None:
    table = Table.open(write(tmp_path / "t"))
    with pytest.raises(ResourceError, match="t: has no array 'colours'"):
        table["colours"]
    with pytest.raises(ResourceError, match="has no array"):
        table.strings("colours")


@pytest.mark.parametrize(
    "content", [b"", b"TOKTABL", MAGIC, b"\0" * 100, b"TOKTABL9" + b"\0" * 100]
)
def test_a_file_of_another_kind(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(ResourceError, match=r"not a table file|cannot be mapped"):
        Table.open(tmp_path / "t")


def test_truncation_anywhere(tmp_path: Path) -> None:
    content = write(tmp_path / "t").read_bytes()
    for length in range(0, len(content), 7):
        (tmp_path / "t").write_bytes(content[:length])
        with pytest.raises(ResourceError, match=r"/t: "):
            Table.open(tmp_path / "t")


def test_a_changed_array_byte_is_found_by_verify(tmp_path: Path) -> None:
    path = write(tmp_path / "t")
    content = bytearray(path.read_bytes())
    content[-ALIGNMENT] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ResourceError, match=r"digest .* the file is damaged"):
        Table.open(path).verify()


@pytest.mark.parametrize(
    "change",
    [
        changed(size=None),
        changed(size=3),
        changed(arrays=None),
        changed(sha256=None),
        lambda text: b"[]",
        lambda text: b"5",
        lambda text: b"{",
        lambda text: b"\xff" + text.encode(),
    ],
)
def test_a_damaged_header(tmp_path: Path, change) -> None:
    path = write(tmp_path / "t")
    edit_header(path, change)
    with pytest.raises(ResourceError, match=r"/t: "):
        Table.open(path)


@pytest.mark.parametrize(
    "spec",
    [
        {"dtype": "<i2", "shape": [2, 3], "offset": 10**6},
        {"dtype": "<i2", "shape": [2, 3000], "offset": 0},
        {"dtype": "<i2", "shape": [2, -3], "offset": 0},
        {"dtype": "<i2", "shape": [2, 3], "offset": -64},
        {"dtype": "nonsense", "shape": [2, 3], "offset": 0},
        {"dtype": "<i2", "offset": 0},
        {"dtype": "|O", "shape": [1], "offset": 0},
    ],
)
def test_an_array_outside_the_file(tmp_path: Path, spec: dict[str, object]) -> None:
    path = write(tmp_path / "t")
    edit_header(path, changed(arrays={"counts": spec}))
    with pytest.raises(ResourceError, match=r"/t: .*\bcounts\b"):
        Table.open(path)["counts"]


def test_shipped_tables_are_whole_and_say_where_they_are_from() -> None:
    tables = [Table.open(path.with_suffix("")) for path in PACKED]
    for table in tables:
        table.verify()
    assert [t.path for t in tables if not (t.header["license"] and t.header["source"])] == []


def test_shipped_tables_are_unpacked() -> None:
    stale = [
        path.name
        for path in PACKED
        if lzma.decompress(path.read_bytes()) != path.with_suffix("").read_bytes()
    ]
    assert stale == []


def test_a_shipped_table_is_mapped_once_as_long_as_it_is_used() -> None:
    first = Table.open_shipped("wordnet")
    assert Table.open_shipped("wordnet") is first
    assert WordNet.open_shipped().source is first
    assert Table.open(first.path) is not first
    with pytest.raises(ResourceError, match="no such table"):
        Table.open_shipped("elvish")
