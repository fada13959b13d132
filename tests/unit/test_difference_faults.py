"""Differences that read well: what real revisions showed wrongly, each in several ways."""

from __future__ import annotations

import pytest
from support.differences import texts_of
from tokalign.texts.diff import BlockKind, TextDiff, diff_of, summarize
from tokalign.texts.diff.summary import github_lines
from tokalign.types.edits import EditKind


@pytest.fixture(scope="module")
def diff(aligner):
    def found(old: str, new: str) -> TextDiff:
        result = diff_of(aligner.align_texts(old, new, edits=True))
        result.check()
        assert (result.rebuild_new(old), result.rebuild_old(new)) == (new, old)
        return result

    return found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("It is safe. He said that it isn't.", "It isn't safe. He said that it is."),
        ("He left, and she stayed. They were sad.", "He left. She stayed, and they were sad."),
        (
            "The cat sat on the mat. The dog lay in the yard and slept.",
            "The cat sat and slept on the mat. The dog lay in the yard.",
        ),
        (
            "We shall meet on Monday to vote. The chair opens the meeting.",
            "We shall meet to vote. The chair opens the meeting on Monday.",
        ),
        (
            "The committee of members meets. Its report is short.",
            "The committee meets. Its report of members is short.",
        ),
        ("The old mill stands. Its wheel turns.", "The mill stands. Its old wheel turns."),
        ("They sell only tea. They buy milk.", "They sell tea. They only buy milk."),
        ("It was not cold. The sea was calm.", "It was cold. The sea was not calm."),
        ("The fee is due to the club in May.", "The fee is due in May to the club of."),
        ("Bring a pen to school. Leave the bag.", "Bring a pen. Leave the bag to school."),
        ("She said yes, but he left. It rained.", "She said yes. He left, but it rained."),
    ],
)
def test_no_lone_word_moves_over_the_end_of_a_sentence(diff, old, new):
    for each in diff(old, new).segments():
        assert each.kind is not EditKind.MOVE or len(new[slice(*each.new)].split()) > 1


def test_what_is_negated_in_one_sentence_and_not_in_the_other_is_told_for_both(diff):
    found = diff("It is safe. He said that it isn't.", "It isn't safe. He said that it is.")
    assert [each.kind for each in found.blocks] == [BlockKind.CHANGED] * 2
    assert {str(each.change) for each in summarize(found).alarms} == {"negation"}


def test_insertions_before_a_word_that_moved_lie_within_the_new_text_alone(diff):
    diff(
        "Provided you have an account on Transifex:\n\nrun it",
        "In addition to having a configured Transifex account, the tx CLI should be in your PATH. "
        "Run it",
    )


