"""Lemmas by hand, and their accuracy on a treebank."""

import pytest
from support.sample import find
from tokalign.english.annotate import native
from tokalign.english.annotate.native import Lemmatizer


@pytest.fixture(scope="module")
def lemmatizer():
    return Lemmatizer()


@pytest.mark.parametrize(
    ("token", "tag", "lemma"),
    [
        ("Geese", "NNS", "goose"),
        ("companies", "NNS", "company"),
        ("knives", "NNS", "knife"),
        ("women", "NNS", "woman"),
        ("news", "NN", "news"),
        ("saw", "VBD", "see"),
        ("saw", "NN", "saw"),
        ("leaves", "NNS", "leaf"),
        ("leaves", "VBZ", "leave"),
        ("making", "VBG", "make"),
        ("stopped", "VBD", "stop"),
        ("was", "VBD", "be"),
        ("'ve", "VBP", "have"),
        ("n't", "RB", "not"),
        ("wo", "MD", "will"),
        ("better", "JJR", "good"),
        ("better", "RBR", "well"),
        ("biggest", "JJS", "big"),
        ("later", "RBR", "late"),
        ("them", "PRP", "they"),
        ("Paris", "NNP", "Paris"),
        ("Englishmen", "NNPS", "Englishman"),
        ("smartphones", "NNS", "smartphone"),
        ("blogius", "NNS", "blogius"),
        ("the", "DT", "the"),
        ("Dogs", "NNS", "dog"),
        (",", ",", ","),
    ],
)
def test_lemma(lemmatizer, token, tag, lemma):
    assert lemmatizer.lemmatize(token, tag) == lemma


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(native, "MAX_REMEMBERED", 10)
    small = Lemmatizer()
    words = [f"word{number}" for number in range(50)]
    assert [small.lemmatize(word, "NN") for word in words] == words
    assert small._known.cache_info().currsize <= 10


def test_long_words_are_not_remembered():
    small = Lemmatizer()
    for token, tag in (("w" * 65, "NN"), ("word", "N" * 61)):
        small.lemmatize(token, tag)
    assert not small._known.cache_info().currsize
    assert small.lemmatize("w" * 62, "NN") == "w" * 62
    assert small._known.cache_info().currsize == 1


@pytest.mark.parametrize(
    ("path", "least_words"), [("trees.conllu", 100), ("ud_ewt/en_ewt-ud-dev.conllu", 9000)]
)
def test_accuracy_on_held_out_text(request, lemmatizer, path, least_words, record_property):
    open_class = {"NOUN", "VERB", "ADJ", "ADV"}
    n_right = n_words = 0
    with find(request, path).open(encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 10 and fields[3] in open_class:
                n_words += 1
                seen = lemmatizer.lemmatize(fields[1], fields[4])
                n_right += seen.lower() == fields[2].lower()
    record_property("lemma_accuracy", n_right / n_words)
    assert n_words > least_words
    assert n_right / n_words > 0.975
