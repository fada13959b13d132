"""The feature kernels against their slow twin, group by group, on random annotated pairs."""

import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference.features import ReferenceRows, Row
from support.rule_words import RULE_UNITS
from tokalign.english.lexicon.lexical_resources import compile_ppdb
from tokalign.english.lexicon.lexical_tables import Frequencies, Paraphrases, Vectors, WordNet
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable
from tokalign.features.templates import GROUP_NAMES, INDICATOR, TEMPLATES, group_of
from tokalign.files.tables import Table
from tokalign.types import Sentence

WORDNET = WordNet.open_shipped()
VECTORS = Vectors.open_shipped()
FREQUENCIES = Frequencies.open_shipped()
NEAR = 1e-5  # values are float32

FAMILIES = """
the/DT/the The/DT/the a/DT/a A/DT/a an/DT/a
of/IN/of in/IN/in and/CC/and It/PRP/it who/WP/who not/RB/not I/PRP/I is/VBZ/be was/VBD/be
one/CD/one 1/CD/1 first/JJ/first 1st/JJ/1st two/CD/two 2/CD/2 2,000.0/CD/2,000.0 2000/CD/2000
twenty-one/CD/twenty-one 21/CD/21 1994/CD/1994 1,994/CD/1,994
,/,/, ././. ?/./? -/:/- --/:/-- ``/``/`` $/$/$ %/NN/% @/SYM/@ //:// ///:///
dog/NN/dog dogs/NNS/dog Dogs/NNS/dogs canine/NN/canine animal/NN/animal cat/NN/cat
bark/VBP/bark bark/NN/bark barked/VBD/bark barking/VBG/barking yelped/VBD/yelp
buy/VB/buy bought/VBD/buy purchase/NN/purchase purchased/VBD/purchase sell/VB/sell
good/JJ/good better/JJR/good bad/JJ/bad big/JJ/big large/JJ/large small/JJ/small
quickly/RB/quickly quick/JJ/quick swiftly/RB/swiftly fast/RB/fast
kill/VB/kill die/VB/die killer/NN/killer murder/NN/murder snore/VB/snore sleep/VB/sleep
France/NNP/France French/JJ/French Paris/NNP/Paris city/NN/city
hand/NN/hand finger/NN/finger palm/NN/palm arm/NN/arm water/NN/water ice/NN/ice
nation/NN/nation nations/NNS/nations Nations/NNPS/Nation national/JJ/national nationwide/JJ/wide
United/NNP/United_Nations/NNPS/Nation UN/NNP/UN U.N./NNP/U.N. United/NNP/United
United/NNP/United_States/NNPS/State_of/IN/of_America/NNP/America USA/NNP/USA US/NNP/US
International/NNP/International_Business/NNP/Business_Machines/NNPS/Machine IBM/NNP/IBM ibm/NN/ibm
Bank/NNP/Bank_of/IN/of_the/DT/the_of/IN/of_the/DT/the_of/IN/of_Japan/NNP/Japan BJ/NNP/BJ BoJ/NNP/BoJ
Abe/NNP/Abe_Lincoln/NNP/Lincoln LINCOLN/NNP/Lincoln President/NNP/President_Lincoln/NNP/Lincoln
John/NNP/John_F./NNP/F._Kennedy/NNP/Kennedy Kennedy/NNP/Kennedy kennedy/NNP/x Airport/NNP/Airport
co-operate/VB/co-operate cooperate/VB/cooperate cooperation/NN/cooperation operate/VB/operate
e-mail/NN/e-mail email/NN/email mail/NN/mail electronic-mail/NN/electronic-mail
prize-winning/JJ/prize-winning award-winning/JJ/award-winning winning/VBG/win a-b-c/NN/abc
colour/NN/colour color/NN/color colours/NNS/colour
Gonzalez/NNP/Gonzalez Gonzales/NNP/Gonzales González/NNP/González
interview/NN/interview internet/NN/internet
naïve/JJ/naïve İstanbul/NNP/İstanbul x/NOSUCHTAG/x xx/XX/xx McDonald/NNP/McDonald
""".strip().splitlines()
"""Units of one to seven words that share their family's line with words they relate to."""

