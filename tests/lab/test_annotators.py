import lzma
from dataclasses import replace

import numpy as np
import pytest
from tokalign.english.annotate.tagging import Forms
from tokalign.errors import FormatError, ShapeError
from tokalign.files.tables import Table
from tokalign.types import Sentence

from lab.recipes.annotators import __main__ as command
from lab.recipes.annotators.parser import ParserConfig, train_parser
from lab.recipes.annotators.tagger import TaggerConfig, average, train_tagger
from lab.recipes.annotators.training import train_arcs, train_tags
from lab.recipes.annotators.treebank import join_hyphens, penn_tokens, read_trees

CONLLU = """\
# text = "Don't buy a 15-year loan."
1\t"\t"\tPUNCT\t``\t_\t4\tpunct\t_\tSpaceAfter=No
2-3\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tDo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tbuy\tbuy\tVERB\tVB\t_\t0\troot\t_\t_
5\ta\ta\tDET\tDT\t_\t9\tdet\t_\t_
6\t15\t15\tNUM\tCD\t_\t8\tnummod\t_\tSpaceAfter=No
7\t-\t-\tPUNCT\tHYPH\t_\t6\tpunct\t_\tSpaceAfter=No
8\tyear\tyear\tNOUN\tNN\t_\t9\tcompound\t_\t_
8.1\tnull\tnull\tNOUN\tNN\t_\t_\t_\t_\t_
9\tloan\tloan\tNOUN\tNN\t_\t4\tobj\t_\tSpaceAfter=No
10\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\tSpaceAfter=No
11\t"\t"\tPUNCT\t''\t_\t4\tpunct\t_\t_

1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_
"""


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "small.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return path


def test_words_are_read_with_spaces_and_zero_based_heads(treebank):
    first, second = read_trees(treebank)
    assert first.tokens == ('"', "Do", "n't", "buy", "a", "15", "-", "year", "loan", ".", '"')
    assert first.heads == (3, 3, 3, -1, 8, 7, 5, 8, 3, 3, 3)
    assert first.starts[:5] == (0, 1, 3, 7, 11)
    assert second.tags == ("PRP", "VBZ")