def alarms(diff: TextDiff) -> list[str]:
    """Return the alarms as the terminal lists them."""
    return [f"{each.kind} {each} ({each.where})" for each in summarize(diff).alarms]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("The server MUST answer.", "The server SHOULD answer.", "modality MUST → SHOULD"),
        ("The client shall pay.", "The client may pay.", "modality shall → may"),
        ("The firm will pay it.", "The firm may pay it.", "modality will → may"),
        ("Dogs are not allowed.", "Dogs are allowed.", "negation are not allowed → are allowed"),
        ("It made £2 million.", "It made £2 billion.", "money £2 million → £2 billion"),
        ("Pay by 3 May 2021.", "Pay by 4 June 2021.", "date 3 May 2021 → 4 June 2021"),
        ("It opens at 3 pm.", "It opens at 4 pm.", "time 3 pm → 4 pm"),
        ("Take 5 mg a day.", "Take 50 mg a day.", "number 5 mg → 50 mg"),
        ("Use 40 rooms.\n\nAll 40 rooms.", "Use 45 rooms.\n\nAll 45 rooms.", "number 40 → 45"),
        ("Ann Lee spoke first.", "Ann Kay spoke first.", "name Lee → Kay"),
        ("All files are kept.", "Some files are kept.", "quantity All → Some"),
        ("Refuse only if it rains.", "Refuse if it rains.", "condition Refuse only if → Refuse if"),
        ("Profits rose last year.", "Profits fell last year.", "opposite rose → fell"),
    ],
)  # fmt: skip
def test_what_changed_in_meaning_is_told_by_its_kind(diff, old, new, told):
    assert [each.partition(" (")[0] for each in alarms(diff(old, new))] == [told]


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Children younger than 12 pay.", "Children older than 12 pay.", "quantity"),
        ("Files larger than 20 MB are kept.", "Files smaller than 20 MB are kept.", "quantity"),
        ("Up to 50 guests are allowed.", "More than 50 guests are allowed.", "quantity"),
        (
            "Pay no later than 30 days after it.",
            "Pay no earlier than 30 days after it.",
            "quantity",
        ),
        ("It holds a maximum of 80 people.", "It holds at least 80 people.", "quantity"),
        ("Profit rose to 5 percent.", "Profit rose by 5 percent.", "quantity"),
        ("It may grant more than 5,000 euros.", "It may grant less than 5,000 euros.", "quantity"),
        ("The alarm always rings at night.", "The alarm sometimes rings at night.", "quantity"),
        ("Each of the shops was closed.", "One of the shops was closed.", "quantity"),
        ("Signed by the patient and a parent.", "Signed by the patient or a parent.", "quantity"),
        ("Both doctors must sign the form.", "Either doctor must sign the form.", "quantity"),
        ("Staff have to report accidents.", "Staff can report accidents.", "modality"),
        ("Members need to register first.", "Members may register first.", "modality"),
        ("The ship probably sank in 1702.", "The ship certainly sank in 1702.", "modality"),
        ("The drug causes drowsiness.", "The drug may cause drowsiness.", "modality"),
        (
            "It is open daily, including holidays.",
            "It is open daily, except holidays.",
            "condition",
        ),
        ("Subject to clause 4, it is free.", "Notwithstanding clause 4, it is free.", "condition"),
        ("He won because it rained.", "He won although it rained.", "condition"),
        ("The shop is open until 6 pm.", "The shop is open from 6 pm.", "opposite"),
        ("Pay prior to delivery.", "Pay after delivery.", "opposite"),
        ("The exam is tomorrow.", "The exam is today.", "opposite"),
        ("The size must be >= 5.", "The size must be <= 5.", "opposite"),
        ("The tulips flower in spring.", "The tulips flower in autumn.", "name"),
        ("It costs 90 euros a night.", "It costs 90 euros a week.", "name"),
    ],
)
def test_small_words_that_change_the_meaning_are_told_both_ways(diff, old, new, kind):
    for one, other in ((old, new), (new, old)):
        assert [each.partition(" ")[0] for each in alarms(diff(one, other))] == [kind]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("You may not remove the notice.", "You must not remove the notice."),
        ("The Borrower may not assign it.", "The Borrower shall not assign it."),
        ("Guests shall not smoke here.", "Guests must not smoke here."),
        ("In case the alarm rings, leave.", "If the alarm rings, leave."),
        ("The lessee shall repair any damage.", "Any damage shall be repaired by the lessee."),
        ("The seller must deliver it by May.", "It must be delivered by the seller by May."),
        ("Either party may terminate this lease.", "This lease may be terminated by either party."),
        ("The bank lent money to the town.", "The bank lent the town money."),
        ("Compare the draft with the plan.", "Compare the plan with the draft."),
        ("If it is damaged, return it.", "In the event that it is damaged, return it."),
        ("Costs\n=====\n\nIt is free.", "Prices\n======\n\nIt is free."),
    ],
)
def test_small_words_that_say_the_same_are_no_alarm(diff, old, new):
    assert alarms(diff(old, new)) == alarms(diff(new, old)) == []


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("The host must not sell it.", "prohibition"),
        ("Clients MUST NOT send a body.", "prohibition"),
        ("No guest may enter the room.", "prohibition"),
        ("Do not boil it again.", "prohibition"),
        ("Smoking is not permitted.", "prohibition"),
        ("A client SHOULD send a header.", "obligation"),
        ("Use of a proxy is RECOMMENDED.", "obligation"),
        ("Staff shall log their hours.", "obligation"),
        ("A licence is not required.", "permission"),
        ("The field is OPTIONAL.", "permission"),
        ("Guests may bring dogs.", "permission"),
        ("The firm is not liable.", "denial"),
        ("The notice required by law is short.", None),
        ("If a tenant must leave, rents fall.", None),
        ("Must I go there now?", None),
        ("Don't do this:", None),
        ("The flat is free in May.", None),
    ],
)
def test_what_a_sentence_that_comes_or_goes_does(diff, sentence, kind):
    for old, new, fate in (
        (f"It rains. {sentence}", "It rains.", "deleted"),
        ("It rains.", f"It rains. {sentence}", "inserted"),
    ):
        found = [each.partition(" (")[0] for each in alarms(diff(old, new))]
        assert found == ([f"{kind} {fate}: {sentence}"] if kind else [])