Columns = list[tuple[str, ...]]  # form, tag and lemma of every word
TOO_LONG = [("x" * 80, "NN", "x" * 80), ("x" * 64 + "y", "NN", "x")]
RELATIONS = ("root", "nsubj", "nsubj:pass", "dobj", "obj", "det", "case", "prep", "punct", "odd")


def unit_words(unit: str) -> Columns:
    return [tuple(re.fullmatch(r"(.+?)/([^/]+)/(.+)", word).groups()) for word in unit.split("_")]  # type: ignore[union-attr]


UNITS = [[unit_words(unit) for unit in family.split()] for family in FAMILIES] + [[TOO_LONG]]


def random_tree(n_tokens: int, rng: random.Random) -> dict[str, list[int] | list[str]]:
    """Return heads and relations of a random forest."""
    order = rng.sample(range(n_tokens), n_tokens)
    heads = [-1] * n_tokens
    for position, node in enumerate(order[1:], start=1):
        if rng.random() < 0.9:
            heads[node] = rng.choice(order[:position])
    return {"heads": heads, "relations": [rng.choice(RELATIONS) for _ in heads]}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Sentence, Sentence]:
    """Two sentences of units out of a few families, so that words recur and relate."""
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    families = draw(st.sampled_from([UNITS, RULE_UNITS, UNITS + RULE_UNITS]))
    pool = [unit for family in rng.sample(families, draw(st.integers(1, 4))) for unit in family]
    both = []
    for _ in range(2):
        units = [rng.choice(pool) for _ in range(draw(st.integers(1, 7)))]
        forms, tags, lemmas = zip(*(word for unit in units for word in unit), strict=True)
        tree = random_tree(len(forms), rng) if draw(st.integers(0, 4)) else {}
        both.append(Sentence.from_tokens(forms, tags=tags, lemmas=lemmas, **tree))
    return both[0], both[1]


PARAPHRASES = [("dog", "animal"), ("yelp", "barked"), ("bark", "yelp"), ("the", "a"),
               ("big", "good"), ("paris", "france"), ("cat", "dogs"), ("dog", "dogs")]  # fmt: skip


@cache
def paraphrases() -> Paraphrases:
    with TemporaryDirectory() as folder:
        compile_ppdb(PARAPHRASES, Path(folder) / "p.table")
        return Paraphrases(Table.open(Path(folder) / "p.table"))


def extractor(table: FeatureTable) -> Extractor:
    return Extractor(WORDNET, table.base, VECTORS, paraphrases(), FREQUENCIES)


