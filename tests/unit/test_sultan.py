"""Sultan's aligner: the links of each rule, and the dependencies of every scheme of trees."""

from __future__ import annotations

import pytest
from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.lexical_resources import install_ppdb
from tokalign.errors import ResourceError
from tokalign.systems import summary
from tokalign.systems.dependencies import (
    CATEGORIES,
    OPPOSITE_DIRECTIONS,
    SAME_DIRECTION,
    category_of,
    dependencies,
)
from tokalign.systems.kernels import RULES
from tokalign.systems.sultan import CONFIDENCE, TABLES, SultanSystem
from tokalign.types import Sentence


@pytest.fixture(autouse=True)
def without_installed_tables(monkeypatch, tmp_path):
    monkeypatch.setenv("TOKALIGN_HOME", str(tmp_path))


def tree(rows):
    """Return a sentence out of lines of token, tag, lemma, 1-based head and relation."""
    tokens, tags, lemmas, heads, relations = zip(*map(str.split, rows), strict=True)
    return Sentence.from_tokens(
        tokens, tags=tags, lemmas=lemmas, heads=[int(h) - 1 for h in heads], relations=relations
    )


# "Rebels in Bogota were killed by soldiers who want to leave and eat."
UNIVERSAL = tree((
    "Rebels NNS rebel 5 nsubj:pass", "in IN in 3 case", "Bogota NNP Bogota 1 nmod",
    "were VBD be 5 aux:pass", "killed VBN kill 0 root", "by IN by 7 case",
    "soldiers NNS soldier 5 obl:agent", "who WP who 9 nsubj", "want VBP want 7 acl:relcl",
    "to TO to 11 mark", "leave VB leave 9 xcomp", "and CC and 13 cc", "eat VB eat 11 conj",
    ". . . 5 punct",
))  # fmt: skip
STANFORD = tree((
    "Rebels NNS rebel 5 nsubjpass", "in IN in 1 prep", "Bogota NNP Bogota 2 pobj",
    "were VBD be 5 auxpass", "killed VBN kill 0 root", "by IN by 5 prep",
    "soldiers NNS soldier 6 pobj", "who WP who 9 nsubj", "want VBP want 7 rcmod",
    "to TO to 11 aux", "leave VB leave 9 xcomp", "and CC and 11 cc", "eat VB eat 11 conj",
    ". . . 5 p",
))  # fmt: skip
CLEARNLP = tree((
    "Rebels NNS rebel 5 nsubjpass", "in IN in 1 prep", "Bogota NNP Bogota 2 pobj",
    "were VBD be 5 auxpass", "killed VBN kill 0 ROOT", "by IN by 5 agent",
    "soldiers NNS soldier 6 pobj", "who WP who 9 nsubj", "want VBP want 7 relcl",
    "to TO to 11 aux", "leave VB leave 9 xcomp", "and CC and 11 cc", "eat VB eat 11 conj",
    ". . . 5 punct",
))  # fmt: skip
COLLAPSED = {
    ("killed", "Rebels", "nsubjpass"), ("Rebels", "Bogota", "prep_in"), ("Bogota", "in", "case"),
    ("killed", "were", "auxpass"), ("killed", "soldiers", "agent"), ("soldiers", "by", "case"),
    ("soldiers", "want", "rcmod"), ("want", "who", "nsubj"), ("want", "leave", "xcomp"),
    ("leave", "who", "xsubj"), ("leave", "eat", "conj_and"),
}  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param(UNIVERSAL, id="universal"),
        pytest.param(STANFORD, id="stanford"),
        pytest.param(CLEARNLP, id="clearnlp"),
    ],
)
def test_trees_of_every_scheme_have_the_same_collapsed_dependencies(sentence):
    arcs = {(sentence.tokens[h], sentence.tokens[d], t) for h, d, t in dependencies(sentence)}
    arcs -= {("leave", "to", "mark"), ("leave", "to", "aux")}
    assert arcs == COLLAPSED


