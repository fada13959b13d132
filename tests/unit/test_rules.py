"""Rules by which two words say the same, in sentences that can be checked by eye."""

import pytest
from support.rule_words import rule_word
from tokalign.aligner import Aligner
from tokalign.english.annotate import load_annotator
from tokalign.english.spelling.same_spelling import stem
from tokalign.english.spelling.spelling_tables import PAIRS
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.features.templates import DEFAULT_GROUPS
from tokalign.model.training import TrainingData, TrainingSettings, train
from tokalign.types import GoldPair, Sentence

TABLE = FeatureTable(["rules", "position/position_bin", "vectors"])
LEXICONS = Lexicons.for_groups(TABLE.groups)
EXTRACTOR = Extractor(LEXICONS.wordnet, TABLE.base, LEXICONS.vectors)


def sentence(text: str) -> Sentence:
    """Words, or words and tags with a slash between them."""
    forms, tags, lemmas = zip(*map(rule_word, text.split()), strict=True)
    return Sentence.from_tokens(forms, tags=tags, lemmas=lemmas)


def rows(source: str, target: str) -> dict[tuple[int, int], list[str]]:
    """Return the names of every cell's features."""
    pair = sentence(source), sentence(target)
    start, slot, _ = EXTRACTOR.rows(*pair)
    names = [TABLE.name(one) for one in slot.tolist()]
    return {
        divmod(cell, len(pair[1])): names[start[cell] : start[cell + 1]]
        for cell in range(len(pair[0]) * len(pair[1]))
    }


def rules(source: str, target: str) -> set[str]:
    """Return cells with their rules: "0-1 typo"."""
    return {
        f"{i}-{j} {name.removeprefix('rule[').split()[0]}"
        for (i, j), names in rows(source, target).items()
        for name in names
        if name.startswith("rule[")
    }


def run(rule: str, *cells: str) -> set[str]:
    return {f"{cell} {rule}" for cell in cells}


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        ("5 km", "5000 metres/NNS", run("same-value", "0-0", "1-1")),
        ("5 dollars/NNS", "$ 6", {"0-1 different-value", "1-0 same-unit"}),
        ("16GB", "16 km", {"0-0 same-number"}),
        ("2019-05-03", "May/NNP 2019", run("same-part", "0-0", "0-1")),
        ("May/NNP 3", "June/NNP 3", {"0-0 different-value"}),
        ("3.1", "31", {"0-0 different-value"}),
        ("5 km", "6 kilometres/NNS", {"0-0 different-value", "1-1 short-form"}),
        ("recieve/VB", "receive/VB", {"0-0 typo"}),
        ("sooo/RB", "so/RB", {"0-0 lengthened"}),
        ("colour", "color", {"0-0 variant"}),
        ("database", "a/DT data base", run("joined", "0-1", "0-2")),
        ("get user name", "getUserName", run("joined", "0-0", "1-0", "2-0")),
        ("getUserName", "get_user_name", {"0-0 code-name"}),
        ("imf", "International Monetary Fund", run("initials", "0-0", "0-1", "0-2")),
        ("Bureau of/IN Investigation", "BI", run("initials", "0-0", "2-0")),
        ("dept", "department", {"0-0 short-form"}),
        ("idk/UH", "I/PRP do/VBP not/RB know/VB", run("short-form", "0-0", "0-1", "0-2", "0-3")),
    ],
)
def test_words_have_the_first_rule_that_holds(source: str, target: str, wanted: set[str]) -> None:
    assert rules(source, target) == wanted
    assert rules(target, source) == {f"{one[2]}-{one[0]}{one[3:]}" for one in wanted}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("dog", "dig"),  # both are words
        ("AI/NNP", "is/VBZ are/VBP"),  # a name is no contraction
        ("2 's/POS", "to/TO is/VBZ"),
        ("it/PRP of/IN", "internal tests on/IN fire"),
        ("ii", "iii"),
        ("well/RB", "we/PRP 'll/MD"),
        ("'s/VBZ", "us/PRP"),
        ("b", "is/VBZ"),
        ("use/VB", "united states elsewhere/RB"),
        ("tv", "two visits"),  # two letters, and no capitals
        ("imf", "imf International Monetary Fund"),  # has a twin
        ("colours/NNS", "colours/NNS"),
    ],
)
def test_words_that_no_rule_makes_the_same(source: str, target: str) -> None:
    assert not rules(source, target)


@pytest.mark.parametrize(("british", "american"), PAIRS)
def test_all_variants_of_the_table_pass_the_quick_test(british: str, american: str) -> None:
    have_one_stem = stem(british) == stem(american)
    assert rules(british, american) == (set() if have_one_stem else {"0-0 variant"})


def test_a_rule_raises_the_strength() -> None:
    features = rows("recieve/VB", "receive/VB")[0, 0]
    assert "position_bin[<0.02 related]" in features
    features = rows("5 km", "5000 metres/NNS")[1, 1]
    assert "position_bin[<0.02 same]" in features


def test_what_rules_know_of_words_is_counted_in_bytes() -> None:
    found = []
    for form in ("wxyz", "16GB"):  # the second has pieces that may be part of a value
        fresh = Extractor(LEXICONS.wordnet, TABLE.base, LEXICONS.vectors)
        fresh.rows(sentence(form), sentence(form))
        found.append(fresh.lexemes.n_bytes)
    assert found[0] < found[1]


EXAMPLES = [
    ("They chose the colour .", "They chose the color ."),
    ("Her labour pays .", "Her labor pays ."),
    ("A harbour lies here .", "A harbor lies here ."),
    ("It weighs 3 kilograms .", "It weighs 3000 grams ."),
    ("They ran 7 kilometres .", "They ran 7000 metres ."),
]


@pytest.fixture(scope="module")
def trained(gold) -> Aligner:
    """The aligner of a model with the group, trained on the sample and a few pairs."""
    annotator = load_annotator("native")
    pairs = list(gold)
    for texts in EXAMPLES:
        source, target = (Sentence.from_tokens(text.split()) for text in texts)
        links = frozenset((at, at) for at in range(len(source)))
        pairs.append(GoldPair(texts[0], source, target, links))
    settings = TrainingSettings(feature_groups=(*DEFAULT_GROUPS, "rules"), max_iterations=5)
    return Aligner(
        train(TrainingData({"sample": pairs}), annotator, settings, name="tiny"), annotator
    )


@pytest.mark.parametrize(
    ("source", "target", "at", "name"),
    [
        ("The colour fades.", "The color fades.", 1, "rule[variant content-content]"),
        ("We sold 2 kilograms.", "We sold 2000 grams.", 3, "rule[same-value content-content]"),
    ],
)
def test_links_are_explained_by_rules(trained, source, target, at, name) -> None:
    explained = trained.explain(source, target, at, at)
    assert len(explained) == 2
    for explanation in explained:
        assert name in {one.name for one in explanation.features if one.weight > 0}
    alignment = trained.align(source, target)
    assert (at, at) in {(link.source, link.target) for link in alignment.links}
