"""Columns of alignments: what the library gives, row by row, whatever else is in the table."""

from __future__ import annotations

import pickle
import threading

import pytest
from tokalign import Aligner, AlignOptions, InputError, ModelError, ShapeError
from tokalign.types.display import plain
from tokalign.types.options import GroundOptions

pa = pytest.importorskip("pyarrow", reason="pip install '.[arrow]'")

from tokalign.arrow import Align, Ground, Similarity  # noqa: E402  # needs pyarrow

PAIRS = [
    ("A man sold his car.", "The vehicle was bought."),
    (None, "Dogs bark."),
    ("", "Dogs bark."),
    ("Dogs bark.", "The dogs bark."),
    ("word " * 600, "word"),
]


INVALID = pa.Array.from_buffers(
    pa.string(),
    2,
    [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0\x0c\0\0\0"), pa.py_buffer(b"a\xffDogs bark.")],
)
"""Two texts, of which the first is not valid UTF-8."""


def test_text_that_is_not_valid_is_an_error_of_its_row():
    good = pa.array(["Dogs bark.", "Dogs bark."])
    for sides in ((INVALID, good), (good, INVALID)):
        bad, row = Align().columns(*sides).to_pylist()
        assert "not valid UTF-8" in bad["error"] and bad["links"] is None
        assert row["error"] is None and len(row["links"]) == 3
    passages = pa.array([["Dogs bark."]] * 2)
    bad, row = Ground().columns(INVALID, passages).to_pylist()
    assert "the answer: not valid UTF-8" in bad["error"] and row["sentences"]
    lists = pa.ListArray.from_arrays([0, 1, 2], INVALID)
    bad, row = Ground().columns(good, lists).to_pylist()
    assert "the passages: not valid UTF-8" in bad["error"] and row["sentences"]


def test_a_job_can_be_checked_before_it_starts():
    assert Align(options={"symmetrization": "union"}).check().options == AlignOptions(
        symmetrization="union"
    )
    assert Ground(options={"threshold": 0.3}).check().options == GroundOptions(threshold=0.3)
    with pytest.raises(InputError, match="no option 'stlye'"):
        Align(options={"stlye": "free"})
    with pytest.raises(InputError, match="the options are 3"):
        Similarity(options=3)
    with pytest.raises(InputError, match="no style 'none'"):
        Align(options=AlignOptions(style="none")).check()
    for kind in (Align, Similarity, Ground):
        with pytest.raises(ModelError):
            kind(model="no such model").check()
    with pytest.raises(InputError):
        Ground(model="lemma").check()


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
    made = Similarity(one="Dogs bark.", target="text")(table).to_pylist()
    expected = Aligner.load().similarities("Dogs bark.", [texts[0], texts[2]])
    assert [row["similarity"] for row in made if row["text"]] == pytest.approx(expected, abs=1e-6)
    assert made[1]["similarity"] is None and made[1]["error"] == "the target is null"
    with pytest.raises(InputError, match="no column 'target'; there are text, source"):
        Similarity(one="Dogs bark.")(table)


@pytest.fixture(scope="module")
def answers():
    passages = [{"id": "p", "text": "It opened in 1990. It is small."}]
    twice = [{"id": "p", "text": "a"}, {"id": "p", "text": "b"}]
    unnamed = [{"id": None, "text": "It opened in 1990."}]
    return pa.table(
        {
            "n": range(6),
            "answer": ["It opened in 1991. It is big.", None, "Yes.", "Yes.", "", "It opened."],
            "passages": [passages, passages, None, twice, passages, unnamed],
        }
    )


def test_evidence_is_the_librarys(answers):
    made = Ground(options=GroundOptions(explain=True))(answers).to_pylist()
    found = Aligner.load().ground(
        "It opened in 1991. It is big.", [("p", "It opened in 1990. It is small.")], explain=True
    )
    wanted = [plain(each) for each in found.sentences]
    assert len(made[0]["sentences"]) == 2
    for row, value in zip(made[0]["sentences"], wanted, strict=True):
        assert flat(row) == pytest.approx(flat(value), abs=1e-6, nan_ok=False)
    assert made[4]["sentences"] == []
    assert {each["passage"] for each in made[5]["sentences"][0]["citations"]} == {"0"}
    errors = [row["error"] for row in made]
    assert errors[1:3] == ["the answer is null", "the passages are null"]
    assert errors[3].startswith("passages[1].id is 'p', as of passage 0")
    assert [row["sentences"] is None for row in made] == [error is not None for error in errors]
    assert errors[0] is errors[4] is errors[5] is None


def flat(value):
    """Return the leaves of a form by their paths; what is absent as what is null."""
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    else:
        return {"": value}
    return {
        f"{key}/{path}": leaf
        for key, each in pairs
        for path, leaf in flat(each).items()
        if leaf is not None
    }


def test_passages_may_be_texts(answers):
    texts = pa.table(
        {"answer": ["It opened in 1990."], "passages": [["No.", "It opened in 1990."]]}
    )
    (sentence,) = Ground()(texts)["sentences"][0].as_py()
    assert [each["passage"] for each in sentence["citations"]] == ["1"]
    null = pa.table({"answer": ["It opened."], "passages": [["No.", None]]})
    assert Ground()(null)["error"].to_pylist() == ["passages[1].text: null; wanted a text"]


def test_types_of_evidence_do_not_depend_on_the_rows(answers):
    ground = Ground()
    for part in (answers, answers.slice(0, 0), answers.slice(1, 1)):
        assert pa.schema(list(ground(part).schema)[3:]) == ground.schema
        for batch in ground.stream(part.to_batches()):
            assert pa.schema(list(batch.schema)[3:]) == ground.schema
    assert pickle.loads(pickle.dumps(ground))(answers).equals(ground(answers))


def test_evidence_needs_its_columns_and_a_model(answers):
    with pytest.raises(InputError, match="no column 'text'; there are n, answer, passages"):
        Ground(answer="text")(answers)
    with pytest.raises(ShapeError, match="1 answers and 2 lists of passages"):
        Ground().columns(pa.array(["a"]), pa.array([["a"], ["b"]]))
    with pytest.raises(InputError, match="lemma decides by rules"):
        Ground(model="lemma")(answers)
