"""Evidence for an answer as JSON, in a terminal and as a page."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import jsonschema
import pytest
from support.grounded_by_hand import SCHEMA, bakery, by_hand, words_of
from tokalign.errors import ServerError
from tokalign.grounding.evidence import (
    html_page,
    terminal_lines,
)
from tokalign.grounding.evidence.cited_sources import PLAIN
from tokalign.showing.painting import pieces
from tokalign.types.display import plain
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    SourceConflict,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.relations import CONFLICT_KINDS, ConflictKind

NASTY = "</script><script>alert(1)</script> & <img src=x> \x1b[31m\u202e"


@pytest.fixture(scope="module")
def found():
    """A wrong year, an unsupported place, and a sentence that two passages support."""
    return bakery()


@pytest.fixture(scope="module")
def nasty():
    """Texts and an id that would be markup, and would speak to a terminal."""
    words = [GroundedWord(*each, WordKind.CONTENT, 0.1, 0) for each in words_of(NASTY, 0, 40)]
    links = tuple(CitationLink(k, *each, 0.5) for k, each in enumerate(words_of(NASTY, 0, 40)))
    whole = 0, len(NASTY)
    sentence = GroundedSentence(
        *whole, 0.1, tuple(words), (Citation(NASTY, *whole, 0.5, links),),
        (UnsupportedSpan(*whole, 0.1),),
        (SourceConflict(ConflictKind.ROLES, 2, 8, NASTY, 2, 8, 0.5),),
    )  # fmt: skip
    return by_hand(NASTY, {NASTY: NASTY}, sentence)


def test_the_form_follows_the_schema_and_holds_every_field(found):
    value = found.to_dict()
    jsonschema.validate(value, SCHEMA)
    first, second = value["sentences"]
    assert first["words"][4] == {
        "start": 20, "end": 24, "kind": "value", "support": 0.1, "citation": 0,
        "partners": [[36, 40]], "evidence": [{"name": "absent", "value": 1.0, "weight": -2.5}],
    }  # fmt: skip
    assert first["citations"][0]["links"][2] == {
        "word": 4, "start": 36, "end": 40, "confidence": 0.4,
    }  # fmt: skip
    assert first["unsupported"] == [{"start": 20, "end": 32, "support": 0.1}]
    assert first["conflicts"] == [
        {
            "kind": "value", "start": 20, "end": 24, "passage": "history.txt",
            "passage_start": 36, "passage_end": 40, "probability": 0.9,
        }
    ]  # fmt: skip
    assert [each["passage"] for each in second["citations"]] == ["guide", "history.txt"]
    assert "evidence" not in second["words"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"error": "x"}, "'error' was unexpected"),
        ({"sentences": [{}]}, "'start' is a required property"),
        ({"other": 1}, "'other' was unexpected"),
    ],
)
def test_the_schema_refuses_what_is_no_such_form(found, change, message):
    with pytest.raises(jsonschema.ValidationError) as raised:
        jsonschema.validate(found.to_dict() | change, SCHEMA)
    assert any(message in each.message for each in raised.value.context)


def test_numbers_are_rounded():
    assert plain(GroundedSentence(0, 1, 1 / 3, (), (), (), ()))["support"] == 0.333333


def test_a_terminal_without_colours_gets_brackets(found):
    assert list(terminal_lines(found)) == [
        "Marta founded it in [?{!1989!} in Rome?]. [1]",
        "It is small. [2][3]",
        "",
        "Conflicts:",
        '  different value "1989" in the answer, "1987" in [1]',
        "",
        "[1] history.txt, line 2, cover 0.70",
        "    Marta founded the bakery in {!1987!}.",
        "[2] guide, line 1, cover 1.00",
        "    The bakery is small.",
        "[3] history.txt, line 3, cover 0.80",
        "    It is small.",
        "",
        "1989 value, 0.10",
        "    -2.50 absent 1.00",
        "",
        "Rome name, 0.10",
        "    -2.50 absent 1.00",
    ]


def test_a_terminal_with_colours_needs_no_brackets(found):
    text = "\n".join(terminal_lines(found, is_coloured=True))
    assert "\x1b[31;4;1m1989\x1b[0m \x1b[31;4min Rome\x1b[0m" in text
    assert "\x1b[35;1m1987\x1b[0m" in text
    assert "[?" not in text and "{!" not in text


def test_lines_are_broken_to_fit_a_width(found):
    lines = list(terminal_lines(found, width=30))
    assert max(map(len, lines)) <= 30
    assert "    Marta founded the bakery" in lines


def test_marks_that_cross_are_closed_and_opened_again():
    answer = "one two three"
    sentence = GroundedSentence(
        0, 13, 0.5, (), (Citation("0", 0, 1, 0.5),), (UnsupportedSpan(0, 7, 0.1),),
        (SourceConflict(ConflictKind.ROLES, 4, 13, "0", 0, 1, 0.5),),
    )  # fmt: skip
    found = by_hand(answer, {"0": "x"}, sentence)
    assert next(iter(terminal_lines(found))) == "[?one {!two!}?]{! three!} [1]"
    page = html_page(found)
    assert page.count('id="k0"') == 1 and page.count('id="s1"') == 1


def test_a_sentence_that_is_cited_twice_has_one_number(found):
    again = by_hand(
        found.answer,
        {each.id: each.text for each in found.passages},
        found.sentences[0],
        GroundedSentence(34, 46, 0.3, (), found.sentences[0].citations, (), ()),
    )
    lines = list(terminal_lines(again))
    assert "It is small. [1]" in lines
    assert "[1] history.txt, line 2, cover 0.70, 0.70" in lines


def test_a_sentence_that_a_server_could_not_ground_says_so():
    sentence = GroundedSentence(0, 4, 0.0, (), (), (), (), ServerError("too <long>"))
    found = by_hand("Yes.", {"0": "x"}, sentence)
    assert list(terminal_lines(found)) == ["Yes. [no evidence: too <long>]"]
    assert "no evidence: too &lt;long&gt;</small>" in html_page(found)
    value = found.to_dict()
    jsonschema.validate(value, SCHEMA)
    assert value["sentences"][0]["error"] == "too <long>"


def test_every_kind_of_conflict_has_words():
    assert set(PLAIN) == set(CONFLICT_KINDS)


def test_an_answer_without_sentences_is_shown():
    empty = by_hand(" \n", {"0": "x"})
    assert [line.strip() for line in terminal_lines(empty)] == [""]
    assert "0 sentences, 1 passage, " in html_page(empty)


def test_a_terminal_gets_no_escape_sequence_of_a_text(nasty):
    text = "\n".join(terminal_lines(nasty))
    assert "\x1b" not in text and "\u202e" not in text
    assert "␛[31m<202E>" in text


class _Elements(HTMLParser):
    """Collects the start tags of a page, and sees that elements are nested."""

    VOID = ("meta", "!doctype")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_nested_and_names_every_id_once(found, nasty):
    for each in (found, nasty):
        elements = _Elements(html_page(each)).found
        ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        links = {attributes["href"] for tag, attributes in elements if tag == "a"}
        assert links and links <= {f"#{name}" for name in ids}


def test_the_page_joins_words_with_their_partners(found):
    elements = _Elements(html_page(found)).found
    partners = {
        number
        for _, attributes in elements
        if attributes.get("class") == "partner"
        for number in attributes["data-p"].split()
    }
    words = [each for tag, each in elements if tag == "a" and each.get("class") == "word"]
    assert len(words) == 4
    assert {number for each in words for number in each["data-p"].split()} == partners
    assert words[-1]["data-note"] == "small · content · support 0.90 · “small” in [2]"
    assert len(words[-1]["data-p"].split()) == 2  # in both passages


def test_the_page_numbers_citations_and_marks_conflicts_on_both_sides(found):
    page = html_page(found, "my answer.txt")
    assert "<h1>Evidence for my answer.txt</h1>" in page
    assert "2 sentences, 2 passages, 3 cited sentences, 1 span without support, 1 conflict." in page
    assert page.count('class="conflict" id="k0"') == page.count('class="conflict" id="l0"') == 1
    assert '<a class="cite" href="#c3" title="history.txt, line 3, cover 0.80">3</a>' in page
    assert (
        '<a class="cite" href="#s2" title="line 1, cover 1.00; cited for sentence 2">2</a>' in page
    )


def test_the_page_lets_nothing_run_or_load_but_its_own_style_and_script(found):
    page = html_page(found)
    policy = re.search(r'Content-Security-Policy"\s+content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    for name, kind in (("style", "style-src"), ("script", "script-src")):
        text = re.search(rf"<{name}[^>]*>(.*?)</{name}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\ssrc\s*=|@import|url\(|fetch\(|XMLHttpRequest|https?://", page)
    assert not re.search(r"\sstyle=|\son[a-z]+=", page)


def test_no_text_becomes_markup(nasty):
    page = html_page(nasty, NASTY)
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "\x1b" not in page and "\u202e" not in page
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert unsafe not in page


def test_pieces_of_ranges_that_lie_outside_or_are_empty():
    assert list(pieces(2, 6, [[(0, 3), (5, 9), (4, 4), (7, 8)]])) == [
        (2, 3, ((0,),)),
        (3, 5, ((),)),
        (5, 6, ((1,),)),
    ]