def encoded(source: Sentence, target: Sentence) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Log-probabilities as an encoder gives them, the same for the same pair, ties among them."""
    rng = random.Random(f"{source.tokens} {target.tokens}")

    def side(n_tokens: int, n_partners: int) -> NDArray[np.float32]:
        scores = [[rng.choice((-9, -1, 0, 2, 7)) * rng.choice((1, 1, rng.random()))
                   for _ in range(1 + n_partners)] for _ in range(n_tokens)]  # fmt: skip
        totals = np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return (np.array(scores) - totals).astype(np.float32)

    return side(len(source), len(target)), side(len(target), len(source))


def kernel_rows(table: FeatureTable, source: Sentence, target: Sentence) -> Iterator[Row]:
    """Rows in the order of Extractor.rows, decoded; names are checked to be unique in a row."""
    start, slot, value = extractor(table).rows(source, target, encoded(source, target))
    assert len(start) == len(source) * len(target) + len(source) + len(target) + 1
    for begin, end in itertools.pairwise(start.tolist()):
        names = [table.name(one) for one in slot[begin:end].tolist()]
        assert len(set(names)) == len(names)
        yield dict(zip(names, value[begin:end].tolist(), strict=True))


def twin_rows(table: FeatureTable, source: Sentence, target: Sentence) -> Iterator[Row]:
    pair = ReferenceRows(
        source, target, WORDNET, VECTORS, paraphrases(), encoded(source, target), FREQUENCIES,
        has_rules="rules" in map(group_of, table.groups),
    )  # fmt: skip
    yield from (pair.cell_row(*cell) for cell in pair.cells)
    for side in (pair.source, pair.target):
        yield from (pair.null_row(side, at) for at in range(len(side)))


TEMPLATES_OF = {
    group: {template.name for template in TEMPLATES if template.group == group}
    for group in GROUP_NAMES
}


def of_group(row: Row, group: str) -> Row:
    templates = TEMPLATES_OF[group]
    return {name: value for name, value in row.items() if name.partition("[")[0] in templates}


GROUPS = {group: FeatureTable([group]) for group in GROUP_NAMES}


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_rows_of_each_group_equal_their_twin(pair: tuple[Sentence, Sentence]) -> None:
    plain, with_rules = ([*twin_rows(GROUPS[group], *pair)] for group in ("string", "rules"))
    for group, table in GROUPS.items():
        twin = with_rules if group == "rules" else plain
        for got, wanted in zip(kernel_rows(table, *pair), twin, strict=True):
            assert got == pytest.approx(of_group(wanted, group), abs=NEAR), group


@settings(max_examples=100, deadline=None)
@given(template=st.sampled_from(TEMPLATES), pair=pairs())
def test_a_template_alone_gives_what_it_gives_among_all(template, pair) -> None:
    table = FeatureTable([f"{template.group}/{template.name}"])
    for got, wanted in zip(kernel_rows(table, *pair), twin_rows(table, *pair), strict=True):
        alone = {name: v for name, v in wanted.items() if name.partition("[")[0] == template.name}
        assert got == pytest.approx(alone, abs=NEAR)


odd_words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
odd_columns = st.tuples(odd_words, st.sampled_from(("NN", "CD", "IN", ".", "-")), odd_words)
odd_sentences = st.lists(odd_columns, min_size=1, max_size=5).map(
    lambda columns: Sentence.from_tokens(
        [form for form, _, _ in columns],
        tags=[tag for _, tag, _ in columns],
        lemmas=[lemma for _, _, lemma in columns],
    )
)


@given(odd_sentences, odd_sentences)
def test_rows_of_any_characters_equal_their_twin(source: Sentence, target: Sentence) -> None:
    table = FeatureTable(GROUP_NAMES)
    for got, wanted in zip(
        kernel_rows(table, source, target), twin_rows(table, source, target), strict=True
    ):
        assert got == pytest.approx(wanted, abs=NEAR)


BOUNDS = {INDICATOR: (1.0, 1.0), "[0, 1]": (0.0, 1.0), "[0, 3.7]": (0.0, 3.7), "[0, 6]": (0.0, 6.0),
          "10": (10.0, 10.0), "[-8, 0]": (-8.0, 0.0)}  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(pairs())
def test_values_and_row_lengths_are_within_their_bounds(pair: tuple[Sentence, Sentence]) -> None:
    ranges = {template.name: BOUNDS[template.range] for template in TEMPLATES}
    most = {template.name: template.most for template in TEMPLATES}
    for row in kernel_rows(FeatureTable(GROUP_NAMES), *pair):
        templates = [name.partition("[")[0] for name in row]
        for template, value in zip(templates, row.values(), strict=True):
            low, high = ranges[template]
            assert low <= value <= high, template
        for template, count in Counter(templates).items():
            assert count <= most[template], template


@settings(max_examples=40, deadline=None)
@given(pairs())
def test_an_extractor_keeps_nothing_of_the_pairs_before(pair: tuple[Sentence, Sentence]) -> None:
    table = FeatureTable(GROUP_NAMES)
    used = extractor(table)
    other = Sentence.from_tokens(
        ["The", "dogs", "barked"] * 9,
        tags=["DT", "NNS", "VBD"] * 9,
        lemmas=["the", "dog", "bark"] * 9,
    )
    used.rows(other, pair[0], encoded(other, pair[0]))
    used.rows(pair[1], other, encoded(pair[1], other))
    arrays = encoded(*pair)
    for got, wanted in zip(
        used.rows(*pair, arrays), extractor(table).rows(*pair, arrays), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)
