"""Columns of alignments: what the library gives, row by row, whatever else is in the table."""

from __future__ import annotations

import pickle
import threading

import pytest
from tokalign import Aligner, AlignOptions, InputError, ShapeError, similarities

pa = pytest.importorskip("pyarrow", reason="pip install 'tokalign[arrow]'")

from tokalign.arrow import Align, Similarity  # noqa: E402  # needs pyarrow

PAIRS = [
    ("A man sold his car.", "The vehicle was bought."),
    (None, "Dogs bark."),
    ("", "Dogs bark."),
    ("Dogs bark.", "The dogs bark."),
    ("word " * 600, "word"),
]


@pytest.fixture(scope="module")
def table():
    sources, targets = zip(*PAIRS, strict=True)
    return pa.table({"n": range(len(PAIRS)), "source": sources, "target": targets})


@pytest.mark.parametrize("batch_size", [1, 2, 256])
def test_rows_are_the_librarys(table, batch_size):
    aligner = Aligner.load()
    made = Align(tokens=True, batch_size=batch_size)(table).to_pylist()
    for row, (source, target) in zip(made, PAIRS, strict=True):
        if row["error"] is not None:
            assert row["links"] is row["score"] is row["source_tokens"] is None
            continue
        alignment = aligner.align(source, target)
        assert [(link["source"], link["target"]) for link in row["links"]] == [
            (link.source, link.target) for link in alignment.links
        ]
        assert [link["confidence"] for link in row["links"]] == pytest.approx(
            [link.confidence for link in alignment.links], abs=1e-6
        )
        assert row["score"] == pytest.approx(alignment.score, abs=1e-6)
        assert tuple(row["source_tokens"]) == alignment.source.tokens
    assert [bool(row["error"]) for row in made] == [False, True, True, False, True]


@pytest.mark.parametrize("options", [AlignOptions(), AlignOptions(truncate=True)])
def test_links_are_the_same_from_views_and_from_objects(table, options):
    made = Align(options=options)(table)["links"].to_pylist()
    aligner = Aligner.load()
    for links, pair in zip(made[3:4], PAIRS[3:4], strict=True):
        wanted = aligner.align(*pair, options).links
        assert [tuple(link.values())[:2] for link in links] == [
            (link.source, link.target) for link in wanted
        ]
    assert Align()(table.slice(1, 1))["links"].to_pylist() == [None]


def test_errors_say_which_side(table):
    errors = Align()(table)["error"].to_pylist()
    assert errors[1] == "the source is null"
    assert errors[2].startswith("source: ")
    assert "600 tokens" in errors[4]


def test_similarity_is_the_librarys(table):
    aligner = Aligner.load()
    made = Similarity()(table)["similarity"].to_pylist()
    assert made[1] is made[2] is made[4] is None
    for number in (0, 3):
        assert made[number] == pytest.approx(aligner.align(*PAIRS[number]).similarity, abs=1e-6)


@pytest.mark.parametrize("made", [Align(), Align(tokens=True), Similarity()])
def test_types_do_not_depend_on_the_rows(table, made):
    for part in (table, table.slice(0, 0), table.slice(1, 1)):
        assert pa.schema(list(made(part).schema)[3:]) == made.schema
        for batch in made.stream(part.to_batches()):
            assert pa.schema(list(batch.schema)[3:]) == made.schema


def test_it_travels(table):
    align = Align(model="en", batch_size=7)
    assert pickle.loads(pickle.dumps(align)) == align
    assert pickle.loads(pickle.dumps(align))(table).equals(align(table))


def test_threads_have_aligners_of_their_own(table):
    results = {}

    def run(number):
        for _ in range(5):
            results[number] = Align()(table)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number].equals(Align()(table)) for number in range(4))


def test_columns_that_are_missing_or_in_the_way(table):
    with pytest.raises(InputError, match="no column 'question'; there are n, source, target"):
        Align(source="question")(table)
    with pytest.raises(InputError, match="there is a column 'error' already"):
        Align()(table.append_column("error", table["source"]))


@pytest.mark.parametrize("other", [None, {"source": ["a"], "target": ["b"]}, [1]])
def test_what_is_no_table_of_pyarrow_is_named(other):
    with pytest.raises(InputError, match=r"saw a builtins\.\w+; wanted a RecordBatch or a Table"):
        Align()(other)


def test_columns_are_as_long_as_each_other():
    with pytest.raises(ShapeError, match="1 sources and 2 targets"):
        Align().columns(pa.array(["a"]), pa.array(["a", "b"]))


def test_one_sentence_is_compared_with_a_column():
    texts = ["The dogs bark.", None, "It rained all day."]
    table = pa.table({"text": texts, "source": ["not read"] * 3})
    options = AlignOptions(style="strict")  # what decides where sentences are compared
    made = Similarity(one="Dogs bark.", target="text", options=options)(table).to_pylist()
    expected = similarities(Aligner.load(), "Dogs bark.", [texts[0], texts[2]])
    assert [row["similarity"] for row in made if row["text"]] == pytest.approx(expected, abs=1e-6)
    assert made[1]["similarity"] is None and made[1]["error"] == "the target is null"
    with pytest.raises(InputError, match="no column 'target'; there are text, source"):
        Similarity(one="Dogs bark.")(table)
