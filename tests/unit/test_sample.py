"""The sample and the development sets are what their README says."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from nltk.tokenize import TreebankWordTokenizer
from support.sample import DATA, PAIR_FILES, kind_of, sample_pairs
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.formats import read_gold

from lab.recipes.annotators.treebank import read_trees

SAMPLE = sample_pairs()
README = (DATA / "README.md").read_text("utf-8")
DEVELOPMENT = {
    name: [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]
    for name in ("user-pairs.jsonl", "user-unrelated.jsonl", "contrasts.jsonl")
}
CONTRASTS = DEVELOPMENT["contrasts.jsonl"]
SENTENCES = [sentence for pair in SAMPLE for sentence in (pair.source, pair.target)]


def test_every_file_has_twelve_pairs_of_each_of_its_kinds():
    for name in PAIR_FILES:
        assert set(Counter(map(kind_of, read_gold(DATA / name))).values()) == {12}
    assert len({pair.id for pair in SAMPLE}) == len(SAMPLE) >= 200


def test_the_readme_lists_kinds_and_counts():
    sample = README.partition("\n## The development sets")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", sample, re.MULTILINE)
    assert {kind: int(count) for kind, count in rows} == Counter(map(kind_of, SAMPLE))
    for name in (*PAIR_FILES, *DEVELOPMENT):
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
    lengths = [len(sentence) for sentence in SENTENCES]
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


def test_tokens_and_offsets_are_those_of_the_penn_tokeniser():
    judge = TreebankWordTokenizer()
    wrong = [
        sentence.text
        for sentence in SENTENCES
        if list(sentence.tokens) != judge.tokenize(sentence.text)
        or list(zip(sentence.starts, sentence.ends, strict=True))
        != list(judge.span_tokenize(sentence.text))
    ]
    assert wrong == []


def test_tokens_are_cut_out_of_their_text_but_for_quotes():
    wrong = [
        (sentence.text, token)
        for sentence in SENTENCES
        for token, start, end in zip(sentence.tokens, sentence.starts, sentence.ends, strict=True)
        if sentence.text[start:end] != (token if token not in ("``", "''") else '"')
    ]
    assert wrong == []


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


def numbered_ids(heading, prefix="", column=0):
    """Return the ids that a table of the README promises, in its order."""
    table = README.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| `([a-z]+)` \| (\d+) \| (\d+) \|", table, re.MULTILINE)
    return [
        f"{prefix}{kind}-{number:02}"
        for kind, *counts in rows
        for number in range(1, int(counts[column]) + 1)
    ]


def test_development_sets_have_the_pairs_of_each_kind_that_the_readme_lists():
    promised = {
        "user-pairs.jsonl": numbered_ids("User pairs"),
        "user-unrelated.jsonl": numbered_ids("User pairs", "unrelated-", column=1),
        "contrasts.jsonl": numbered_ids("Contrasts and paraphrases", "contrast-")
        + numbered_ids("Contrasts and paraphrases", "paraphrase-", column=1),
    }
    assert {name: len(ids) for name, ids in promised.items()} == {
        "user-pairs.jsonl": 200,
        "user-unrelated.jsonl": 100,
        "contrasts.jsonl": 300,
    }
    for name, rows in DEVELOPMENT.items():
        assert [row["id"] for row in rows] == promised[name]
        texts = {(row["source"]["text"], row["target"]["text"]) for row in rows}
        assert len(texts) == len(rows)


def test_development_sets_have_the_native_tokens_and_offsets():
    def is_native(side):
        tokens, starts, ends = tokenize(side["text"])
        spans = list(zip(starts, ends, strict=True))
        pieces = [side["text"][start:end] for start, end in spans]
        pieces = ["n't" if piece == "nt" else piece for piece in pieces]
        return side["tokens"] == tokens == pieces and side["offsets"] == list(map(list, spans))

    culprits = [
        (row["id"], side)
        for rows in DEVELOPMENT.values()
        for row in rows
        for side in ("source", "target")
        if not is_native(row[side]) or not 3 <= len(row[side]["tokens"]) <= 30
    ]
    assert not culprits


def test_links_of_development_sets_are_in_order_in_range_and_given_once():
    def is_well_formed(row):
        n_source, n_target = len(row["source"]["tokens"]), len(row["target"]["tokens"])
        links, possible = row["links"], row["possible"]
        return (
            links == sorted(links)
            and possible == sorted(possible)
            and len({tuple(link) for link in links + possible}) == len(links) + len(possible)
            and all(0 <= i < n_source and 0 <= j < n_target for i, j in links + possible)
        )

    rows = [row for rows in DEVELOPMENT.values() for row in rows]
    assert not [row["id"] for row in rows if not is_well_formed(row)]


def test_pairs_that_belong_together_have_sure_links_and_unrelated_ones_link_equal_words_alone():
    for row in DEVELOPMENT["user-pairs.jsonl"] + CONTRASTS:
        assert row["links"], row["id"]
    for row in DEVELOPMENT["user-unrelated.jsonl"]:
        source, target = row["source"]["tokens"], row["target"]["tokens"]
        final = [len(source) - 1, len(target) - 1]
        for i, j in row["links"] + row["possible"]:
            assert [i, j] == final or source[i].lower() == target[j].lower(), row["id"]


def test_relations_are_of_possible_links_and_known():
    known = {"narrower", "wider", "similar", "related", "opposite", "different-value"}
    for row in CONTRASTS:
        assert row["label"] == ("different" if row["id"].startswith("contrast") else "same")
        assert row["negated"] in ([], ["source"], ["target"])
        links = [[i, j] for i, j, _ in row["relations"]]
        assert links == sorted(links)
        assert all(link in row["possible"] for link in links), row["id"]
        assert {relation for _, _, relation in row["relations"]} <= known
    assert {relation for row in CONTRASTS for _, _, relation in row["relations"]} == known


def test_a_contrast_and_its_paraphrase_have_a_sentence_in_common():
    for contrast, paraphrase in zip(CONTRASTS[:150], CONTRASTS[150:], strict=True):
        assert contrast["id"].partition("-")[2] == paraphrase["id"].partition("-")[2]
        is_odd = int(contrast["id"][-2:]) % 2 == 1
        shared, other = ("source", "target") if is_odd else ("target", "source")
        assert contrast[shared] == paraphrase[shared]
        assert contrast[other] != paraphrase[other]


def test_shared_words_do_not_tell_contrasts_from_paraphrases():
    def share(row):
        """Return the Dice coefficient of the words of both sides."""
        source, target = (
            Counter(token.lower() for token in row[side]["tokens"]) for side in ("source", "target")
        )
        return 2 * (source & target).total() / (source.total() + target.total())

    shares = list(map(share, CONTRASTS))
    wins = [
        (same > different) + (same == different) / 2
        for different in shares[:150]
        for same in shares[150:]
    ]
    assert sum(wins) / len(wins) == pytest.approx(0.5, abs=0.05)