@pytest.mark.parametrize("mark", ["\u2019", ""])
@pytest.mark.parametrize("stem", ["ca", "could", "did", "had", "must", "should", "wo", "would"])
def test_a_negation_without_its_apostrophe_is_told_as_with_it(diff, stem, mark):
    said = {"ca": "can", "wo": "will"}.get(stem, stem)

    def told(word):
        denied = f"They {word} leave the house today."
        changed = diff(f"They {said} leave the house today.", denied)
        deleted = diff(f"The house is open. {denied}", "The house is open.")
        return [[(x.kind, x.change) for x in summarize(each).alarms] for each in (changed, deleted)]

    assert told(f"{stem}n{mark}t") == told(f"{stem}n't")
    assert all(told(f"{stem}nt"))


def test_each_changed_cell_of_a_table_is_one_change_and_its_alarm_names_the_row(diff):
    head = "| Room | Price | Beds | Host |\n| --- | --- | --- | --- |\n"
    found = diff(
        f"{head}| Red | 50 | 3 | |\n| Blue | 40 | 2 | Dr John Miller of Bath |\n",
        f"{head}| Red | $55 | 3 | new |\n| Blue | 2 | 40 | Ms Jane Miller of York |\n",
    )
    changed = [
        [found.old_text(each).strip(), found.new_text(each).strip()]
        for each in found.segments()
        if each.change not in (None, "space")
    ]
    assert changed == [
        ["50", "$55"], ["", "new"], ["40", "2"], ["2", "40"],
        ["Dr John Miller of Bath", "Ms Jane Miller of York"],
    ]  # fmt: skip
    assert "number 40, 2 → 2, 40 (line 4→4, row Blue)" in alarms(found)
    (place, *_) = summarize(found).to_dict()["alarms"][0]["places"]
    assert place["row"] == "Blue"


def test_the_values_of_a_row_are_one_alarm(diff):
    head = "| Room | Summer | Winter |\n| --- | --- | --- |\n"
    found = diff(
        f"{head}| Red | 40.50 | 30.20 |\n| Blue | 40 EUR | 30 EUR |\n| Old | 1 | 2 |\n",
        f"{head}| Red | 45.50 | 35.20 |\n| Blue | 45 EUR | 30 EUR |\n| Old | 1 | 3 |\n",
    )
    assert alarms(found) == [
        "money 40 EUR → 45 EUR (line 4→4, row Blue)",
        "number 40.50, 30.20 → 45.50, 35.20 (line 3→3, row Red)",
        "number 2 → 3 (line 5→5, row Old)",
    ]
    assert len(summarize(found).alarms[1].places) == 2


def test_equal_changes_are_one_alarm_with_the_lines_of_both_files(diff):
    found = diff("It costs 40 USD.\n\nPay 40 USD.", "New.\n\nIt costs 45 USD.\n\nPay 45 USD.")
    assert alarms(found) == ["money 40 USD → 45 USD (line 1→3, 2 times)"]
    (alarm,) = summarize(found).alarms
    assert [(each.old_line, each.new_line) for each in alarm.places] == [(1, 3), (3, 5)]


@pytest.mark.parametrize(
    "label",
    [
        "## {}. ", "{}.1 ", "Section {} ", "Section 4.{} ", "Article {}. ", "\u00a7 {} ", "({}) ",
        "{}) ", "Clause {}: ", "Step {}: ", "- {}. ", "# {} ", "**{}.** ",
    ],
)  # fmt: skip
def test_what_is_numbered_anew_is_one_line_and_its_references_are_no_alarms(diff, label):
    old = f"{label.format(3)}Fees are paid in May.\n\nAs section 3 says, pay in time."
    new = f"{label.format(4)}Fees are paid in May.\n\nAs section 4 says, pay in time."
    summary = summarize(diff(old, new))
    assert [each.old_line for each in summary.renumbered] == [1]
    is_whole = summary.renumbered[0][:2] == ("3", "4")
    assert len(summary.alarms) == (not is_whole)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Costs and fees\n\nAll is low.", "# Sums\n\nThe costs and fees are due.\n\nAll is low."),
        ("| costs | fees |\n\nIt rains.", "The costs and the fees.\n\nIt rains."),
        ("```\ncosts = fees\n```\n\nIt rains.", "The costs are fees.\n\nIt rains."),
        ("See::\n\n    costs = fees\n\nIt rains.", "See::\n\nThe costs are fees.\n\nIt rains."),
        ("Costs and fees\n==============\n\nIt rains.", "The costs and fees.\n\nIt rains."),
    ],
)
def test_forms_of_blocks_pair_with_their_like_alone(diff, old, new):
    kinds = {each.kind for each in diff(old, new).blocks}
    assert BlockKind.DELETED in kinds
    assert BlockKind.INSERTED in kinds
    assert not {BlockKind.CHANGED, BlockKind.SPLIT, BlockKind.MERGED} & kinds


