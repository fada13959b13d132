"""Relations and conflicts as users ask for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from tokalign import Aligner, InputError
from tokalign.codec.options import numbers_of
from tokalign.english.lexicon.word_lists import negates, scale_names
from tokalign.relations.related_units import RelationModel
from tokalign.types.options import AlignOptions
from tokalign.types.relations import (
    CHUNK_TYPES,
    RELATION_KINDS,
    RELATION_SIGNS,
    ConflictKind,
    RelationKind,
)
from tokalign.view import COLOURS

from lab.recipes.word_scales import grades_of, words_of

ROOT = Path(__file__).parents[2]


def kinds(aligner, source, target, **options):
    """Return the kinds of the links of unlike words, by the words."""
    found = aligner.align(source, target, relations=True, related=True, **options)
    return {
        (found.source.tokens[link.source], found.target.tokens[link.target]): link.relation.kind
        for link in found.links
        if found.source.tokens[link.source] != found.target.tokens[link.target]
    }


@pytest.mark.parametrize(
    ("source", "target", "words", "kind"),
    [
        ("Profits increased last year.", "Profits decreased last year.",
         ("increased", "decreased"), "opposite"),
        ("Sales rose strongly in May.", "Sales rose weakly in May.",
         ("strongly", "weakly"), "opposite"),
        ("She was born in 2018.", "She was born in 2019.", ("2018", "2019"), "different-value"),
        ("It opens on Monday.", "It opens on Tuesday.", ("Monday", "Tuesday"), "different-value"),
        ("She bought a dog in Paris.", "She bought an animal in Paris.",
         ("dog", "animal"), "narrower"),
        ("She bought an animal in Paris.", "She bought a dog in Paris.",
         ("animal", "dog"), "wider"),
        ("She bought a car.", "She purchased a car.", ("bought", "purchased"), "same"),
    ],
)  # fmt: skip
def test_kinds_of_linked_words(aligner, source, target, words, kind):
    assert kinds(aligner, source, target)[words] == kind


def test_every_link_has_a_relation_where_asked_for_and_none_else(aligner):
    pair = ("The drug is safe.", "The drug is not safe.")
    asked = aligner.align(*pair, relations=True, phrases=True)
    assert all(link.relation is not None for link in asked.links)
    assert all(phrase.relation is not None for phrase in asked.phrases)
    for each in (*asked.links, *asked.phrases):
        assert sum(each.relation.probabilities) == pytest.approx(1, abs=1e-5)
        assert each.relation.probability == max(each.relation.probabilities)
    plain = aligner.align(*pair, phrases=True)
    assert all(each.relation is None for each in (*plain.links, *plain.phrases))
    assert (asked.links, asked.conflicts) == (plain.links, plain.conflicts)


@pytest.mark.parametrize(
    ("source", "target", "kind"),
    [
        ("Profits increased.", "Profits decreased.", "opposite"),
        ("The drug is safe.", "The drug is not safe.", "negation"),
        ("The treaty was signed in 1848.", "The treaty was signed in 1884.", "value"),
        ("The director thanked the actress.", "The actress thanked the director.", "roles"),
        ("All shops were closed.", "Some shops were closed.", "quantity"),
        ("Guests must register.", "Guests may register.", "modality"),
        ("Pay if it rains.", "Pay until it rains.", "condition"),
        ("Anna lives in Paris.", "Anna lives in London.", "name"),
        ("Order A123 was sent.", "Order A124 was sent.", "code"),
    ],
)
def test_conflicts_lower_similarity_and_score(aligner, source, target, kind):
    found = aligner.align(source, target, related=True)
    assert [each.kind for each in found.conflicts] == [kind]
    assert found.agreement == pytest.approx(1 - found.conflicts[0].probability)
    assert found.similarity < found.covered and found.score < found.target_covered


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The shop is closed on Sundays.", "The shop is not open on Sundays."),
        ("Nadia taught Omar to drive.", "Omar was taught to drive by Nadia."),
        ("The blue bag is heavier than the red one.", "The red bag is lighter than the blue one."),
        ("The engine did not start.", "The engine failed to start."),
    ],
)
def test_conflicts_that_undo_each_other_are_none(aligner, source, target):
    found = aligner.align(source, target, related=True)
    assert found.conflicts == () and found.agreement == 1.0
    assert found.similarity == found.covered


@pytest.mark.parametrize(
    ("source", "target", "denied"),
    [
        ("Cursors are not thread-safe, so each thread needs its own.", "Cursors are thread-safe.",
         ["thread-safe"]),
        ("Keys over 72 bytes are not truncated but refused.", "Keys over 72 bytes are truncated.",
         ["truncated"]),
        ("The app isn't free, but it works without an account.", "The app is free.", ["free"]),
        ("No lights are on, and the doors are not locked.", "The doors are locked.", ["locked"]),
        ("The log isn't rotated; old files are deleted.", "Old files aren't deleted.", ["deleted"]),
        ("Backups are compressed but not encrypted.", "Backups are encrypted but not compressed.",
         ["encrypted", "compressed"]),
    ],
)  # fmt: skip
def test_a_negation_counts_in_its_clause(aligner, source, target, denied):
    found = aligner.align(source, target)
    assert {each.kind for each in found.conflicts} == {"negation"}
    assert [found.target.tokens[each.target] for each in found.conflicts] == denied


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The code arrives within 24 hours.", "The code arrives within one day."),
        ("The lease runs for ten years.", "The lease runs for a decade."),
        ("Reply no later than Friday.", "Reply by Friday at the latest."),
        ("The pipe ends no lower than 600 mm.", "The pipe ends at 60 cm at least."),
        ("A new Carmen opens in May.", "A fresh staging of Bizet's work opens in May."),
        ("Files are still read, but they are not written any more.", "Files are still read."),
        ("Keys over 72 bytes are not truncated but refused.", "Keys over 72 bytes are refused."),
        ("It must be signed, but it need not be dated.", "It must be signed."),
        ("The log is not rotated; old files are deleted.", "Old files are deleted."),
        ("It is built for Linux but not for Windows.", "It is not built for Windows."),
        ("The option has no effect on Windows.", "On Windows the option has no effect."),
        (
            "An empty list raises no error: an empty list is given.",
            "An empty list raises no error.",
        ),
    ],
)
def test_what_only_looks_unlike_is_no_conflict(aligner, source, target):
    assert aligner.align(source, target).conflicts == ()


def test_an_explained_relation_adds_up(aligner):
    pair = ("She bought a dog.", "She bought an animal.")
    why = aligner.explain_relation(*pair, 3, 3, related=True)
    assert (why.kind, why.source, why.target) == ("narrower", (3,), (3,))
    assert why.relation.kind == why.kind
    sizes = [abs(each.contribution) for each in why.inputs]
    assert sizes == sorted(sizes, reverse=True)
    total = sum(each.contribution for each in why.inputs)
    assert why.score != total  # what no input changed is part of the score
    assert any("hypernym" in each.name for each in why.inputs[:5])


def test_tokens_out_of_range_have_no_relation(aligner):
    with pytest.raises(InputError, match="target_index is 9"):
        aligner.explain_relation("A dog.", "Dogs.", 0, 9)


def test_systems_know_no_relations():
    aligner = Aligner.load("lemma")
    with pytest.raises(InputError, match="knows no relations") as caught:
        aligner.align("a dog", "dogs", relations=True)
    assert caught.value.field == "options.relations"
    with pytest.raises(InputError, match="knows no relations"):
        aligner.explain_relation("a dog", "dogs", 0, 0)
    found = aligner.align("a dog", "dogs")
    assert (found.agreement, found.conflicts) == (1.0, ())
    assert (found.similarity, found.score) == (found.covered, found.target_covered)


def test_other_models_know_relations():
    for name in ("en-rte2",):
        found = Aligner.load(name).align(
            "The price rose in 2018.", "The price fell in 2019.", relations=True
        )
        assert {each.kind for each in found.conflicts} == {"opposite", "value"}
        assert all(link.relation for link in found.links)


def test_a_model_may_have_relations_of_chunks_of_its_own():
    pair = ("A man is walking a dog.", "A person walks an animal.")
    for name, table in (("en", "relations"), ("en-research", "relations-research")):
        aligner = Aligner.load(name)
        answer = aligner.align(*pair, relations=True, related=True, style=aligner.styles[0])
        links = [
            link for link in answer.links if answer.source.tokens[link.source] in ("man", "dog")
        ]
        chunks = aligner.align_chunks(*pair)
        for found, sides, options, model in (
            (links, answer, AlignOptions(related=True, style=aligner.styles[0]), "relations"),
            ([link for link in chunks.links if link.is_aligned], chunks, AlignOptions(), table),
        ):
            units = [tuple(map(_tokens, (each.source, each.target))) for each in found]
            rows = aligner._engine.unit_inputs((sides.source, sides.target), units, options)
            wanted = RelationModel.open_shipped(model).probabilities(rows)
            given = [each.relation.probabilities for each in found]
            np.testing.assert_allclose(given, wanted, atol=1e-6)


def _tokens(side):
    return (side,) if isinstance(side, int) else side


LEVELS = (
    ("must", "shall", "has to", "is required to"),
    ("should",),
    ("may", "can", "is allowed to"),
    ("must not", "shall not", "may not", "cannot", "is not allowed to"),
    ("need not", "does not have to", "is not required to"),
)
"""Modals that say the same of an act: oblige, advise, permit, forbid, lift an obligation."""


@pytest.mark.parametrize(
    "frame", ["The operator {} stand there.", "A server that is idle {} close its connection."]
)
def test_modals_are_in_conflict_where_their_levels_differ(aligner, frame):
    level = {modal: k for k, modals in enumerate(LEVELS) for modal in modals}
    pairs = [(one, other) for one in level for other in level if one != other]
    answers = aligner.pipe((frame.format(one), frame.format(other)) for one, other in pairs)
    told = {pair for pair, found in zip(pairs, answers, strict=True) if found.conflicts}
    assert told == {(one, other) for one, other in pairs if level[one] != level[other]}


RATES = (
    ("once a day", "every day", "daily"),
    ("twice a day", "two times a day", "2 times daily"),
    ("thrice a day", "three times a day"),
    ("every two days", "every second day"),
    ("once a week", "weekly", "every week"),
)


VERBS = """accelerate delay|assemble dismantle|build demolish|create destroy|dismiss hire|fix break|
encrypt decrypt|include omit|join leave|lift impose|merge split|mitigate aggravate|neglect maintain|
obey violate|postpone advance|protect endanger|register deregister|renew cancel|repair damage|
restore abolish|retain delete|reveal conceal|stay leave|undermine support|waive enforce"""
ADJECTIVES = """beneficial harmful|brief lengthy|current obsolete|flexible rigid|fragile sturdy|
identical different|immediate delayed|inbound outbound|intentional accidental|local remote|
long-term short-term|natural synthetic|online offline|permanent temporary|physical virtual|
rare common|shared exclusive|strict lenient|valid expired|visible hidden"""
"""Opposites, most of which WordNet lacks."""


@pytest.mark.parametrize(
    ("words", "frame"),
    [(VERBS, "We should {} the old system."), (ADJECTIVES, "It is about the {} part.")],
)
def test_opposites_are_told_in_both_directions(aligner, words, frame):
    pairs = [each.split() for each in words.split("|")]
    sides = [(frame.format(a), frame.format(b)) for pair in pairs for a, b in (pair, pair[::-1])]
    silent = [pair for pair in sides if not aligner.align(*pair).conflicts]
    assert silent == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Turn left at the light.", "Turn right at the light."),
        ("Submit the form by Friday.", "Submit the form after Friday."),
        ("Payment is due within 30 days.", "Payment is due after 30 days."),
        ("She left the company.", "She joined the company."),
    ],
)
def test_opposites_whatever_their_tags(aligner, one, other):
    for pair in ((one, other), (other, one)):
        assert [each.kind for each in aligner.align(*pair).conflicts] == ["opposite"]


def test_rates_are_compared_as_values(aligner):
    def told(one, other):
        frame = "Take one tablet {}."
        return aligner.align(frame.format(one), frame.format(other)).conflicts

    for rates in RATES:
        assert not [(a, b) for a in rates for b in rates if told(a, b)]
    unlike = [(rates[0], "four times a day") for rates in RATES[:-1]]
    unlike += [("twice a day", "once a week"), ("once a week", "twice a day")]
    assert not [pair for pair in unlike if not told(*pair)]


def test_bounds_of_a_number_are_in_conflict_where_they_face_each_other(aligner):
    least = (
        "at least 5 copies",
        "more than 5 copies",
        "no fewer than 5 copies",
        "5 or more copies",
    )
    most = ("at most 5 copies", "up to 5 copies", "fewer than 5 copies", "no more than 5 copies")

    def told(one, other):
        frame = "The tenant must keep {}."
        return aligner.align(frame.format(one), frame.format(other)).conflicts

    for alike in ((*least, "5 copies"), (*most, "5 copies")):
        assert not [(a, b) for a in alike for b in alike if told(a, b)]
    assert not [(a, b) for a in least for b in most if not told(a, b) or not told(b, a)]


def test_a_comparative_bounds_a_number(aligner):
    for frame, one, other in (
        ("The child must be {} than ten.", "older", "younger"),
        ("The dose is {} than 5 mg.", "higher", "lower"),
        ("The line may be {} than 5 metres.", "no longer", "longer"),
    ):
        for pair in ((one, other), (other, one)):
            found = aligner.align(*map(frame.format, pair)).conflicts
            assert found and found[0].kind in (ConflictKind.QUANTITY, ConflictKind.NEGATION)
        assert not aligner.align(frame.format(one), frame.format(one)).conflicts


@pytest.mark.parametrize(
    ("frame", "one", "other"),
    [
        ("Prices {} by ten percent last year.", "dropped", "rose"),
        ("The club {} ten members in May.", "lost", "gained"),
        ("She {} 200 euros from the account.", "withdrew", "deposited"),
        ("The files were {} last week.", "removed", "preserved"),
        ("It was a {} for the party.", "victory", "defeat"),
        ("You may enter {} with a ticket.", "only", "also"),
        ("The text is aligned {}.", "horizontally", "vertically"),
        ("Users may {} the file.", "read", "write"),
        ("The team {} on Saturday.", "won", "drew"),
        ("The appeal was {}.", "allowed", "dismissed"),
        ("The allowance is {}.", "taxable", "tax-free"),
        ("The {} speed is 80 km/h.", "average", "maximum"),
        ("The driver was {}.", "responsible", "blameless"),
        ("Ann is the {} of the two.", "taller", "shorter"),
    ],
)
def test_opposites_hold_for_forms_that_are_on_scales_of_their_own(aligner, frame, one, other):
    for pair in ((one, other), (other, one)):
        found = aligner.align(*map(frame.format, pair)).conflicts
        assert [each.kind for each in found] == [ConflictKind.OPPOSITE]


@pytest.mark.parametrize(
    ("frame", "one", "other", "kind"),
    [
        ("The limit is 60 requests per {}.", "hour", "day", ConflictKind.VALUE),
        ("The rate rises {} 5%.", "by", "to", ConflictKind.QUANTITY),
        ("The office opens {} Monday.", "on", "after", ConflictKind.QUANTITY),
    ],
)
def test_words_around_equal_values_are_compared(aligner, frame, one, other, kind):
    for pair in ((one, other), (other, one)):
        assert [e.kind for e in aligner.align(*map(frame.format, pair)).conflicts] == [kind]


def test_a_negation_undoes_an_opposite_without_a_link(aligner):
    for pair in (
        ("The shop is not closed.", "The shop is open."),
        ("The door is open.", "The door isn't closed."),
    ):
        assert not aligner.align(*pair).conflicts
        assert not aligner.align(*pair[::-1]).conflicts
    assert aligner.align("The shop is closed.", "The shop is open.").conflicts
    assert aligner.align("The job succeeded.", "The job failed without a word.").conflicts


def test_scales():
    assert [each.grade > 0 for each in grades_of("some")] == [True]
    assert grades_of("went", "go") == grades_of("go")
    assert grades_of("lost", "lose")[:2] == grades_of("lost")
    assert {each.scale for each in grades_of("lost", "lose")} == {"outcome", "winning", "change"}
    assert grades_of("fewer", "few") == grades_of("fewer")
    assert grades_of("xyzzy") == ()
    assert negates("fails", "fail") and not negates("passes", "pass")
    assert "quantity" in scale_names()
    assert ("few", -2) in words_of("quantity")
    for scale in scale_names():
        words = [word for word, _ in words_of(scale)]
        assert words == sorted(set(words)) and len(words) > 1, scale


def test_every_kind_has_a_sign_of_its_own_a_colour_and_a_type_of_the_task():
    assert set(RELATION_SIGNS) == set(RelationKind) == set(RELATION_KINDS)
    assert len(set(RELATION_SIGNS.values())) == len(RELATION_KINDS)
    assert set(COLOURS) == set(CHUNK_TYPES) == set(RELATION_KINDS)


def test_the_contract_has_the_kinds_in_the_order_of_their_probabilities():
    assert [numbers_of(RelationKind)[kind] - 1 for kind in RELATION_KINDS] == list(range(7))


def test_the_page_for_contributors_names_where_a_kind_stands():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    section = page.partition("## Adding a kind of relation\n")[2].partition("\n## ")[0]
    named = [ROOT / name for name in re.findall(r"`([\w/.]+/[\w.]+)`", section)]
    assert named and [path for path in named if not path.is_file()] == []
    # Source files that list the kinds one by one.
    listing = {
        path
        for folder in ("core", "client", "server", "clients")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".pyx", ".go", ".cc", ".java", ".js", ".css")
        and "_pb2" not in path.name
        and re.search(r"RelationKind\.SIMILAR|(≈|2248).*~|kind-similar", path.read_text())
        and "node_modules" not in path.parts
    }
    assert listing - set(named) == set()


def test_json_has_relations_and_conflicts(run_command):
    text = "Profits increased. ||| Profits decreased.\n"
    plain = json.loads(run_command("align", "--format", "jsonl", text=text).stdout)
    assert "relations" not in plain
    assert plain["conflicts"][0]["kind"] == "opposite"
    assert plain["covered"] > plain["similarity"]
    related = run_command("align", "--format", "jsonl", "--relations", "--phrases", text=text)
    asked = json.loads(related.stdout)
    assert [each[:3] for each in asked["relations"]][1] == [1, 1, "opposite"]
    assert asked["phrases"][1]["relation"][0] == "opposite"
    refused = run_command("align", "--relations", text=text)
    assert refused.exit_code == 2 and "jsonl only" in refused.stderr


def test_grids_and_pages_show_relations(run_command, tmp_path):
    aligned, page = tmp_path / "a.jsonl", tmp_path / "page.html"
    text = "Profits increased. ||| Profits decreased.\n"
    run_command("align", "--format", "jsonl", "--relations", "-o", aligned, text=text)
    shown = run_command("view", aligned).stdout
    assert "increased · ! ·" in shown and "! opposite" in shown
    assert run_command("view", aligned, "--html", page).exit_code == 0
    assert '[1,1,"opposite"]' in page.read_text()
    for command in (
        ("evaluate", "--gold", aligned, "--model", "en", "--html", page),
        ("compare", "--gold", aligned, "en", "lemma", aligned, "--html", page),
    ):
        assert run_command(*command).exit_code == 0
        assert '[1,1,"opposite"]' in page.read_text()


def test_a_relation_of_another_kind_is_refused(run_command, tmp_path):
    wrong = tmp_path / "a.jsonl"
    value = {"id": "1", "source": ["a"], "target": ["b"], "links": [[0, 0]]}
    wrong.write_text(json.dumps(value | {"relations": [[0, 0, "alike"]]}) + "\n")
    result = run_command("view", wrong)
    assert result.exit_code != 0 and "field 'relations' holds" in str(result.stderr)
