"""Readings of texts: what is a mark, what is a word, and the normal form of each."""

from __future__ import annotations

import pytest
import tokalign
from tokalign.english.annotate.native import NativeAnnotator
from tokalign.english.reading.marks import MarkKind, find_marks
from tokalign.english.reading.text_reading import normal_form, read_text

ANNOTATOR = NativeAnnotator()


def words_of(text: str) -> list[str]:
    reading = read_text(text)
    return (text if reading is None else reading.words).split()


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Rene\u0301e", "Renée"),
        ("o\ufb03ce \ufb01le", "office file"),
        ("\uff34\uff4f\uff4b\uff59\uff4f \uff11\uff12", "Tokyo 12"),
        ("\U0001d400\U0001d41b", "Ab"),
        ("\ufeffIt co\u00adoperates\u200b.", "It cooperates."),
        ("non\u2011stop \u22125", "non-stop -5"),
        ("with\u2010\n       out it, by\u2010\r\nside", "without it, byside"),
        ("Data\u2010\nBase, 5\u2010\n10 a\u2010b", "Data-\nBase, 5-\n10 a-b"),
        ("Part \u2167", "Part VIII"),
        ("5 \u338f and 20 \u2103", "5 kg and 20 °C"),
        ("isn`t, it\u00b4s, they\u2032re, I\u02bcm", "isn't, it's, they're, I'm"),
        ("AT&amp;T &lt; &#39;x&#x27;", "AT&T < 'x'"),
        ("done\U0001f600 now", "done \U0001f600 now"),
        ("I couldn't've", "I couldn't 've"),
        ("I couldn\u2019t\u2019ve", "I couldn\u2019t \u2019ve"),
        ("She\u2019d`ve", "She\u2019d 've"),
        ("isn`t've", "isn't 've"),
    ],
)
def test_forms_of_one_word_have_one_normal_form(text, normal):
    found = normal_form(text)
    assert found.text == normal
    assert found.places(0, len(normal)) == (text.index(text.lstrip("\ufeff")[0]), len(text))


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        "x² and ½",
        "“Renée’s” — 漢字…",
        "\ufeff",
        "\u0301\u0301",
        "5 \u33c2",
        "&nosuch;",
    ],
)
def test_what_says_something_stays(text):
    assert normal_form(text) is None or normal_form(text).text == text


