"""Data frames and tables as input: guessed columns, missing cells, kept columns, progress."""

from __future__ import annotations

import math

import pytest
import tokalign
from tokalign import InputError, functions

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
PAIRS = {
    "score": [1, 2, 3],
    "premise": ["Dogs bark.", None, "It rains."],
    "hypothesis": ["The dogs bark.", "Yes.", "It rained."],
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_pairs_of_a_frame_are_aligned_and_its_columns_kept(make, caplog, capsys):
    found = tokalign.pipe(make(PAIRS), progress=True).to_polars()
    assert "'premise' and 'hypothesis' are read as source and target" in caplog.text
    assert "3/3" in capsys.readouterr().err
    assert found.columns[:3] == list(PAIRS) and {"similarity", "score_2"} <= set(found.columns)
    assert found["links"].to_list() == ["0-1 1-2 2-3", None, "0-0 1-1 2-2"]
    assert [each is None for each in tokalign.pipe(make(PAIRS))] == [False, True, False]


def test_columns_are_named_or_refused(make):
    turned = tokalign.pipe(make(PAIRS), columns=("hypothesis", "premise"))
    assert next(turned).to_pharaoh() == "1-0 2-1 3-2"
    with pytest.raises(InputError, match=r"columns is .*; wanted two of the columns .score."):
        tokalign.pipe(make(PAIRS), columns=("a", "b"))
    with pytest.raises(InputError, match="no column is called source or target"):
        tokalign.pipe(make({"a": ["x"], "b": ["y"]}))


def test_an_error_names_the_row_of_the_frame(make):
    frame = make({"source": [None, ""], "target": ["x", "y"]})
    with pytest.raises(InputError, match=r"pair 1 \(from 0\), source"):
        list(tokalign.pipe(frame))
    none, bad = tokalign.pipe(frame, errors="return").results()
    assert none is None and isinstance(bad, InputError)
    found = tokalign.pipe(frame, errors="return").to_pandas()
    assert "no token" in found["error"][1]


def test_missing_cells_have_no_similarity(make):
    frame = make({"text": ["Dogs bark.", None]})
    for many in (frame, frame["text"]):
        one, missing = tokalign.similarities("Dogs bark.", many)
        assert one > 0.9 and math.isnan(missing)
    matrix = tokalign.similarity_matrix(frame)
    assert matrix[0, 0] == 1.0 and math.isnan(matrix[0, 1])
    with pytest.raises(InputError, match=r"many\[1\]: the sentence is None"):
        tokalign.similarities("Dogs bark.", ["Dogs bark.", None])
    assert math.isnan(tokalign.similarities("a", ["b", None], errors="nan")[1])


def test_candidates_of_a_frame_or_of_mappings_keep_their_columns(make):
    rows = {"text": ["It rains.", None, "Dogs bark."], "page": [7, 8, 9]}
    records = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    for candidates in (make(rows), records):
        ranking = tokalign.rank("Who barks?", candidates)
        assert [each.index for each in ranking] == [2, 0, 1] and ranking[2].score is None
        assert ranking.to_polars()["page"].to_list() == [9, 7, 8]


def test_passages_and_rows_of_a_frame_are_grounded(make):
    passages = make({"id": ["a", "b"], "text": ["It opened in 1894.", None]})
    found = tokalign.ground("It opened in 1894.", passages)
    assert [each.id for each in found.passages] == ["a"]
    rows = make({"answer": ["It opened in 1894.", None], "contexts": [["It opened in 1895."], []]})
    for of in (tokalign, functions.default_aligner()):
        first, second = of.ground(rows)
        assert first.sentences[0].conflicts and second is None


def test_versions_of_a_frame_are_compared(make):
    frame = make({"old": ["It has 40 rooms.", "a", None], "new": ["It has 45 rooms.", "a", "b"]})
    assert len(functions.default_aligner().diff(frame, columns=("new", "old"))) == 3
    found = tokalign.diff(frame)
    assert found.to_pandas()["n_inserted"].tolist()[:2] == [1, 0] and found[2] is None
