"""The shipped tables keep their accuracy on trees that they were not trained on."""

from typing import NamedTuple

import numpy as np
import pytest
from support.sample import find
from tokalign.english.annotate.tagger_and_parser import Parser, Tagger
from tokalign.english.annotate.tagging import Forms
from tokalign.types import Sentence

from lab.recipes.annotators.treebank import read_trees


class Case(NamedTuple):
    """A file of trees, and the least shares of right tags, heads and labelled heads in it."""

    path: str
    tags: float
    heads: float
    labelled: float


# The sample's 291 words are plain prose: easier than the web text of the treebank.
CASES = [
    Case("trees.conllu", 0.96, 0.93, 0.90),
    Case("ud_ewt/en_ewt-ud-dev.conllu", 0.94, 0.82, 0.78),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.path)
def case(request) -> tuple[Case, list[Sentence]]:
    return request.param, list(read_trees(find(request, request.param.path)))


def test_tagger_gives_most_words_their_tag(case):
    bounds, trees = case
    gold = [tag for tree in trees for tag in tree.tags]
    seen = [tag for tags in Tagger.load().tag([tree.tokens for tree in trees]) for tag in tags]
    assert np.mean([a == b for a, b in zip(seen, gold, strict=True)]) > bounds.tags


@pytest.mark.parametrize("dress", [str.title, str.upper, str.lower])
def test_headlines_lose_few_tags(case, dress):
    bounds, trees = case
    gold = [tag for tree in trees for tag in tree.tags]
    dressed = [[*map(dress, tree.tokens)] for tree in trees]
    seen = [tag for tags in Tagger.load().tag(dressed) for tag in tags]
    assert np.mean([a == b for a, b in zip(seen, gold, strict=True)]) > bounds.tags - 0.025


def test_parser_with_the_taggers_tags_finds_most_heads(case):
    bounds, trees = case
    tagger, parser = Tagger.load(), Parser.load()
    tokens = [tree.tokens for tree in trees]
    heads, labels = parser.parse_ids(Forms(tokens), tagger.tag_ids(tokens))
    right = heads == np.array([head for tree in trees for head in tree.heads])
    gold = [relation for tree in trees for relation in tree.relations]
    names = [parser.labels[label] for label in labels.tolist()]
    same = np.array([a == b for a, b in zip(names, gold, strict=True)])
    assert right.mean() > bounds.heads
    assert (right & same).mean() > bounds.labelled
