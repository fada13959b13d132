"""The sample, pairs and trees, is what its README says."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from nltk.tokenize import TreebankWordTokenizer
from support.sample import DATA, PAIR_FILES, kind_of, sample_pairs
from tokalign.annotate._tokenize import tokenize
from tokalign.formats import read_gold

from recipes.annotators.treebank import read_trees

SAMPLE = sample_pairs()
README = (DATA / "README.md").read_text("utf-8")
SENTENCES = [
    pytest.param(sentence, id=f"{pair.id}-{side}")
    for pair in SAMPLE
    for side, sentence in (("source", pair.source), ("target", pair.target))
]


def test_every_file_has_twelve_pairs_of_each_of_its_kinds():
    for name in PAIR_FILES:
        assert set(Counter(map(kind_of, read_gold(DATA / name))).values()) == {12}
    assert len({pair.id for pair in SAMPLE}) == len(SAMPLE) >= 200


def test_the_readme_lists_kinds_and_counts():
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", README, re.MULTILINE)
    assert {kind: int(count) for kind, count in rows} == Counter(map(kind_of, SAMPLE))
    for name in PAIR_FILES:
        pairs = read_gold(DATA / name)
        sure, possible = (
            sum(len(getattr(p, each)) for p in pairs) for each in ("sure", "possible")
        )
        assert f"| `{name}` | {len(pairs)} | {sure:,} | {possible:,} |" in README


def test_the_readme_counts_trees_and_words():
    trees = list(read_trees(DATA / "trees.conllu"))
    assert (
        f"{len(trees)} sentences of the pairs ({sum(len(t.tokens) for t in trees)} words)" in README
    )


def test_every_pair_has_sure_links_and_sure_and_possible_are_disjoint():
    for pair in SAMPLE:
        assert pair.sure
        assert not pair.sure & pair.possible


def test_sentences_are_short_and_long_and_none_comes_with_the_same_partner_twice():
    lengths = [len(sentence) for pair in SAMPLE for sentence in (pair.source, pair.target)]
    assert (min(lengths), max(lengths)) == (3, 39)
    assert len({(pair.source.text, pair.target.text) for pair in SAMPLE}) == len(SAMPLE)


def test_pairs_unrelated_by_kind_share_words_and_no_sure_link_but_the_full_stop():
    for pair in SAMPLE:
        if kind_of(pair) == "unrelated":
            assert pair.sure == {(len(pair.source) - 1, len(pair.target) - 1)}
            source, target = (
                {token.lower() for token in side.tokens} for side in (pair.source, pair.target)
            )
            assert (source & target) - {"."}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_tokens_and_offsets_are_those_of_the_penn_tokeniser(sentence):
    judge = TreebankWordTokenizer()
    assert list(sentence.tokens) == judge.tokenize(sentence.text)
    spans = list(zip(sentence.starts, sentence.ends, strict=True))
    assert spans == list(judge.span_tokenize(sentence.text))
    for token, (start, end) in zip(sentence.tokens, spans, strict=True):
        assert sentence.text[start:end] == (token if token not in ("``", "''") else '"')


def test_final_punctuation_is_aligned():
    for pair in SAMPLE:
        final = (len(pair.source) - 1, len(pair.target) - 1)
        is_same = pair.source.tokens[-1] == pair.target.tokens[-1]
        assert final in (pair.sure if is_same else pair.possible)


def test_trees_are_of_sentences_of_the_pairs_and_have_one_root():
    texts = {side.text for pair in SAMPLE for side in (pair.source, pair.target)}
    lines = (DATA / "trees.conllu").read_text("utf-8").splitlines()
    named = [line.removeprefix("# text = ") for line in lines if line.startswith("#")]
    assert set(named) <= texts and len(set(named)) == len(named)
    for text, tree in zip(named, read_trees(DATA / "trees.conllu"), strict=True):
        assert list(tree.tokens) == tokenize(text)[0]
        assert [head for head in tree.heads if head < 0] == [-1]
        assert tree.relations[tree.heads.index(-1)] == "root"
        for word in range(len(tree.tokens)):
            path = [word]
            while tree.heads[path[-1]] >= 0:
                path.append(tree.heads[path[-1]])
                assert len(path) <= len(tree.tokens), f"{text}: a cycle at word {word + 1}"


def test_rank_questions_have_one_right_candidate():
    rows = [json.loads(line) for line in (DATA / "rank.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 8
    for row in rows:
        assert set(row) == {"id", "question", "candidates", "answer"}
        assert 5 <= len(row["candidates"]) <= 6
        assert len(set(row["candidates"])) == len(row["candidates"])
        assert 0 <= row["answer"] < len(row["candidates"])
        assert row["question"].endswith("?")
