"""Texts of several sentences, in everything that takes raw text."""

import pytest
from tokalign import Aligner, SentenceSpan, split
from tokalign.english.annotate import load_annotator

TWO = "The cat died. It was old."


def test_sentences_stand_where_they_say():
    text = ' Dr. Wu came.\nShe\nleft. \n\nA heading\n\n"Stop!" :) Bye '
    found = split(text)
    assert [each.text for each in found] == [
        "Dr. Wu came.", "She\nleft.", "A heading", '"Stop!" :)', "Bye",
    ]  # fmt: skip
    assert all(text[each.start : each.end] == each.text for each in found)
    assert found[0] == SentenceSpan(1, 13, "Dr. Wu came.")


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\u2029"])
def test_blank_text_has_no_sentence(text):
    assert split(text) == []


@pytest.mark.parametrize(
    "label", ["3.", "**3.**", "__2.1.__", "**Section 3.**", "> *b.*", "No. 3."]
)
def test_a_label_is_no_sentence_whatever_emphasis_it_has(label):
    assert len(split(f"{label} Rules are here.")) == 1


def test_each_sentence_of_a_text_is_annotated_by_itself():
    (text,) = load_annotator("native").annotate([TWO], trees=True)
    assert text.tokens == ("The", "cat", "died", ".", "It", "was", "old", ".")
    assert text.lemmas == ("the", "cat", "die", ".", "it", "be", "old", ".")
    assert text.tags == ("DT", "NN", "VBD", ".", "PRP", "VBD", "JJ", ".")
    assert text.heads == (1, 2, -1, 2, 6, 6, -1, 6)
    assert [TWO[a:b] for a, b in zip(text.starts, text.ends, strict=True)] == list(text.tokens)


@pytest.mark.parametrize("name", ["en", "sultan"])
def test_words_of_all_sentences_are_linked(name):
    aligner = Aligner.load(name)
    pair = (TWO, "It was old. The cat died.")
    expected = {(0, 4), (1, 5), (2, 6), (4, 0), (5, 1), (6, 2)}
    alignment = aligner.align(*pair)
    assert expected <= {(link.source, link.target) for link in alignment.links}
    assert list(aligner.pipe([pair])) == [alignment]
    (ranked,) = aligner.rank(pair[1], [pair[0]], by="score")
    assert ranked.alignment.source == alignment.source


@pytest.mark.parametrize(
    ("source", "target", "negated"),
    [
        ("It is not big. It is not old.", "It is big. It is old.", ["big", "old"]),
        ("It is not not big. It is old.", "It is big. It is old.", []),
        ("It is not big. Prices rose.", "Prices rose.", []),
        ("I do not know. The cat died.", "I know. The cat died.", ["know"]),
        ("I do not know! “The cat died.”", "I know! “The cat died.”", ["know"]),
    ],
)
def test_a_negation_counts_in_its_own_sentence(source, target, negated):
    found = Aligner.load().align(source, target)
    assert [found.source.tokens[each.source] for each in found.conflicts] == negated
    tokenized = Aligner.load().align(found.source.tokens, found.target.tokens)
    assert tokenized.conflicts == found.conflicts