@pytest.mark.parametrize(
    ("row", "label", "wanted"),
    [
        ("run VB run", "acl", "infmod"),
        ("running VBG run", "acl", "partmod"),
        ("tired JJ tired", "xcomp", "acomp"),
        ("his PRP$ he", "nmod:poss", "poss"),
        ("night NN night", "obl:unmarked", "tmod"),
        ("city NN city", "compound", "nn"),
        ("him PRP he", "iobj", "iobj"),
        ("him PRP he", "dative", "iobj"),
        ("up RP up", "compound:prt", "prt"),
        ("odd JJ odd", "amod:new", "amod"),
    ],
)
def test_labels_have_stanford_types(row, label, wanted):
    sentence = tree((f"{row} 2 {label}", "head NN head 0 root"))
    assert [arc.type for arc in dependencies(sentence)] == [wanted]


def test_a_plain_clause_with_to_is_a_purpose():
    rows = "came VBD come 0 root", "to TO to 3 mark", "see VB see 1 advcl"
    assert (0, 2, "purpcl") in dependencies(tree(rows))


@pytest.mark.parametrize("label", ["obj", "dobj"])
def test_a_clause_shares_the_object_of_its_head_as_its_subject(label):
    rows = (
        "She PRP she 2 nsubj", "wants VBZ want 0 root", f"him PRP he 2 {label}", "to TO to 5 mark",
        "leave VB leave 2 xcomp",
    )  # fmt: skip
    assert (4, 2, "xsubj") in dependencies(tree(rows))


def test_every_conjunct_has_the_coordinator_of_its_list():
    rows = (
        "dogs NNS dog 0 root", ", , , 3 punct", "cats NNS cat 1 conj", "or CC or 5 cc",
        "birds NNS bird 1 conj",
    )  # fmt: skip
    types = {(d, t) for _, d, t in dependencies(tree(rows))}
    assert {(2, "conj_or"), (4, "conj_or")} <= types


def test_a_preposition_without_object_keeps_its_arc():
    rows = "went VBD go 0 root", "in IN in 1 prep"
    assert dependencies(tree(rows)) == [(0, 1, "prep")]


def test_table_1_names_categories_and_no_type_twice_in_a_row():
    for head, dependent, types in SAME_DIRECTION:
        assert {head, dependent} <= set(CATEGORIES)
        assert len(set(types)) == len(types) > 1
    for a, b, one, other in OPPOSITE_DIRECTIONS:
        assert {a, b} <= set(CATEGORIES)
        assert one and other
    assert max(len(SAME_DIRECTION), len(OPPOSITE_DIRECTIONS)) <= 32, "a row is a bit of a uint32"
    assert category_of("NNP") == category_of("NN") == "noun"


def linked(source, target, system=None):
    """Return source word, target word and rule of every link."""
    pair = load_annotator("native").annotate([source, target], trees=True)
    found = (system or SultanSystem()).align(*pair)
    return {
        (pair[0].tokens[i], pair[1].tokens[j], rule)
        for i, j, rule in zip(found.source, found.target, found.rules, strict=True)
    }


def test_a_run_of_the_same_words_is_linked_with_the_marks_that_end_the_sentences():
    assert linked("He saw big dogs.", "Big dogs bark!") == {
        ("big", "Big", "identical-sequence"),
        ("dogs", "dogs", "identical-sequence"),
        (".", "!", "final-mark"),
    }


def test_a_person_is_linked_by_either_name():
    links = linked("They met Benito Mussolini there.", "Mussolini spoke.")
    assert {("Mussolini", "Mussolini", "name"), ("Benito", "Mussolini", "name")} <= links


def test_a_title_is_no_part_of_a_name():
    links = linked("They met President Mussolini there.", "Mussolini spoke.")
    assert ("Mussolini", "Mussolini", "name") in links
    assert not {rule for word, _, rule in links if word == "President"}