@pytest.mark.parametrize(
    ("new", "is_whole"),
    [
        ("A head is chosen by all who pay fees in spring.", True),
        ("Our club of nine members chooses the head in May.", False),
    ],
)
def test_a_sentence_of_which_little_stays_is_replaced_as_a_whole(new, is_whole):
    old = "Our committee of nine members elects the chair in spring."
    found = diff_of(texts_of(old, new, [((0,), (0,), False)]))
    assert (
        any((e.old, e.new) == ((0, len(old)), (0, len(new))) for e in found.segments()) is is_whole
    )


def test_neighbours_that_move_together_are_one_move(diff):
    moved = ["The mill was built in 1894.", "It has a garden.", "Ducks swim on its pond."]
    rest = [f"Old house number {k} stands on the hill of {name}." for k, name in enumerate("ABCDE")]
    found = diff(" ".join(moved + rest), " ".join(rest + moved))
    assert {each.move for each in found.blocks} == {None, 1}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Bring a pen, a ruler and some paper.", "Bring:\n\n- a pen\n- a ruler\n- some paper"),
        (
            "The kit has four parts: a saw, a hammer, a box of nails and a level.",
            "The kit has four parts:\n\n* a saw\n* a hammer\n* a box of nails\n* a level",
        ),
        (
            "The tenant shall pay the rent on time, keep the flat clean and repair the roof.",
            "The tenant shall:\n(a) pay the rent on time;\n(b) keep the flat clean; and\n"
            "(c) repair the roof.",
        ),
    ],
)
def test_a_sentence_that_became_a_list_is_one_block(diff, old, new):
    assert [each.kind for each in diff(old, new).blocks] == [BlockKind.SPLIT]
    assert [each.kind for each in diff(new, old).blocks] == [BlockKind.MERGED]
    assert summarize(diff(old, new)).alarms == ()


@pytest.mark.parametrize(
    ("old", "new", "inserted"),
    [
        ("Signed 3 May 2021", "Signed 3 May 2021 Checked 3 May 2021", " Checked 3 May 2021"),
        ("Signed 3 May 2021.", "Signed 3 May 2021. Checked 3 May 2021.", " Checked 3 May 2021."),
        ("Due in May\nBob", "Due in May\nPaid in May\nBob", "\nPaid in May"),
        ("He came, he saw, he won.", "He came, he saw, he ate, he won.", ", he ate"),
        ("It has 3 rooms and 2 baths.", "It has 3 rooms and 2 halls and 2 baths.", "and 2 halls "),
        ("See page 4, page 6 and 8.", "See page 4, page 5, page 6 and 8.", ", page 5"),
        ("Ann (chair), Bob (clerk)", "Ann (chair), Eve (chair), Bob (clerk)", ", Eve (chair)"),
        ("Call 555 0101", "Call 555 0101 or 555 0102", " or 555 0102"),
        ("Open the door. Close the door.", "Open the door. Lock the door. Close the door.",
         "Lock the door. "),
        ("Pay the fee and sign it.", "Pay the fee, pay the fine and sign it.", ", pay the fine"),
    ],
)  # fmt: skip
def test_insertions_and_deletions_lie_on_boundaries(diff, old, new, inserted):
    def changed(before: str, after: str) -> list[tuple[str, str]]:
        found = diff(before, after)
        return [(found.old_text(e), found.new_text(e)) for e in found.segments() if e.change]

    assert "".join(there for _, there in changed(old, new)) == inserted
    assert "".join(gone for gone, _ in changed(new, old)) == inserted


def test_marks_beside_a_line_break_that_moved_are_kept(diff):
    found = diff("Go to the `site`_ and see it all.", "Then go to the\n`site`_\nand see it all.")
    assert "markup" not in summarize(found).changes


