"""Views of alignments and their parts: printed, in notebooks, as pictures, as data."""

from __future__ import annotations

import json
import re
import sys
import types
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import tokalign
from tokalign import Sentence, Symmetrization, functions
from tokalign.errors import MissingPackageError
from tokalign.formats import read_gold
from tokalign.showing.text import pair_svg
from tokalign.types import Alignment, Link

SVG = "{http://www.w3.org/2000/svg}"


def made(source: list[str], target: list[str], *links: tuple[int, int, float]) -> Alignment:
    sides = map(Sentence.from_tokens, (source, target))
    return Alignment(
        *sides, tuple(Link(*each) for each in links), 0.5, 0.25, "m", "1", Symmetrization.UNION
    )


@pytest.fixture(scope="module")
def alignment() -> Alignment:
    return tokalign.align("Marta opened a bakery.", "The bakery Marta founded.", relations=True)


def test_reprs_are_short_and_say_the_words(alignment):
    assert repr(alignment).startswith(
        "<Alignment 'Marta opened a bakery.' - 'The bakery Marta founded.': 5 links, score 0."
    )
    assert repr(alignment.links[1]) == "<Link 1-3 'opened' = 'founded' (1.00), wider>"
    assert repr(Link(1, 2, 0.5)) == "<Link 1-2 (0.50)>"
    assert repr(alignment.source) == "<Sentence 'Marta opened a bakery.': 5 tokens>"
    long = made(["dog"] * 500, ["cat"] * 500, *((k, k, 1.0) for k in range(500)))
    assert len(repr(long)) < 250


OTHERS = {
    "Aligner": (
        lambda: functions.default_aligner(),
        "<Aligner en 1.0.0: annotator native, styles strict, paraphrase, free, edits, questions>",
        None,
    ),
    "TextAlignment": (
        lambda: tokalign.align_texts("It rained. Dogs bark.", "Dogs bark. It rained. Cats sleep."),
        "<TextAlignment 'It rained. Dogs bark.' - 'Dogs bark. It rained. Cats sleep.': "
        "2 and 3 sentences, 3 blocks>",
        "moved\n- Dogs bark.\n+ Dogs bark.\n- It rained.\n+ It rained.\n+ Cats sleep.",
    ),
    "TextDiff": (
        lambda: tokalign.diff("It has 40 rooms. It is old.", "It has 45 rooms. It is old."),
        "<TextDiff 'It has 40 rooms. It is old.' - 'It has 45 rooms. It is old.': "
        "1 of 2 blocks changed>",
        "--- old\n+++ new\nChanged in meaning:\n  number      40 → 45  (line 1→1)\n\n"
        "It has [-40-]{+45+} rooms. It is old.",
    ),
    "Grounding": (
        lambda: tokalign.ground("It opened in 1894.", [{"id": "b", "text": "It opened in 1894."}]),
        "<Grounding 'It opened in 1894.': 1 sentences, 1 passages>",
        r"It opened in 1894\. \[1\]\n\n\[1\] b, line 1, cover 1\.00\n    It opened in 1894\.",
    ),
    "Ranked": (
        lambda: tokalign.rank("Who barks?", ["Dogs bark."])[0],
        r"<Ranked candidate 0: score 0\.\d\d, 'Dogs bark\.'>",
        r"0\.\d{4}\t0\tDogs bark\.",
    ),
    "Ranked without a score": (
        lambda: tokalign.rank("Who barks?", [""])[0],
        r"<Ranked candidate 0: no score, 'the sentence has no token.*'>",
        r"-\t0\t\tthe sentence has no token.*",
    ),
}
"""Name -> what makes one, its repr, and its str: each as it is, or a pattern."""


@pytest.mark.parametrize("name", OTHERS)
def test_results_have_a_short_repr_and_a_readable_str(name):
    make, short, readable = OTHERS[name]
    found = make()
    assert repr(found) == short or re.fullmatch(short, repr(found))
    assert readable in (None, str(found)) or re.fullmatch(str(readable), str(found))


