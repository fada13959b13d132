import pytest
from tokalign.english.annotate import load_annotator
from tokalign.english.annotate.native import NativeAnnotator
from tokalign.errors import InputError
from tokalign.types import Sentence


@pytest.fixture(scope="module")
def annotator():
    return NativeAnnotator()


def test_native_is_what_the_name_loads():
    assert load_annotator("native").name == "native"


def test_raw_text_gets_every_column(annotator):
    text = "She didn't buy the books (two of them)."
    (sentence,) = annotator.annotate([text], trees=True)
    assert sentence.tokens[:4] == ("She", "did", "n't", "buy")
    assert [text[a:b] for a, b in zip(sentence.starts, sentence.ends, strict=True)] == list(
        sentence.tokens
    )
    assert sentence.tags[:6] == ("PRP", "VBD", "RB", "VB", "DT", "NNS")
    assert sentence.lemmas[:6] == ("she", "do", "not", "buy", "the", "book")
    assert sentence.heads[:6] == (3, 3, 3, -1, 5, 3)
    assert sentence.relations[3] == "root"


def test_no_tree_is_made_and_no_parser_loaded_unless_asked_for():
    annotator = NativeAnnotator()
    (sentence,) = annotator.annotate(["Dogs bark."], trees=False)
    assert sentence.heads is None and sentence.relations is None
    assert "parser" not in vars(annotator)


def test_tokens_are_kept_as_they_are(annotator):
    (sentence,) = annotator.annotate([["a", "15-year", "loan."]], trees=False)
    assert sentence.tokens == ("a", "15-year", "loan.")
    assert sentence.text == "a 15-year loan."


def test_given_columns_are_kept_and_missing_ones_filled(annotator):
    given = Sentence.from_tokens(
        ["Dogs", "bark"], tags=["NNP", "NN"], heads=[-1, 0], relations=["root", "dep"]
    )
    (sentence,) = annotator.annotate([given], trees=True)
    assert sentence.tags == ("NNP", "NN")
    assert sentence.heads == (-1, 0)
    assert sentence.lemmas == ("Dogs", "bark")


def test_given_tags_are_what_the_parser_sees(annotator):
    as_noun = Sentence.from_tokens(["Fish", "fish"], tags=["NN", "VBP"])
    as_verb = Sentence.from_tokens(["Fish", "fish"], tags=["VB", "NN"])
    noun, verb = annotator.annotate([as_noun, as_verb], trees=True)
    assert noun.heads == (1, -1)
    assert verb.heads == (-1, 0)


def test_a_mixed_batch_equals_one_by_one(annotator):
    batch = [
        "The cat sat.",
        ["A", "dog", "ran", "."],
        Sentence.from_tokens(["Birds", "sing"], tags=["NNS", "VBP"]),
        annotator.annotate(["All done."], trees=True)[0],
    ]
    alone = [annotator.annotate([sentence], trees=True)[0] for sentence in batch]
    assert annotator.annotate(batch, trees=True) == alone


def test_an_annotated_sentence_comes_back_unchanged(annotator):
    done = annotator.annotate(["Time flies."], trees=True)
    assert annotator.annotate(done, trees=True) == done


@pytest.mark.parametrize("empty", ["", "  \n", [], Sentence("", (), (), ())])
def test_a_sentence_without_tokens_is_refused(annotator, empty):
    with pytest.raises(InputError, match="sentence 1 has no token"):
        annotator.annotate(["Fine.", empty], trees=False)
    with pytest.raises(InputError, match="the sentence has no token"):
        annotator.annotate([empty], trees=False)


def test_an_empty_batch_is_fine(annotator):
    assert annotator.annotate([], trees=True) == []