def test_mark_up_does_not_make_a_sentence_rewritten(diff):
    old = "# queue [![build](https://example.org/b.svg)](https://example.org/b) for all of us"
    found = diff(old, old.replace("/b", "/c/d/e/f/g/h/i/j/k/l/m/n/o/p"))
    assert set(summarize(found).changes) == {"markup"}


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("He is safe there.", "He isn't safe there.", ["is safe → isn't safe"]),
        ("It can't rain.", "It can rain.", ["can't → can"]),
        ("It cannot fail.", "It can fail.", ["cannot fail → can fail"]),
        (
            "Runs on Python 3.8, 3.9 and 3.10.",
            "Runs on Python 3.9, 3.10 and 3.11.",
            ["3.8 → 3.11"],
        ),
        ("Only members vote.", "Members vote.", ["Only members → Members"]),
        (
            "The fee is $40 and 5 EUR.",
            "The fee is $45 and 6 EUR.",
            ["$40, 5 EUR → $45, 6 EUR"],
        ),
        ("They pay 4.5% a year.", "They pay 5.4% a year.", ["4.5% → 5.4%"]),
        ("It takes 3-5 days.", "It takes 3-7 days.", ["3-5 days → 3-7 days"]),
        (
            "The buyer pays the seller.",
            "The seller pays the buyer.",
            ["The buyer pays the seller. → The seller pays the buyer."],
        ),
        (
            "Ann pays Bob. Carl pays Dora.",
            "Bob pays Ann. Dora pays Carl.",
            ["Ann pays Bob. → Bob pays Ann.", "Carl pays Dora. → Dora pays Carl."],
        ),
    ],
)
def test_alarms_show_words_as_they_stand_and_values_whole(diff, old, new, shown):
    alarms = summarize(diff(old, new)).alarms
    assert [str(each) for each in alarms] == shown
    assert {each.where for each in alarms} == {"line 1→1"}


def test_what_stood_below_the_last_line_is_told_at_that_line(diff):
    found = diff("It rains.\n\nThe host must keep bees.\n", "It rains.\n")
    (line,) = github_lines(found, ("a", "b"))
    assert line.startswith("::warning file=b,line=1,title=obligation::deleted: The host")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "The tenant pays the rent each month.",
            "The tenant pays the rent each month but must not sublet the room.",
            "prohibition",
        ),
        (
            "Guests may use the garden.",
            "Guests may use the garden, and they shall water it in summer.",
            "obligation",
        ),
        (
            "The lease ends in May, and it may not be renewed.",
            "The lease ends in May.",
            "prohibition",
        ),
    ],
)
def test_a_clause_that_obliges_or_forbids_is_told(diff, old, new, told):
    assert [each.kind for each in summarize(diff(old, new)).alarms] == [told]


def test_words_that_conflict_in_a_sentence_that_was_mostly_rewritten_come_last(diff):
    old = "If set to false then add events are also emitted for paths while the folder is read."
    new = "When true, add events are not emitted for paths found before the folder is ready."
    assert all(each.is_minor for each in summarize(diff(old, new)).alarms)
    (alarm,) = summarize(diff(old, old.replace("also", "not"))).alarms
    assert not alarm.is_minor
    old = "A guest can bring dogs and cats to the hall or the park on Sundays in May, at no cost."
    new = "A guest cannot bring dogs or birds to this house and its garden on Mondays, at no cost."
    assert "negation" in [each.kind for each in summarize(diff(old, new)).alarms]


def test_what_is_no_longer_denied_matters_in_rules_alone(diff):
    denial = "The mill does not support steam."
    plain = "The mill is old. " * 8
    (alarm,) = summarize(diff(f"{plain}{denial}", plain)).alarms
    assert alarm.is_minor
    rules = "The host must grind. " * 8
    assert [str(each.kind) for each in summarize(diff(f"{rules}{denial}", rules)).alarms] == [
        "denial"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "It runs with\u2010\n   out it, and he al\u2010\nlowed it.",
            "It runs without it, and he allowed it.",
        ),
        ("The old mill ran.  It runs now.", "The old mill ran.  It\nruns now."),
        ("It al\u2010\n  lowed it.", "It\nal\u2010\nlowed it."),
    ],
)
def test_what_was_wrapped_within_words_is_the_same(diff, old, new):
    assert [block.kind for block in diff(old, new).blocks if block.kind is not BlockKind.SAME] == []


def test_a_word_that_changed_where_a_line_ends_is_marked(diff):
    found = diff("It runs with\u2010\n   out it.", "It runs with\u2010\n   in it.")
    assert [block.kind for block in found.blocks] == [BlockKind.CHANGED]
