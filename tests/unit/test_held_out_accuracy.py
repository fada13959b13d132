"""The shipped tables keep their accuracy on UD English EWT's development half."""

import numpy as np
import pytest
from tokalign.annotate._forms import Forms
from tokalign.annotate.parser import Parser
from tokalign.annotate.tagger import Tagger
from tokalign.annotate.treebank import read_trees


@pytest.fixture(scope="module")
def trees(data_dir):
    return list(read_trees(data_dir / "ud_ewt" / "en_ewt-ud-dev.conllu"))


def test_tagger_is_right_94_times_in_100(trees):
    gold = [tag for tree in trees for tag in tree.tags]
    seen = [tag for tags in Tagger.load().tag([tree.tokens for tree in trees]) for tag in tags]
    assert np.mean([a == b for a, b in zip(seen, gold, strict=True)]) > 0.94


def test_parser_with_the_taggers_tags_finds_four_heads_in_five(trees):
    tagger, parser = Tagger.load(), Parser.load()
    forms = Forms([tree.tokens for tree in trees])
    heads, labels = parser.parse_ids(forms, tagger.tag_ids(forms))
    right = heads == np.array([head for tree in trees for head in tree.heads])
    gold = [relation for tree in trees for relation in tree.relations]
    names = [parser.labels[label] for label in labels.tolist()]
    same = np.array([a == b for a, b in zip(names, gold, strict=True)])
    assert right.mean() > 0.82
    assert (right & same).mean() > 0.78
