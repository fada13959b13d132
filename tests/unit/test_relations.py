"""The table of relation groups names every label of every scheme, once."""

from collections import Counter

import pytest
from support.sample import find
from tokalign.english.annotate.tagger_and_parser import Parser
from tokalign.english.annotate.tags_and_relations import GROUPS, LABELS, group_of

from lab.recipes.annotators.treebank import read_trees

CLEARNLP = """ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound
conj csubj csubjpass dative dep det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass
nummod oprd parataxis pcomp pobj poss preconj predet prep prt punct quantmod relcl xcomp"""
STANFORD = """abbrev acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop
csubj csubjpass dep det dobj expl infmod iobj mark mwe neg nn npadvmod nsubj nsubjpass num number
p parataxis partmod pcomp pobj poss possessive preconj predet prep prt punct purpcl quantmod rcmod
ref rel root tmod xcomp"""


def is_named(label):
    named = {name for labels in LABELS.values() for name in labels}
    return label in named or label.partition(":")[0] in named


def test_every_group_has_a_row_and_no_label_has_two():
    assert set(LABELS) == set(GROUPS)
    counts = Counter(label for labels in LABELS.values() for label in labels)
    assert max(counts.values()) == 1


@pytest.mark.parametrize("labels", [CLEARNLP.split(), STANFORD.split(), list(Parser.load().labels)])
def test_every_label_of_a_scheme_is_named(labels):
    assert [label for label in labels if not is_named(label)] == []


def mst_labels(path):
    rows = [block.split("\n")[2:3] for block in path.read_text("utf-8").split("\n\n")]
    return {label for row in rows for line in row for label in line.split("\t")}


def conllu_labels(path):
    return {label for tree in read_trees(path) for label in tree.relations}


@pytest.mark.parametrize(
    ("path", "labels_of"),
    [
        ("trees.conllu", conllu_labels),
        ("ud_ewt/en_ewt-ud-dev.conllu", conllu_labels),
        ("msr_rte2/RTE2_dev_M.mst", mst_labels),
    ],
)
def test_labels_of_trees_are_named(request, path, labels_of):
    labels = labels_of(find(request, path))
    assert len(labels) > 20
    assert {label for label in labels if not is_named(label)} == set()


@pytest.mark.parametrize(
    "same",
    [
        ("nsubj", "nsubj:pass", "nsubjpass", "csubj"),
        ("obj", "dobj", "iobj"),
        ("obl", "pobj", "obl:unmarked"),
        ("root", "ROOT"),
        ("punct", "p"),
        ("nmod:poss", "poss"),
        ("aux:pass", "auxpass", "cop"),
    ],
)
def test_the_same_relation_of_different_schemes_shares_a_group(same):
    assert len({group_of(label) for label in same}) == 1


def test_a_subtype_may_differ_from_its_base():
    assert group_of("nmod:poss") != group_of("nmod") == group_of("nmod:desc")


def test_an_unknown_label_is_other():
    assert group_of("xyz:abc") == "other"
