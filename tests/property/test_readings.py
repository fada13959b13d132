"""Readings of any text: offsets as sent, in every unit, and what a plain text is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokalign.english.annotate.native import NativeAnnotator
from tokalign.english.reading.marks import MarkKind, find_marks
from tokalign.english.reading.text_reading import normal_form, read_text
from tokalign.types.options import OffsetUnit
from tokalign.types.sentence import in_unit

ANNOTATOR = NativeAnnotator()
SIGNS = (
    *"*_`~<>#|\\@(=[]{}-+:;.,!?'\"&/ \t\n",
    *"aZ19é½²¹†…–’”\ufb01\uff41\uff0c\u00ad\u0301\u200d\ufe0f",
    "\ufeff", "\ud83d", "\U0001f600", "**", "__", "~~", "```", "](", "[1]", "[^n]", "<b>", "</b>",
    "<sup>4</sup>", "\\emph{", "\\cite{a}", "http://", "www.", "a@b.org", "....", ". . . .",
    "Step 1:", "(Source 1)", "1. ", "- ", "# ", "| ", "::", "cant", "isn`t", "'ve", "&amp;",
    "\u2167", "\u33c2.", "It rained. ", "Paris", "\r\n",
)  # fmt: skip
texts = st.one_of(st.lists(st.sampled_from(SIGNS), max_size=30).map("".join), st.text(max_size=40))


def words_of(text: str) -> tuple[str, str]:
    reading = read_text(text)
    return (text, text) if reading is None else (reading.text, reading.words)


@settings(max_examples=400)
@given(texts)
@example("\uff41\uff0c\uff42")
@example("\u33c2.")
def test_tokens_lie_in_the_text_as_sent_and_rise(text) -> None:
    if not any(words_of(text)[1].split()):
        return
    (found,) = ANNOTATOR.annotate([text], trees=False)
    spans = list(zip(found.starts, found.ends, strict=True))
    assert found.text == text
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert all(text[start:end].strip() for start, end in spans)


@settings(max_examples=400)
@given(texts)
def test_marks_are_blanks_of_their_length_and_lie_in_the_text(text) -> None:
    reading = read_text(text)
    assert reading == read_text(text)
    if reading is None:
        return
    assert len(reading.text) == len(reading.words)
    assert all(
        word in (letter, " ") for letter, word in zip(reading.text, reading.words, strict=True)
    )
    assert list(reading.marks) == sorted(reading.marks)
    assert all(0 <= each.start < each.end <= len(text) for each in reading.marks)
    n_addresses = sum(each.kind is MarkKind.ADDRESS for each in reading.marks)
    assert len(reading.addresses) == n_addresses
    assert all(not reading.words[a:b].isspace() for a, b in reading.addresses)


@settings(max_examples=400)
@given(texts)
@example("He's \"Mr. O'Neil\" (see 3.5) - 5%; why? AT&T & I've: so.")
@example("A.) so")
@example("  It is wrapped\n  at a word, so:\nthe end.")
@example("A::\n  so")
def test_a_plain_text_has_no_marks_and_is_in_normal_form(text) -> None:
    if read_text(text) is None:
        form = normal_form(text)
        assert form is None or form.text == text
        assert find_marks(text) == []


@given(texts)
@example("a\xad\u200b\U0001f600\u2060b")
@example("a\u0300\U0001f600\ufe0f\u0301b")
@example("isn`t've isn't`ve He\u00b4d`ve")
def test_a_normal_form_is_the_normal_form_of_itself(text) -> None:
    form = normal_form(text)
    if form is not None and "&" not in form.text:
        again = normal_form(form.text)
        assert again is None or again.text == form.text


@given(texts.filter(lambda text: not any("\ud800" <= each <= "\udfff" for each in text)))
def test_offsets_are_as_sent_in_every_unit(text) -> None:
    if not any(words_of(text)[1].split()):
        return
    (found,) = ANNOTATOR.annotate([text], trees=False)
    spans = list(zip(found.starts, found.ends, strict=True))
    for unit, encoding, width in (
        (OffsetUnit.UTF8_BYTES, "utf-8", 1),
        (OffsetUnit.UTF16_UNITS, "utf-16-le", 2),
    ):
        encoded, sent = text.encode(encoding), in_unit(found, unit)
        pieces = [
            encoded[start * width : end * width].decode(encoding)
            for start, end in zip(sent.starts, sent.ends, strict=True)
        ]
        assert pieces == [text[start:end] for start, end in spans]
