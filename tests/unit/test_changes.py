"""Edits of a pair, and what they change."""

from __future__ import annotations

import numpy as np
import pytest
from tokalign import Aligner
from tokalign.edits import edits_between
from tokalign.edits.cuts import MOVE_INPUTS
from tokalign.edits.pair_edits import EditModel
from tokalign.edits.segments import SEGMENT_INPUTS
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.errors import InputError, ResourceError
from tokalign.files.tables import Table, write_table
from tokalign.types import Sentence
from tokalign.types.edits import Change, Edit, EditKind


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner.load()


def changed(aligner: Aligner, source: str, target: str) -> list[str]:
    """Return the edits that change something, as people write them."""
    alignment = aligner.align(source, target, edits=True)
    return [
        f"{edit.kind} {' '.join(alignment.source.tokens[i] for i in edit.source)} > "
        f"{' '.join(alignment.target.tokens[j] for j in edit.target)}: {edit.change}"
        for edit in alignment.edits
        if edit.change is not None
    ]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("The kpc scale is used.", "The Kpc scale is used.", "SUB kpc > Kpc: case"),
        ("He left early, and sat down.", "He left early and sat down.", "DEL , > : punctuation"),
        ("The colour was red.", "The color was red.", "SUB colour > color: spelling"),
        (
            "We bought a low-energy lamp.",
            "We bought a low energy lamp.",
            "SUB low-energy > low energy: spelling",
        ),
        ("It costs five dollars.", "It costs 5 dollars.", "SUB five > 5: spelling"),
        ("We recieve many letters.", "We receive many letters.", "SUB recieve > receive: spelling"),
        ("The dogs bark loudly.", "The dogs barked loudly.", "SUB bark > barked: inflection"),
        ("It rained for 67 days.", "It rained for 69 days.", "SUB 67 > 69: number"),
        (
            "It is due in two weeks.",
            "It is due in 14 days.",
            "SUB two weeks > 14 days: spelling",
        ),
        ("It weighs 2500 kg.", "It weighs 2.5 tonnes.", "SUB 2500 kg > 2.5 tonnes: spelling"),
        ("It weighs 2500 kg.", "It weighs 3.5 tonnes.", "SUB 2500 kg > 3.5 tonnes: number"),
        ("It rained in 2018.", "It rained.", "DEL in 2018 > : content"),
        ("You must pay now.", "You may pay now.", "SUB must > may: modality"),
        ("All files are kept.", "Some files are kept.", "SUB All > Some: quantity"),
        ("Order A123 was sent.", "Order A124 was sent.", "SUB A123 > A124: code"),
        ("Pay if it rains.", "Pay until it rains.", "SUB if > until: condition"),
        ("Paris is nice in spring.", "London is nice in spring.", "SUB Paris > London: name"),
        ("The drug is safe.", "The drug is not safe.", "INS  > not: negation"),
        ("She never smokes.", "She smokes.", "DEL never > : negation"),
        (
            "Profits increased last year.",
            "Profits decreased last year.",
            "SUB increased > decreased: opposite",
        ),
        ("The big house was sold.", "The large house was sold.", "SUB big > large: wording"),
        ("The house was sold.", "The old house was sold.", "INS  > old: content"),
    ],
)
def test_changes(aligner: Aligner, source: str, target: str, expected: str) -> None:
    assert changed(aligner, source, target) == [expected]


def test_a_word_keeps_what_the_beginning_of_a_sentence_does_to_it(aligner: Aligner) -> None:
    assert changed(aligner, "Maximal power was used.", "A maximal power was used.") == [
        "INS  > A: content",
        "EQ Maximal > maximal: case",
    ]


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_sentence_in_capitals_keeps_its_words(aligner: Aligner, *, is_turned: bool) -> None:
    pair = "Pay the rent by the fifth day.", "PAY THE RENT BY THE SIXTH DAY."
    found = changed(aligner, *pair[:: -1 if is_turned else 1])
    kinds = [(each.partition(" ")[0], each.rpartition(" ")[2]) for each in found]
    assert kinds == [("EQ", "case"), ("SUB", "number"), ("EQ", "case")]


def test_words_that_moved(aligner: Aligner) -> None:
    found = changed(
        aligner,
        "We compute in this paper the total mass.",
        "In this paper we compute the total mass.",
    )
    assert {each.partition(" ")[0] for each in found} <= {"MOV", "EQ"}
    assert any(each.startswith("MOV") and each.endswith("order") for each in found)


def test_the_form_of_a_change() -> None:
    assert {each for each in Change if each.is_form} == {
        "case",
        "punctuation",
        "spelling",
        "inflection",
        "order",
    }


def test_systems_have_edits_too() -> None:
    alignment = Aligner.load("lemma").align("Old dogs bark.", "Dogs bark.", edits=True)
    assert alignment.edits
    assert Aligner.load("lemma").align("Old dogs bark.", "Dogs bark.").edits == ()


def test_pairs_without_annotation_have_edits() -> None:
    source, target = (Sentence.from_tokens(text.split()) for text in ("a b c", "a c d"))
    assert edits_between(source, target, {}) == (
        Edit(EditKind.EQUAL, (0,), (0,)),
        Edit(EditKind.DELETE, (1,), (), Change.CONTENT),
        Edit(EditKind.EQUAL, (2,), (1,)),
        Edit(EditKind.INSERT, (), (2,), Change.CONTENT),
    )


def test_a_pair_that_fails_costs_the_others_no_edits() -> None:
    aligner = Aligner.load("lemma")
    from tokalign import Constraints

    pairs = [("a", "b"), ("a", "b", Constraints(anchors=[(0, 0)]))]
    first, second = aligner.pipe(pairs, edits=True, errors="return")
    assert first.edits
    assert isinstance(second, InputError)


def test_very_long_blocks_of_change_are_cut_at_few_points(aligner: Aligner) -> None:
    source = " ".join(f"alpha{k} of" for k in range(200))
    target = " ".join(f"beta{k} to" for k in range(200))
    (alignment,) = aligner.pipe([(source, target)], edits=True)
    assert sum(len(edit.source) for edit in alignment.edits) == 400


def test_a_table_of_other_inputs_is_refused(tmp_path) -> None:
    shipped = Table.open_shipped("edits")
    arrays = {
        name: np.array(shipped[name])
        for name in shipped.header["arrays"]
        if not name.startswith(("inputs", "move_inputs"))
    }
    path = tmp_path / "edits.table"
    head = {"name": "edits", "version": "1", "license": "", "source": ""}
    write_table(
        path, {"inputs": list(SEGMENT_INPUTS), "move_inputs": list(MOVE_INPUTS), **arrays}, **head
    )
    EditModel(Table.open(path), Frequencies.open_shipped())
    write_table(path, {"inputs": ["x"], "move_inputs": list(MOVE_INPUTS), **arrays}, **head)
    with pytest.raises(ResourceError, match="other inputs"):
        EditModel(Table.open(path), Frequencies.open_shipped())
