"""The tokeniser against NLTK's, token for token."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tokalign.annotate._tokenize import tokenize

nltk_tokenize = pytest.importorskip("nltk.tokenize")
JUDGE = nltk_tokenize.TreebankWordTokenizer()

# The pieces that rules look at, among ordinary letters. Python's case-insensitive regular
# expressions also fold letters such as U+017F; this tokeniser folds ASCII alone.
PIECES = st.sampled_from(
    [
        *" \t\n.,:;@#$%&?!()[]{}<>\"'`-_3aZ\u00e9\u0664\u2019", "''", "``", "...", "--", ", ", "' ",
        "'s ", "'ll ", "n't ", "N'T ", "'d", "cannot", "GONNA", "gotta", "d'ye", "more'n", "wanna ",
        " 'tis", " 'Twas ", "lemme", "gimme", "word", " ", "U.S.", "1,000", "3.5",
    ]
)  # fmt: skip


@settings(max_examples=2000)
@given(st.lists(PIECES, max_size=14).map("".join))
@example("\"''.")
@example("x.')")
@example(":,")
@example("a cannotcannot can not")
def test_tokens_are_those_of_nltk(text):
    assert tokenize(text)[0] == JUDGE.tokenize(text)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_offsets_are_rising_spans_of_the_text(text):
    tokens, starts, ends = tokenize(text)
    position = 0
    for token, start, end in zip(tokens, starts, ends, strict=True):
        assert position <= start < end <= len(text)
        assert text[start:end] == token or (token in ("``", "''") and text[start:end] in '"\'\'')
        position = end
    assert not "".join(
        text[a:b] for a, b in zip([0, *ends], [*starts, len(text)], strict=True)
    ).strip()


def test_corpora_are_tokenised_as_nltk_does(data_dir):
    lines = (data_dir / "ud_ewt" / "en_ewt-ud-dev.conllu").read_text(encoding="utf-8").split("\n")
    texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    assert len(texts) > 2000
    assert [text for text in texts if tokenize(text)[0] != JUDGE.tokenize(text)] == []