def test_malformed_line_is_named(tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text("1\tShe\tshe\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"bad.conllu:1: saw 3 tab-separated columns"):
        list(read_trees(path))


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("1\tShe\tshe\tPRON\t_\t_\t0\troot\t_\t_", "sentence 1: tag 'PRON'; wanted Penn tags"),
        ("1\tShe\tshe\t_\t_\t_\t0\troot\t_\t_", "sentence 1: tag '_'; wanted Penn tags"),
        ("1\tShe\tshe\tPRON\tPRP\t_\t_\t_\t_\t_", "sentence 1 has no heads; wanted a tree"),
    ],
)
def test_a_sentence_without_penn_tags_or_a_tree_is_refused(tmp_path, word, message):
    path = tmp_path / "bad.conllu"
    path.write_text(word + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        list(read_trees(path))


def test_words_with_spaces_lose_them(tmp_path):
    path = tmp_path / "spaces.conllu"
    path.write_text("1\t1 000\t_\tNUM\tCD\t_\t0\troot\t_\t_\n", encoding="utf-8")
    (tree,) = read_trees(path)
    assert tree.tokens == ("1000",)


def test_hyphenated_words_are_joined_under_their_leaving_arc(treebank):
    joined = join_hyphens(next(read_trees(treebank)))
    assert joined.tokens[4:7] == ("a", "15-year", "loan")
    assert joined.text[joined.starts[5] : joined.ends[5]] == "15-year"
    assert joined.tags[5] == "JJ"
    assert joined.relations[5] == "amod"
    assert joined.heads == (3, 3, 3, -1, 6, 6, 3, 3, 3)


def test_nothing_to_join_gives_none():
    alone = Sentence.from_tokens(["a"], tags=["DT"], heads=[-1], relations=["root"])
    assert join_hyphens(alone) is None


def test_straight_quotes_become_penn_quotes(treebank):
    tree = next(read_trees(treebank))
    assert penn_tokens(tree.tokens, tree.tags)[0] == "``"
    assert penn_tokens(tree.tokens, tree.tags)[-1] == "''"


def test_training_learns_its_own_sentences(treebank):
    trees = list(read_trees(treebank))
    model = train_tagger(trees, TaggerConfig(bits=10, lexicon_count=1))
    seen = model.tag_ids([tree.tokens for tree in trees]).tolist()
    assert [model.tags[tag] for tag in seen] == [tag for tree in trees for tag in tree.tags]


def test_parser_training_learns_its_own_sentences(treebank):
    # Repeated, so that each jackknifed tagger has seen the sentences of the other folds.
    trees = 4 * list(read_trees(treebank))
    tagging = TaggerConfig(bits=10, lexicon_count=1)
    tagger = train_tagger(trees, tagging)
    parsing = ParserConfig(action_bits=12, label_bits=10, folds=3)
    parser = train_parser(trees, tagger.tags, parsing, tagging)
    tokens = [tree.tokens for tree in trees]
    heads, labels = parser.parse_ids(Forms(tokens), tagger.tag_ids(tokens))
    assert heads.tolist() == [head for tree in trees for head in tree.heads]
    relations = [relation for tree in trees for relation in tree.relations]
    assert [parser.labels[label] for label in labels.tolist()] == relations


@pytest.mark.parametrize(
    ("gold", "order", "message"),
    [([0, 2], [0], "gold holds 0 to 2; wanted 0 to 1"), ([0, 1], [1], "order holds 1 to 1")],
)
def test_training_refuses_tags_and_sentences_that_there_are_none_of(gold, order, message):
    rows, lexicon = (4, 64), np.zeros(2, np.uint32)
    weights, totals = np.zeros(rows, np.int32), np.zeros(rows, np.int64)
    gold, order = np.array(gold, np.uint8), np.array(order, np.int32)
    with pytest.raises(ShapeError, match=message):
        train_tags(Forms([["a", "b"]]), gold, order, weights, totals, lexicon, lexicon, 2, 1, 0)
    rows, tags, heads = np.zeros((4, 4), np.int32), np.zeros(2, np.uint8), np.zeros(2, np.int32)
    with pytest.raises(ShapeError, match=message.replace("gold", "gold_labels")):
        train_arcs(
            Forms([["a", "b"]]), tags, heads, gold, order, rows, np.zeros((4, 4), np.int64),
            weights, totals, 2, 1, 0,
        )  # fmt: skip


def test_average_of_weights_is_over_all_steps():
    # One weight set to 3 at step 1 of 4, another to 3 at step 3 of 4: averages 2.25 and 0.75.
    weights = np.array([[3, 3]], dtype=np.int32)
    totals = np.array([[3 * 1, 3 * 3]], dtype=np.int64)
    assert average(weights, totals, 4, 100).tolist() == [[225, 75]]


def test_command_writes_the_same_bytes_twice(treebank, tmp_path, monkeypatch):
    tagging = replace(TaggerConfig(), bits=8, epochs=2)
    parsing = replace(ParserConfig(), action_bits=8, label_bits=8, epochs=2, folds=2)
    monkeypatch.setattr(command, "TaggerConfig", lambda: tagging)
    monkeypatch.setattr(command, "ParserConfig", lambda: parsing)
    blobs = []
    for name in ("a", "b"):
        out = tmp_path / name
        out.mkdir()
        files = ["--conllu", str(treebank), "--dev", str(treebank)]
        assert command.main([*files, "--output", str(out)]) == 0
        blobs.append([(out / f"{kind}-en.table.xz").read_bytes() for kind in ("tagger", "parser")])
    assert blobs[0] == blobs[1]
    plain = tmp_path / "tagger-en.table"
    plain.write_bytes(lzma.decompress(blobs[0][0]))
    table = Table.open(plain)
    table.verify()
    assert "VBZ" in table.strings("tags")