def test_a_long_diff_has_a_short_repr():
    assert len(repr(tokalign.diff("dog " * 500, "cat " * 500))) < 250


def test_reprs_and_lines_hold_no_escapes():
    pair = "Dogs\x1b[31m bark.", "The dogs\x1b[31m bark."
    shown = (
        tokalign.align(*pair), tokalign.diff(*pair), tokalign.align_texts(*pair),
        tokalign.ground(pair[0], [pair[1]]), *tokalign.rank(pair[0], [pair[1]]),
    )  # fmt: skip
    for each in shown:
        assert "\x1b" not in str(each) + repr(each), type(each)


def test_show_prints_the_text_where_there_is_no_notebook(alignment, capsys):
    alignment.show()
    assert capsys.readouterr().out == f"{alignment}\n"


def test_show_displays_the_picture_in_a_notebook(alignment, monkeypatch):
    shown: list[object] = []
    display = types.SimpleNamespace(display=shown.append)
    ipython = types.SimpleNamespace(get_ipython=lambda: object(), display=display)
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    alignment.show()
    assert shown == [alignment]


def test_json_is_the_dictionary_in_a_line(alignment):
    assert json.loads(alignment.to_json(id="ä")) == alignment.to_dict(id="ä")
    assert '"ä"' in alignment.to_json(id="ä") and "\n" not in alignment.to_json()


def test_an_alignment_is_printed_link_by_link(alignment):
    lines = str(alignment).splitlines()
    assert lines[:2] == ["Marta opened a bakery.", "The bakery Marta founded."]
    assert lines[3] == "opened = founded (1.00, wider)"
    assert str(alignment.source) == "Marta opened a bakery."


def test_control_characters_do_nothing_where_they_are_shown():
    bad = made(["a\x1b[31mb"], ["c\x00"], (0, 0, 0.5))
    for shown in (str(bad).splitlines()[2], bad.to_svg(), bad.to_html()):
        assert "a␛[31mb = c␀ (0.50)" in shown
        assert not set(shown) & {"\x1b", "\x00"}


@pytest.mark.parametrize("n", [1, 3, 60])
def test_pictures_are_xml_with_every_word_and_link(n):
    words = [f"<w{k}>" for k in range(n)]
    shown = made(words, words[:-1] or ["x&y"], (0, 0, 0.5))
    root = ET.fromstring(shown.to_svg())
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert texts == [*shown.source.tokens, *shown.target.tokens]
    (path,) = root.iter(f"{SVG}path")
    assert path[0].text == f"{words[0]} = {shown.target.tokens[0]} (0.50)"
    assert root.get("aria-label") == path[0].text
    pale = [each.get("opacity") for each in root.iter(f"{SVG}text")]
    assert pale.count(None) == 2
    width, height = (float(root.get(name, "0")) for name in ("width", "height"))
    for each in root.iter(f"{SVG}text"):
        assert 0 < float(each.get("x", "-1")) < width and 0 < float(each.get("y", "-1")) < height


def test_a_picture_without_links_or_words_is_one():
    assert 'aria-label="no links"' in made(["a"], ["b"]).to_svg()
    ET.fromstring(pair_svg([], [], []))


def test_notebooks_show_the_picture(alignment):
    pytest.importorskip("IPython")
    from IPython.core.formatters import DisplayFormatter

    shown, _ = DisplayFormatter().format(alignment)
    assert shown["text/html"] == alignment.to_html()
    assert shown["text/plain"] == repr(alignment)
    assert (
        "<script" not in shown["text/html"] and "http://www.w3.org/2000/svg" in shown["text/html"]
    )
    assert "style free" in shown["text/html"]


