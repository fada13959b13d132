import numpy as np
import pytest
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.annotate.tagging import Forms, parse_forms
from tokalign.errors import InputError, ShapeError
from tokalign.files.tables import Table


@pytest.fixture(scope="module")
def parser():
    return Parser.load()


def parse(parser, text):
    tokens = text.split()
    (tree,) = parser.parse([tokens], Tagger.load().tag([tokens]))
    return tokens, *tree


def test_passive_sentence(parser):
    tokens, heads, relations = parse(parser, "The letter was written by my sister .")
    assert [tokens[head] if head >= 0 else "ROOT" for head in heads] == [
        "letter", "written", "written", "ROOT", "sister", "sister", "written", "written",
    ]  # fmt: skip
    assert relations == (
        "det", "nsubj:pass", "aux:pass", "root", "case", "nmod:poss", "obl:agent", "punct",
    )  # fmt: skip


def test_a_single_token_is_the_root(parser):
    assert parser.parse([["Yes"]], [["UH"]]) == [((-1,), ("root",))]


def test_sentences_of_a_batch_do_not_see_each_other(parser):
    sentences = [["Dogs", "bark"], ["Go", "home", "."], ["He", "slept"]]
    tags = Tagger.load().tag(sentences)
    alone = [parser.parse([s], [t])[0] for s, t in zip(sentences, tags, strict=True)]
    assert parser.parse(sentences, tags) == alone


def test_tags_of_other_schemes_count_as_unknown(parser):
    (tree,) = parser.parse([["Dogs", "bark"]], [["NOUN", "VERB"]])
    assert tree == parser.parse([["Dogs", "bark"]], [["X1", "X2"]])[0]


def test_wrong_shapes_are_refused(parser):
    with pytest.raises(ShapeError, match="sentence 0: 1 tags for 2 tokens"):
        parser.parse([["a", "b"]], [["DT"]])
    with pytest.raises(InputError, match="empty"):
        parser.parse([[""]], [["DT"]])
    tags, actions = np.zeros(1, np.uint8), np.zeros((4, 4), np.int16)
    labels = np.zeros((4, 64), np.int16)
    forms = Forms([["a"]])
    with pytest.raises(ShapeError, match="wanted 4"):
        parse_forms(forms, tags, labels, labels, 4)
    with pytest.raises(ShapeError, match="wanted at most 63 and 64"):
        parse_forms(forms, tags, actions, actions, 4)
    with pytest.raises(ShapeError, match="64 labels"):
        parse_forms(forms, tags, actions, labels, 64)
    with pytest.raises(ShapeError, match="power of two"):
        parse_forms(forms, tags, actions[:3], labels, 4)
    with pytest.raises(ShapeError, match="2 tags for 1 tokens"):
        parse_forms(forms, np.zeros(2, np.uint8), actions, labels, 4)


def test_table_is_whole_and_states_its_licence(parser):
    table = Table.open_shipped("parser-en")
    table.verify()
    assert table.header["license"] == "CC-BY-SA-4.0"
    assert parser.tags == Tagger.load().tags
