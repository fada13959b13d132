"""Words that shortlists, passages and values are found by, whatever form a text is sent in."""

from __future__ import annotations

import unicodedata

import pytest
from tokalign.aligner import Aligner
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.english.reading.text_reading import words_of
from tokalign.ranking.passages import shortlist
from tokalign.texts.text_words import WordNumbers

PLAIN = "The Café Lumière was opened by 12 officials of the firm"
FORMS = {
    "nfd": unicodedata.normalize("NFD", PLAIN),
    "ligatures": PLAIN.replace("ffi", "\ufb03").replace("fi", "\ufb01"),
    "soft-hyphens": PLAIN.replace("Lumi", "Lu\u00admi").replace("offi", "of\u00adfi"),
    "full-width": PLAIN.replace("firm", "ｆｉｒｍ").replace("12", "１２"),
    "mark-up": PLAIN.replace("Lumière", "**Lumière**").replace("officials", "_officials_"),
    "reference": PLAIN + "[4]",
    "item": "3. " + PLAIN,
    "byte-order-mark": "\ufeff" + PLAIN,
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_words_of_texts_are_those_of_the_plain_text(text):
    numbers = WordNumbers()
    assert numbers.add(PLAIN) == numbers.add(text)


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_tokens_are_those_of_the_plain_text(text):
    assert tokenize(words_of(text))[0] == tokenize(words_of(PLAIN))[0]


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_shortlist_finds_a_candidate_in_any_form(text):
    others = ["The inn opens at noon.", "A lamp stands by the door."]
    assert shortlist("Which firm's officials opened Café Lumière?", [*others, text], 1) == [2]


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_support_does_not_hang_on_the_form_of_a_passage(aligner: Aligner, text):
    answer = "The Café Lumière was opened by officials."
    (plain,) = aligner.ground(answer, [PLAIN]).sentences
    (found,) = aligner.ground(answer, [text]).sentences
    assert not found.unsupported
    assert found.support == pytest.approx(plain.support, abs=0.05)


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_support_does_not_hang_on_the_form_of_an_answer(aligner: Aligner, text):
    (plain,) = aligner.ground(PLAIN, [PLAIN + "."]).sentences
    (found,) = aligner.ground(text, [PLAIN + "."]).sentences
    assert not found.unsupported
    assert found.support == pytest.approx(plain.support, abs=0.05)
