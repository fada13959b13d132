"""Warnings of texts in other languages."""

from __future__ import annotations

import logging

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main
from tokalign.english.annotate import prepared
from tokalign.english.annotate.prepared import OTHER_WORDS, is_other_language
from tokalign.english.lexicon.word_lists import function_words

OTHERS = {
    "German": "Die Firma hat gestern ihren Gewinn bekannt gegeben.",
    "Dutch": "Het bedrijf heeft een grote winst gemeld.",
    "French": "Nous ne savons pas qui est dans la maison.",
    "Spanish": "El perro ladra en el jardín.",
    "Portuguese": "O cão não está no jardim.",
    "Italian": "La società ha pubblicato i risultati di questo anno.",
    "Swedish": "Hunden skäller och katten är rädd.",
    "Polish": "Firma nie ogłosiła, że jest w kryzysie.",
    "Turkish": "Bu çok güzel bir ev.",
    "Indonesian": "Anjing itu tidak ada di taman.",
    "Russian": "Собака лает в саду.",
    "Chinese": "狗在花园里叫。",
    "Arabic": "الكلب ينبح في الحديقة.",
}
ENGLISH = (
    "usage: git commit [-a | --interactive | --patch] [-s] [-v] [-u<mode>]",
    "Kernel memory allocation failure handler registration",
    "Encode the key in DER or PEM; DAS and IST are acronyms of RFC 5280.",
    "The Rio de la Plata lies between Uruguay and Argentina.",
    "Van der Waals forces, El Niño, Los Angeles, café, naïve, coup d'état",
    "The integral of α over β is ∑ γᵢ, where σ² = 3.",
    "She said \N{LEFT DOUBLE QUOTATION MARK}c'est la vie\N{RIGHT DOUBLE QUOTATION MARK} and left.",
    "我 means I in Chinese.",
)


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_told(language):
    assert is_other_language(["A dog barks.", OTHERS[language]])


def test_short_sentences_are_told_together():
    assert not is_other_language(["Die Katze bellt."])
    assert is_other_language(["Die Katze bellt.", "Er ist nass."])


@pytest.mark.parametrize("text", ENGLISH)
def test_english_gives_no_false_alarm(text):
    assert not is_other_language([text])


def test_no_word_is_a_function_word_of_english():
    assert OTHER_WORDS.isdisjoint(function_words())


def test_one_warning_is_logged_and_the_command_line_prints_it(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(prepared, "_has_warned", [])
    rows = "".join(f"{each}\tA dog barks.\n" for each in OTHERS.values())
    (tmp_path / "pairs").write_text(rows, encoding="utf-8")
    with caplog.at_level(logging.WARNING, logger="tokalign"):
        result = CliRunner().invoke(main, ["align", str(tmp_path / "pairs")])
    assert result.exit_code == 0, result.output
    assert [each.name for each in caplog.records] == [prepared.__name__]
    assert result.stderr.count("another language than English") == 1
