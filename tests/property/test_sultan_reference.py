"""Sultan's aligner against its twin, which reads like the paper's algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import sultan as reference
from tokalign.english.lexicon.lexical_resources import compile_ppdb
from tokalign.english.lexicon.lexical_tables import Paraphrases, WordNet
from tokalign.files.tables import Table
from tokalign.systems.kernels import RULES, SultanKernel

WORDS = [
    ("The", "DT", "the"), ("the", "DT", "the"), ("of", "IN", "of"), ("in", "IN", "in"),
    (".", ".", "."), (",", ",", ","), ("buy", "VB", "buy"), ("bought", "VBD", "buy"),
    ("purchased", "VBN", "purchase"), ("purchase", "NN", "purchase"), ("dog", "NN", "dog"),
    ("dogs", "NNS", "dog"), ("hound", "NN", "hound"), ("big", "JJ", "big"),
    ("large", "JJ", "large"), ("quickly", "RB", "quickly"), ("7", "CD", "7"),
    ("seven", "CD", "seven"), ("8", "CD", "8"), ("UN", "NNP", "UN"), ("United", "NNP", "United"),
    ("Nations", "NNPS", "Nations"), ("Kofi", "NNP", "Kofi"), ("Annan", "NNP", "Annan"),
    ("U.N.", "NNP", "U.N."), ("he", "PRP", "he"), ("him", "PRP", "he"),
]  # fmt: skip
TYPES = (
    "nsubj", "dobj", "nsubjpass", "partmod", "rcmod", "amod", "nn", "prep_of", "prep_in", "poss",
    "acomp", "cop", "xcomp", "purpcl", "conj_and", "det", "case", "advmod",
)  # fmt: skip
PAIRS = [("bought", "purchased"), ("dog", "hound"), ("big", "large"), ("of", "in"), ("7", "8")]


@st.composite
def sentences(draw: st.DrawFn, max_words: int = 9) -> reference.Sentence:
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=max_words))
    end = st.integers(0, len(words) - 1)
    arcs = draw(st.lists(st.tuples(end, end, st.sampled_from(TYPES)), max_size=2 * len(words)))
    return reference.Sentence(
        [reference.Word(*word) for word in words],
        [arc for arc in arcs if arc[0] != arc[1]],
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[reference.Sentence, reference.Sentence]:
    """Two sentences; or one and its words in another order, so that much is alike."""
    source = draw(sentences())
    if draw(st.booleans()):
        return source, draw(sentences())
    order = draw(st.permutations(range(len(source.words))))
    place = {old: new for new, old in enumerate(order)}
    arcs = [(place[head], place[child], type_) for head, child, type_ in source.arcs]
    return source, reference.Sentence([source.words[k] for k in order], arcs)


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    return WordNet.open_shipped()


@pytest.fixture(scope="module", params=("ppdb", "wordnet"))
def listed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> object:
    if request.param == "wordnet":
        return None
    path = tmp_path_factory.mktemp("ppdb") / "ppdb.table"
    compile_ppdb(PAIRS, path)
    return Paraphrases(Table.open(path))


def prepared(sentence: reference.Sentence) -> tuple:
    words = sentence.words
    return (
        [word.token for word in words],
        [word.tag for word in words],
        [word.lemma for word in words],
        sentence.arcs,
    )


@settings(max_examples=400)
@given(both=pairs())
def test_links_and_their_rules_equal_the_twin(both, wordnet, listed) -> None:
    source, target = both

    def similarity(a: reference.Word, b: reference.Word) -> int:
        return reference.word_sim(a, b, listed, wordnet)

    twin = reference.Twin(source, target, similarity)
    links = SultanKernel(wordnet, listed).align(prepared(source), prepared(target))
    assert {(i, j): RULES[rule] for i, j, rule, _ in links} == twin.align()
    assert all(similar == twin.similar[i, j] for i, j, _, similar in links)


@given(both=pairs())
def test_a_kernel_that_knows_words_links_as_a_new_one(both, wordnet, listed) -> None:
    source, target = map(prepared, both)
    kernel = SultanKernel(wordnet, listed)
    first = kernel.align(source, target)
    kernel.align(target, target)
    assert kernel.align(source, target) == first


def test_a_long_pair_of_one_word_links_as_its_twin(wordnet, listed) -> None:
    rng = np.random.default_rng(0)
    dog = reference.Word("dog", "NN", "dog")
    sides = [
        reference.Sentence([dog] * n, [(0, int(k), "nn") for k in rng.integers(1, n, n)])
        for n in (40, 25)
    ]

    def similarity(a: reference.Word, b: reference.Word) -> int:
        return 10

    links = SultanKernel(wordnet, listed).align(*map(prepared, sides))
    assert {(i, j) for i, j, _, _ in links} == set(reference.Twin(*sides, similarity).align())
