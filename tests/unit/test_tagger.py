import numpy as np
import pytest
from tokalign.english.annotate.tagger_and_parser import Tagger
from tokalign.errors import ShapeError
from tokalign.files.tables import Table


@pytest.fixture(scope="module")
def tagger():
    return Tagger.load()


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        ("The cat sat on the mat .", "DT NN VBD IN DT NN ."),
        ("the cat sat on the mat .", "DT NN VBD IN DT NN ."),
        ("`` Yes , '' she said .", "`` UH , '' PRP VBD ."),
        ("He -LRB- John -RRB- did n't go .", "PRP -LRB- NNP -RRB- VBD RB VB ."),
        ("Mary 's dogs were eating .", "NNP POS NNS VBD VBG ."),
        ("He paid $ 5 million in 1994 .", "PRP VBD $ CD CD IN CD ."),
    ],
)
def test_easy_sentences(tagger, sentence, tags):
    assert tagger.tag([sentence.split()]) == [tuple(tags.split())]


@pytest.mark.parametrize(
    "headline",
    [
        "Firm Sells Old Plant to Rival After Heavy Loss",
        "FIRM SELLS OLD PLANT TO RIVAL AFTER HEAVY LOSS",
        "The Firm 's Old Plant Is Sold",
        "Prices of Oil Fell on Monday , but Gold Did n't",
        "firm Sells Old Plant",
    ],
)
def test_headlines_are_tagged_as_if_in_lower_case(tagger, headline):
    assert tagger.tag([headline.split()]) == tagger.tag([headline.lower().split()])


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann Lee , Bob Hall and Cy Roe met Dee Fox .",
        "Boone , Hinze , Patel , Kuhl and Anderson",
        "World Health Organization",
        "IBM",
    ],
)
def test_names_keep_their_capitals(tagger, sentence):
    tags = tagger.tag([sentence.split()])[0]
    assert [tag for token, tag in zip(sentence.split(), tags, strict=True) if token.istitle()] == [
        "NNP" for token in sentence.split() if token.istitle()
    ]


def test_sentences_of_a_batch_do_not_see_each_other(tagger):
    sentences = [["Dogs", "bark"], ["run"], ["The", "run", "ended"]]
    assert tagger.tag(sentences) == [tagger.tag([sentence])[0] for sentence in sentences]


def test_an_empty_batch_has_no_tags(tagger):
    assert tagger.tag([]) == []
    assert tagger.tag([[], ["a"]])[0] == ()


def test_table_is_whole_and_states_its_licence(tagger):
    table = Table.open_shipped("tagger-en")
    table.verify()
    assert table.header["license"] == "CC-BY-SA-4.0"
    assert "EWT" in table.header["source"]
    assert len(set(tagger.tags)) == len(tagger.tags) <= 62


def test_table_of_wrong_shape_is_refused():
    keys = np.zeros(2, dtype=np.uint32)
    for shape, message in (((3, 64), "power of two"), ((4, 8), "wanted at most 63 and 64")):
        tagger = Tagger(("``", "''"), np.zeros(shape, dtype=np.int16), keys, keys)
        with pytest.raises(ShapeError, match=message):
            tagger.tag_ids([["a"]])