@pytest.mark.parametrize(
    ("text", "kind", "marks"),
    [
        # Markdown
        ("- **Holm** left.", MarkKind.MARKUP, ["**", "**"]),
        ("It is *not* ~~a~~ _b_.", MarkKind.MARKUP, ["*", "*", "~~", "~~", "_", "_"]),
        ("It is __not__ ***so***.", MarkKind.MARKUP, ["__", "__", "***", "***"]),
        ("Call `read` now.", MarkKind.MARKUP, ["`", "`"]),
        ("See [the page](x.html) here.", MarkKind.MARKUP, ["[", "](x.html)"]),
        ("See ![a cat](cat.png).", MarkKind.MARKUP, ["![", "](cat.png)"]),
        ("## 4. Title", MarkKind.LABEL, ["## 4. "]),
        ("> quoted\n> more", MarkKind.LABEL, ["> ", "> "]),
        ("- [x] done", MarkKind.LABEL, ["- [x] "]),
        ("```python\nx\n```", MarkKind.MARKUP, ["```python", "```"]),
        ("| a | b |", MarkKind.MARKUP, ["|", "|", "|"]),
        # HTML
        ("<p>It <b>is</b>.</p>", MarkKind.MARKUP, ["<p>", "<b>", "</b>", "</p>"]),
        ('<a href="x">here</a>', MarkKind.MARKUP, ['<a href="x">', "</a>"]),
        ("It is.<sup>4</sup>", MarkKind.CITATION, ["<sup>4</sup>"]),
        ("a <!-- b --> c", MarkKind.MARKUP, ["<!-- b -->"]),
        # LaTeX
        (r"It is \emph{new}~\cite{a,b}.", MarkKind.CITATION, [r"~\cite{a,b}"]),
        (r"It is \emph{new}.", MarkKind.MARKUP, [r"\emph{", "}"]),
        (r"\section{Title}", MarkKind.MARKUP, [r"\section{", "}"]),
        (r"5\% of it", MarkKind.MARKUP, ["\\"]),
        # reStructuredText, AsciiDoc, wikis
        ("Use :func:`read` so::", MarkKind.MARKUP, [":func:", "`", "`", ":"]),
        ("Title\n=====", MarkKind.MARKUP, ["====="]),
        ("== Title ==", MarkKind.LABEL, ["== "]),
        ("In [[Paris|the city]] then", MarkKind.MARKUP, ["[[Paris|", "]]"]),
        # citations
        ("It is.[4] Then[1, 2-3] so[^n].", MarkKind.CITATION, ["[4]", "[1, 2-3]", "[^n]"]),
        ("It is.[note 4][citation needed]", MarkKind.CITATION, ["[note 4]", "[citation needed]"]),
        ("It is (Source 1) so (refs. 2, 3).", MarkKind.CITATION, ["(Source 1)", "(refs. 2, 3)"]),
        ("It is.\u00b9\u00b2 So\u2020", MarkKind.CITATION, ["\u00b9\u00b2", "\u2020"]),
        # labels
        ("1. Open it", MarkKind.LABEL, ["1. "]),
        ("(b) Open it", MarkKind.LABEL, ["(b) "]),
        ("2.1. Open it\nIV. Close", MarkKind.LABEL, ["2.1. ", "IV. "]),
        ("Step 1: open it", MarkKind.LABEL, ["Step 1:"]),
        ("\u2022 open it", MarkKind.LABEL, ["\u2022 "]),
        ("Sources .......... 12", MarkKind.MARKUP, [" .......... 12"]),
        # addresses
        ("See https://a.org/b?c=1, now", MarkKind.ADDRESS, ["https://a.org/b?c=1"]),
        ("Ask a.b@c.org.", MarkKind.ADDRESS, ["a.b@c.org"]),
        ("See www.a.org.", MarkKind.ADDRESS, ["www.a.org"]),
    ],
)  # fmt: skip
def test_marks_are_found(text, kind, marks):
    assert [text[each.start : each.end] for each in find_marks(text) if each.kind is kind] == marks


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c", "2 * 3 * 4", "x_1 and snake_case", "it costs [sic] 5", "f(x)", "5 m²",
        "an _unclosed one", "an `open tick", "[a link](no end", "<b half a tag", "\\emph it",
        "half \ud83d a pair", "</ b>", "[[open", "In 1999. Then", "He (the 2nd) left", "a | b||c",
        "x@", "http://", "C++ and C#", "3/4 - 5", "U.S. No. 5",
    ],
)  # fmt: skip
def test_broken_mark_up_and_plain_signs_are_text(text):
    assert [each for each in find_marks(text) if text[each.start : each.end] not in ("|",)] == []


@pytest.mark.parametrize(
    "text", ["[1]", "- **?**", "---", "`", "***", "1. ", "<b>", "\ufeff", "\u0301"]
)
def test_marks_alone_are_words(text):
    (found,) = ANNOTATOR.annotate([text], trees=False)
    assert found.tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("- **Holm** left.[4]", ["Holm", "left", "."]),
        ("See https://a.org/b?c=1, a@b.org.", ["See", "https://a.org/b?c=1", ",", "a@b.org", "."]),
        ("A `x`; <b>re</b>ad", ["A", "x", ";", "re", "ad"]),
        ("It cant. Isn`t it?", ["It", "ca", "nt", ".", "Is", "n`t", "it", "?"]),
        ("Rene\u0301e \ufb01led", ["Rene\u0301e", "\ufb01led"]),
        ("\uff41\uff0c\uff42\uff01", ["\uff41", "\uff0c", "\uff42", "\uff01"]),
    ],
)
def test_tokens_stand_where_they_were_sent(text, tokens):
    (found,) = ANNOTATOR.annotate([text], trees=True)
    assert [text[a:b] for a, b in zip(found.starts, found.ends, strict=True)] == tokens
    assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        '<link href="{}" />',
        '<img src="{}">',
        '<script src="{}"></script>',
        "<!-- see {} -->",
        ".. image:: {}\n   :target: https://b.example/",
        ".. _mill: {}",
        "![]({})",
        "[![]({})](https://b.example/)",
        "[1]: {}",
        "<{}>",
    ],
)
def test_an_address_is_one_word_where_all_is_markup(text):
    address = "https://a.example/x.js/9.13.1/y-z.css"
    assert address in tokalign.align(text.format(address), "It mills.").source.tokens