def test_an_acronym_is_linked_with_every_word_of_the_name():
    links = linked("The World Trade Organization warned.", "WTO warned.")
    assert {(word, "WTO", "name") for word in ("World", "Trade", "Organization")} <= links


def test_words_are_linked_by_equivalent_dependencies_with_what_they_depend_on():
    passive = tree((
        "Sony NNP Sony 3 nsubj:pass", "was VBD be 3 aux:pass", "bought VBN buy 0 root",
        "yesterday NN yesterday 3 obl:tmod",
    ))  # fmt: skip
    active = tree((
        "He PRP he 2 nsubj", "purchased VBD purchase 0 root", "all DT all 2 obj",
        "Sony NNP Sony 2 obj",
    ))  # fmt: skip
    found = SultanSystem().align(passive, active)
    links = dict(zip(zip(found.source, found.target, strict=True), found.rules, strict=True))
    assert links[2, 1] in ("dependency", "dependency-context")
    assert links[0, 3] == "name"


def test_words_that_nothing_speaks_for_but_themselves_are_linked_without_trees():
    links = linked("Quietly, a dog slept.", "One dog.")
    assert ("dog", "dog", "neighbourhood") in links or ("dog", "dog", "dependency") in links


def test_paraphrases_are_taken_once_they_are_installed(tmp_path):
    assert SultanSystem().table == "wordnet 3.0"
    assert summary(SultanSystem()).endswith("Words are alike by wordnet 3.0.")
    assert not any(word == "mongoose" for word, _, _ in linked("A mongoose.", "The weasel."))
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("mongoose\tweasel\n", encoding="utf-8")
    install_ppdb(pairs)
    assert SultanSystem().table == "ppdb 1.0-xxxl-lexical"
    assert ("mongoose", "weasel", "neighbourhood") in linked("A mongoose.", "The weasel.")
    assert not any(word == "mongoose" for word, *_ in linked(
        "A mongoose.", "The weasel.", SultanSystem("wordnet")
    ))  # fmt: skip


def test_a_table_that_is_not_installed_is_an_error():
    with pytest.raises(ResourceError, match="ppdb"):
        SultanSystem("ppdb")
    for other in ("thesaurus", "counts"):
        with pytest.raises(ResourceError, match=f"no table '{other}'"):
            SultanSystem(other)


def test_a_link_s_confidence_is_that_of_its_rule():
    pair = load_annotator("native").annotate(["Big dogs bark.", "Big dogs bark."], trees=True)
    found = SultanSystem().align(*pair)
    assert found.rules == ("identical-sequence",) * 3 + ("final-mark",)
    assert found.confidence.tolist() == pytest.approx([0.97, 0.97, 0.97, 0.99])
    assert set(CONFIDENCE) == set(RULES) - {""}
    assert all(0 < unlike <= same <= 1 for same, unlike in CONFIDENCE.values())


def test_words_that_are_forgotten_are_learned_again():
    system = SultanSystem()
    pair = load_annotator("native").annotate(["Big dogs bark.", "Big dogs slept."], trees=True)
    first = system.align(*pair)
    long = Sentence.from_tokens(
        ["a" * 2_500_000], tags=["NN"], lemmas=["b"], heads=[-1], relations=["root"]
    )
    assert len(system.align(long, long).rules) == 1
    again = system.align(*pair)
    assert again.rules == first.rules
    assert again.source.tolist() == first.source.tolist()


def test_sides_that_change_places_give_mirrored_links():
    pair = load_annotator("native").annotate(
        ["Paris police arrested two men in March.", "In March two men were held by the police."],
        trees=True,
    )
    there, back = SultanSystem().align(*pair), SultanSystem().align(*reversed(pair))
    cells = set(zip(there.source.tolist(), there.target.tolist(), strict=True))
    assert cells == set(zip(back.target.tolist(), back.source.tolist(), strict=True))
    assert TABLES == ("ppdb", "wordnet")
