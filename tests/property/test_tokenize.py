"""The tokeniser against NLTK's, token for token."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer
from support.sample import find
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.formats import read_gold

TREEBANK = TreebankWordTokenizer()
BARE_NEGATION = re.compile(
    "((?:[aA]i|[aA]re|[cC]a|[cC]ould|[dD]id|[dD]o|[dD]oes|[hH]ad|[hH]as|[hH]ave|[iI]s|[mM]ight"
    "|[mM]ust|[nN]eed|[sS]hould|[wW]as|[wW]ere|[wW]o|[wW]ould))nt"
)
TYPOGRAPHIC = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "”": '"', "“": "``", "—": "--", "…": "..."}
)

# Everything a rule looks at, so that random text is dense in the cases that matter.
PIECES = (
    *("'", '"', "''", "``", "`", ",", ":", ".", "...", "..", ";", "?", "!", "--", "-", " ", "  "),
    *("(", ")", "[", "]", "{", "}", "<", ">", "$", "%", "&", "@", "#", "/", "*", "_", "\t"),
    *("n't", "N'T", "'s", "'S", "'m", "'d", "'ll", "'LL", "'re", "'ve", "don't", "it", "I", "a"),
    *("dont", "Cant", "isnt", "wouldnt", "font", "DONT"),
    *("cannot", "Cannot", "wanna", "gonna", "gotta", "lemme", "gimme", "d'ye", "more'n"),
    *("'tis", "'Tis", "'twas", "U.S.", "3,5", "5", "é", "n", "t", "٣"),
)


class Judge:
    """The Treebank's script, and its one exception: it does not cut dont, the tokenizer does."""

    @staticmethod
    def tokenize(text: str) -> list[str]:
        found = []
        for token in TREEBANK.tokenize(text):
            bare = BARE_NEGATION.fullmatch(token)
            found += [bare[1], "n't"] if bare else [token]
        return found


JUDGE = Judge()


def plain(text: str) -> str:
    """Return the text as the judge has to see it."""
    return re.sub(r"\s", " ", text)


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("\"''.")
@example("x.')")
@example(":,")
@example(",,a,")
@example("it's')")
@example("'twas'tis 'tis'twas")
@example("a cannotcannot can not")
def test_tokens_are_those_of_the_treebank_script(text):
    assert tokenize(text)[0] == JUDGE.tokenize(plain(text))


@given(st.text(alphabet=st.characters(exclude_characters="‘’‛ʼ”“—…", exclude_categories=("Cs",))))
def test_any_text_gives_the_judges_tokens(text):
    assert tokenize(text)[0] == JUDGE.tokenize(plain(text))


@given(st.text())
def test_offsets_cover_everything_but_white_space(text):
    tokens, starts, ends = tokenize(text)
    assert len(tokens) == len(starts) == len(ends)
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))
    covered = "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    assert covered == "".join(text.split())


@pytest.mark.parametrize("straight", ["it's", 'He said: "I can\'t ... wait," -- and left.', "'tis"])
def test_offsets_point_at_the_token(straight):
    tokens, starts, ends = tokenize(straight)
    for token, start, end in zip(tokens, starts, ends, strict=True):
        assert straight[start:end] == ('"' if token in ("``", "''") else token)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("“Don’t!”", ["``", "Do", "n't", "!", "''"]),
        ("The dog’s bone—hers…", ["The", "dog", "'s", "bone", "--", "hers", "..."]),
        ("He left.”", ["He", "left", ".", "''"]),
        ("‘Tis late", ["'T", "is", "late"]),
    ],
)
def test_typographic_signs_are_read_as_the_treebanks(text, tokens):
    assert tokenize(text)[0] == tokens == JUDGE.tokenize(text.translate(TYPOGRAPHIC))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It isnt, I cant.", ["It", "is", "n't", ",", "I", "ca", "n't", "."]),
        ("Dont. Wont (shouldnt)", ["Dont.", "Wo", "n't", "(", "should", "n't", ")"]),
        ("A font, the DONT, a cants", ["A", "font", ",", "the", "DONT", ",", "a", "cants"]),
    ],
)
def test_negations_without_apostrophe_are_read_as_with_it(text, tokens):
    assert tokenize(text)[0] == tokens


def test_typographic_offsets_are_those_of_the_original():
    text = "“Don’t…”"
    _, starts, ends = tokenize(text)
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert pieces == ["“", "Do", "n’t", "…", "”"]


def test_blank_text_has_no_tokens():
    assert tokenize(" \t\u00a0\n") == ([], [], [])


def test_long_text_is_tokenised_like_short_text():
    sentence = 'Mr. Smith can\'t say "no", he says. '
    assert tokenize(sentence * 300)[0] == JUDGE.tokenize(sentence * 300)


def texts_of(path):
    """Return the sentences of a file of trees or of aligned pairs."""
    if path.suffix == ".conllu":
        lines = path.read_text("utf-8").splitlines()
        return [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    return [side.text for pair in read_gold(path) for side in (pair.source, pair.target)]


@pytest.mark.parametrize(
    ("path", "n_texts"),
    [
        ("sample.jsonl", 144),
        ("pairs.jsonl", 288),
        ("trees.conllu", 30),
        ("ud_ewt/en_ewt-ud-dev.conllu", 2001),
        ("multimwa/mtref-dev.tsv", 1600),
        ("multimwa/wiki-dev.tsv", 1066),
    ],
)
def test_sentences_are_tokenised_like_the_judge(request, path, n_texts):
    texts = texts_of(find(request, path))
    assert len(texts) == n_texts
    for text in texts:
        assert tokenize(text)[0] == JUDGE.tokenize(plain(text.translate(TYPOGRAPHIC))), text
