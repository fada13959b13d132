"""Pairs that the large encoder teaches the small one on."""

import gzip

import numpy as np
import pytest
from tokalign.formats import read_gold

from lab.recipes.corpora import MTREF, MTREF_DEV, PARAPHRASES
from lab.recipes.neural.teaching import TaughtPair, taught_pairs, without_sentences

A, B, C, D = "she sold the car", "the car was sold", "a car was sold", "rain fell all night"


def mtref(*pairs: tuple[str, str]) -> str:
    return "".join(f"{k}:{k}\t{a}\tN/A\t{b}\tN/A\t1\t1\t0-0\t\n" for k, (a, b) in enumerate(pairs))


class EvenTeacher:
    """Says that each partner is as likely."""

    def encode(self, pairs):
        said = []
        for source, target in pairs:
            shapes = (len(source), len(target) + 1), (len(target), len(source) + 1)
            said.append(tuple(np.full(s, -np.log(s[1]), dtype=np.float32) for s in shapes))
        return said


@pytest.fixture
def data(tmp_path):
    """Two groups of translations, of which one pair is a development pair, and paraphrases."""
    (tmp_path / "multimwa").mkdir()
    (tmp_path / "paraphrase").mkdir()
    (tmp_path / MTREF).write_text(mtref((A, B), (C, B), (D, "it rained all night")), "utf-8")
    (tmp_path / MTREF_DEV).write_text(mtref(("rain fell then", D)), "utf-8")
    rows = [
        "asset-0-0\tHe left early.\tHe was gone early.",
        "asset-1-0\tSame old words.\tSame old words.",
        "sick-1\tShort.\tToo short to be taught.",
        "other-1\tOf no known corpus.\tOf a corpus nobody knows.",
    ]
    with gzip.open(tmp_path / PARAPHRASES, "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    return tmp_path


def words(pair: TaughtPair) -> tuple[str, str]:
    return " ".join(pair.source), " ".join(pair.target)


def test_other_translations_and_paraphrases_are_taught(data):
    taught = taught_pairs(data, EvenTeacher())
    assert [(words(pair), pair.is_usual) for pair in taught] == [
        ((C, A), True),
        (("He left early .", "He was gone early ."), False),
    ]
    assert all(pair.said[0].shape == (len(pair.source), len(pair.target) + 1) for pair in taught)


def test_development_pairs_are_never_taught(data):
    (data / MTREF_DEV).write_text(mtref((A, C)), "utf-8")
    assert [pair.is_usual for pair in taught_pairs(data, EvenTeacher())] == [False]


def test_a_half_is_not_taught_what_has_a_sentence_of_the_other(data):
    taught = taught_pairs(data, EvenTeacher())
    first, _, last = read_gold(data / MTREF)
    assert without_sentences(taught, [last]) == taught
    assert [words(pair)[0] for pair in without_sentences(taught, [first])] == ["He left early ."]