def test_a_dictionary_is_what_the_command_line_writes(alignment, tmp_path):
    value = alignment.to_dict(id="a7")
    assert value["id"] == "a7" and "id" not in alignment.to_dict()
    path = tmp_path / "found.jsonl"
    path.write_text(json.dumps(value))
    (gold,) = read_gold(path)
    assert gold.sure == {(link.source, link.target) for link in alignment.links}
    assert (gold.source.tokens, gold.target.text) == (
        alignment.source.tokens, alignment.target.text,
    )  # fmt: skip


COLUMNS = {
    "source": [1], "target": [0], "source_text": ["b"], "source_start": [2], "source_end": [3],
    "target_text": ["c"], "target_start": [0], "target_end": [1], "confidence": [0.5],
}  # fmt: skip


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_links_are_a_data_frame(package):
    frames = pytest.importorskip(package)
    found = getattr(made(["a", "b"], ["c"], (1, 0, 0.5)), f"to_{package}")()
    assert isinstance(found, frames.DataFrame)
    named = {"orient": "list"} if package == "pandas" else {"as_series": False}
    assert found.to_dict(**named) == COLUMNS
    empty = getattr(made(["a"], ["b"]), f"to_{package}")()
    assert list(empty.columns) == list(COLUMNS) and len(empty) == 0


def test_kinds_of_relations_are_a_column(alignment):
    pd = pytest.importorskip("pandas")
    found = alignment.to_pandas()
    assert isinstance(found, pd.DataFrame)
    assert found["relation"].tolist() == [link.relation.kind for link in alignment.links]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_missing_package_is_named(package, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingPackageError, match=f"pip install {package}"):
        getattr(made(["a"], ["b"]), f"to_{package}")()


def test_an_answer_without_sentences_can_be_shown():
    none = Sentence("", (), (), ())
    bare = replace(made(["a"], ["b"], (0, 0, 0.5)), source=none, target=none)
    assert "1 links" in repr(bare) and repr(bare.links[0]) == "<Link 0-0 (0.50)>"
    assert str(bare) == "\n\nsimilarity 0.25"
    assert bare.to_html() and bare.to_dict()["links"] == [[0, 0, 0.5]]


RESULTS = {
    "Alignment": (lambda: tokalign.align("It has 40 rooms.", "It has 45."), "conflict: value"),
    "Relation": (
        lambda: tokalign.align("a dog", "a dog", relations=True).links[1].relation, "same (",
    ),
    "TextDiff": (lambda: tokalign.diff("It has 40 rooms.", "It has 45 rooms."), ">45</ins>"),
    "TextAlignment": (lambda: tokalign.align_texts("A <b>.", "A <b>. It."), "+ A &lt;b&gt;."),
    "Grounding": (
        lambda: tokalign.ground("It has 45 rooms.", ["It has 40 rooms."]), "different value",
    ),
    "Ranked": (lambda: tokalign.rank("Who barks?", ["Dogs bark."])[0], "Dogs bark."),
    "Results": (
        lambda: tokalign.rank("Who barks?", ["A dog barks.", ""], highlights=True),
        ">barks</span>.</div>",
    ),
}  # fmt: skip
"""Name -> what makes one, and a part of its HTML."""


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_shows_itself(name):
    make, part = RESULTS[name]
    found = make()
    shown = found._repr_html_()
    assert part in shown and shown == found.to_html() and "<script" not in shown
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))
    assert str(found) == "\n".join(found.lines()) and "\x1b" not in str(found)
    rows = pytest.importorskip("pandas").DataFrame(found._table())
    assert len(found.to_pandas()) == len(found.to_polars()) == len(rows) > 0


def test_ranked_candidates_have_their_score_and_text():
    first, last = tokalign.rank("Who barks?", ["Dogs bark.", ["It", "rains"]])
    assert first.score == first.judgement.score > 0
    assert (first.text, last.text) == ("Dogs bark.", "It rains")
    (passage,) = tokalign.rank("Who?", ["It rained. Dogs bark."], passages=True, highlights=True)
    assert passage.text == "It rained. Dogs bark."
    assert tokalign.rank("Who barks?", [""])[0].score is None
