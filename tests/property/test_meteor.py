"""METEOR's matcher: its choice against all choices there are, and its lexicon against WordNet's."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.systems.meteor import MeteorSystem, components, matches, resolve
from tokalign.types import Sentence

from lab.kernels.doors import wordnet_relations

PLACES = st.integers(0, 5)


def cross(a, b):
    return (a[0] - b[0]) * (a[1] - b[1]) < 0


@st.composite
def groups(draw):
    """Return pairs, and links of other words."""
    pairs = sorted(draw(st.sets(st.tuples(PLACES, PLACES), min_size=1, max_size=9)))
    rest = [[k for k in range(8) if k not in {pair[side] for pair in pairs}] for side in (0, 1)]
    n_links = draw(st.integers(0, min(map(len, rest))))
    sides = [draw(st.permutations(each))[:n_links] for each in rest]
    return pairs, list(zip(*sides, strict=True))


@given(groups())
def test_no_other_set_of_pairs_is_better(group):
    pairs, links = group

    def badness(chosen):
        crossings = sum(cross(pair, link) for pair in chosen for link in links)
        return -len(chosen), crossings, sum(abs(i - j) for i, j in chosen)

    allowed = [
        chosen
        for n in range(len(pairs) + 1)
        for chosen in combinations(pairs, n)
        if all(
            a[0] != b[0] and a[1] != b[1] and not cross(a, b) for a, b in combinations(chosen, 2)
        )
    ]
    found = resolve(pairs, links)
    assert tuple(found) in allowed
    assert badness(found) == min(map(badness, allowed))


@given(st.sets(st.tuples(PLACES, PLACES)).map(sorted))
def test_groups_share_no_word_and_cannot_be_split(pairs):
    found = components(pairs)
    assert sorted(pair for group in found for pair in group) == pairs
    assert [len(group) for group in found] == sorted(len(group) for group in found)
    for a, b in combinations(found, 2):
        assert {i for i, _ in a}.isdisjoint(i for i, _ in b)
        assert {j for _, j in a}.isdisjoint(j for _, j in b)
    for group in found:
        reached, left = [group[0]], set(group[1:])
        for i, j in reached:
            near = {pair for pair in left if pair[0] == i or pair[1] == j}
            reached += sorted(near)
            left -= near
        assert not left


ITEMS = st.lists(st.sets(st.integers(0, 4)), max_size=5)


@given(ITEMS, ITEMS)
def test_places_match_where_they_share_an_item(source, target):
    assert matches(source, target) == [
        (i, j) for i, a in enumerate(source) for j, b in enumerate(target) if a & b
    ]


WORDS = ["dog", "canine", "buy", "purchase", "big", "large", "kill", "have", "take", "get", "x-x"]


def test_words_of_one_synset_are_those_that_wordnet_calls_synonyms():
    system, wordnet = MeteorSystem(), WordNet.open_shipped()
    for a, b in combinations(WORDS, 2):
        share = not system._synsets(a).isdisjoint(system._synsets(b))
        assert share == ("synonym" in wordnet_relations(wordnet, a, b)), (a, b)


def links_of(source, target):
    sides = (Sentence.from_tokens(side.split(), lemmas=side.split()) for side in (source, target))
    found = MeteorSystem().align(*sides)
    return list(zip(found.source.tolist(), found.target.tolist(), found.rules, strict=True))


def test_a_word_goes_with_what_is_between_its_neighbours_partners():
    assert links_of("a b the c", "the a b the c the") == [
        (0, 1, "exact"), (1, 2, "exact"), (2, 3, "exact"), (3, 4, "exact"),
    ]  # fmt: skip


def test_a_later_stage_has_what_earlier_ones_left():
    assert links_of("dogs purchase dog", "dog buy") == [(1, 1, "synonym"), (2, 0, "exact")]
    assert links_of("barked", "barking") == [(0, 0, "stem")]
