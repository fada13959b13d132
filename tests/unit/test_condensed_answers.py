"""Short answers beside long sentences: one changed word is told, a right answer is quiet."""

from __future__ import annotations

import pytest
from tokalign.aligner import Aligner

GRANTS = (
    "This License does not grant any rights in the trademarks, service marks, or logos of any "
    "Contributor (except as may be necessary to comply with the notices in Section 3.4)."
)
INFORM = (
    "You must inform recipients that the Source Code Form of the Covered Software is governed by "
    "the terms of this License, and how they can obtain a copy of this License."
)
PROCESSES = (
    "These auto-launched processes will inherit whatever environment they started from, and they "
    "will not terminate automatically."
)
PRICE = (
    "You may charge any price or no price for each copy that you convey, and you may offer support "
    "or warranty protection for a fee."
)
RETRIED = (
    'The default is to retry 20 times, with the exception of fatal errors like "connection '
    'refused" or "not found" (404), which are not retried.'
)
EMPTY = (
    "The passphrase may be empty to indicate no passphrase (host keys must have an empty "
    "passphrase), or it may be a string of arbitrary length."
)
CASES = [
    (GRANTS, "The license doesn't grant any rights in trademarks.",
     "The license grants rights in trademarks.", "negation"),
    (PROCESSES, "Auto-launched processes will not terminate automatically.",
     "Auto-launched processes will terminate automatically.", "negation"),
    (INFORM, "You must inform recipients how they can obtain a copy of this license.",
     "You should inform recipients how they can obtain a copy of this license.", "modality"),
    (PRICE, "You may charge any price for each copy that you convey.",
     "You must charge a price for each copy that you convey.", "modality"),
    (EMPTY, "Host keys must have an empty passphrase.",
     "Host keys may have an empty passphrase.", "modality"),
]  # fmt: skip


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner.load("en")


def kinds(aligner, answer, passage):
    found = aligner.ground(answer, [passage]).sentences
    return {str(each.kind) for sentence in found for each in sentence.conflicts}


@pytest.mark.parametrize(("passage", "right", "wrong", "kind"), CASES)
def test_a_changed_word_is_told_beside_a_long_sentence(aligner, passage, right, wrong, kind):
    assert kinds(aligner, right, passage) == set()
    assert kind in kinds(aligner, wrong, passage)


@pytest.mark.parametrize(
    "written",
    [
        "{}.", "{}", "**{}.**", "- {}.", "1. {}.", "> {}.", "| {}. |", "<b>{}.</b>", "{}. [1]",
        "*{}.*",
    ],
)  # fmt: skip
def test_it_is_told_however_the_answer_is_written(aligner, written):
    wrong = written.format("the license grants rights in trademarks")
    right = written.format("the license grants no rights in trademarks")
    assert "negation" in kinds(aligner, wrong, GRANTS)
    assert kinds(aligner, right, GRANTS) == set()


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        (RETRIED, 'Fatal errors such as "connection refused" are not retried.'),
        (
            "The work must carry prominent notices stating that you modified it, and a date.",
            "The modified work must carry prominent notices.",
        ),
        ("The service may or may not start.", "The service may start."),
        (
            "If you use -c on a file, and the server does not support it, Wget will restart.",
            "Wget restarts if the server doesn't support it.",
        ),
    ],
)
def test_what_another_word_denies_is_no_conflict(aligner, passage, answer):
    assert kinds(aligner, answer, passage) == set()


def test_a_passage_that_says_it_elsewhere_contradicts_nothing(aligner):
    passage = (
        "Sublicensing is not allowed; section 10 makes it unnecessary. For purposes of this "
        "definition, control includes the right to grant patent sublicenses."
    )
    assert kinds(aligner, "Sublicensing is not allowed.", passage) == set()
    assert kinds(aligner, "Sublicensing is allowed.", passage) == {"negation"}


IDIOMS = [
    ("The files are on the server.", "The files are on the server provided by the host."),
    ("The files are on the server.", "The files are on the server which was provided in May."),
    ("The notice is in the papers.", "The notice is in the papers provided with the tool."),
    ("The firm has 40 staff.", "The firm, a company providing rail services, has 40 staff."),
    ("She ate beans for lunch.", "She ate a can of beans for lunch."),
    ("He left the house to Ann.", "He left the house to Ann in his will."),
    ("The soup is good.", "The soup is good after all."),
    ("The car is safe and cheap.", "The car is, above all, safe and cheap."),
    ("The errors are listed below.", "The errors, if any, are listed below."),
    ("The train is on time.", "The train is on time without fail."),
    ("The rule applies to everyone.", "The rule applies to everyone without exception."),
    ("Only water is allowed.", "Nothing but water is allowed."),
    ("Only Ann knew.", "Nobody but Ann knew."),
    ("The plan was brilliant.", "The plan was nothing short of brilliant."),
    ("He is as able as Tom.", "He is no less able than Tom."),
    ("Sold goods are kept.", "Goods once sold are kept."),
    ("If you lose your card, call us.", "Should you lose your card, call us."),
    ("You may sell copies if you keep the notice.",
     "You may sell copies provided that you keep the notice."),
    ("The data came from Ann.", "Ann provided the data."),
    ("Farms are exempt from the law.", "The law does not apply to farms."),
    ("Mr Smith signed the deed.", "John Smith signed the deed."),
    ("get('last_name') is called.", 'get("last_name") is called.'),
    ("Robert Miller was hired.", "Bob Miller was hired."),
    ("He was born in Munich.", "He was born in München."),
]  # fmt: skip


@pytest.mark.parametrize(("plain", "idiom"), IDIOMS)
def test_idioms_and_other_names_say_nothing_unlike(aligner, plain, idiom):
    assert not aligner.align(plain, idiom).conflicts
    assert not aligner.align(idiom, plain).conflicts


@pytest.mark.parametrize(
    ("plain", "changed", "kind"),
    [
        ("You may sell copies.", "You may sell copies provided that you keep the notice.",
         "condition"),
        ("You may sell copies.", "Provided you keep the notice, you may sell copies.", "condition"),
        ("The errors are listed below.", "If they matter, the errors are listed below.",
         "condition"),
        ("Water is allowed.", "Nothing but water is allowed.", "quantity"),
        ("He can swim.", "He must swim.", "modality"),
        ("All of the members voted.", "Some of the members voted.", "quantity"),
    ],
)  # fmt: skip
def test_words_of_idioms_count_elsewhere(aligner, plain, changed, kind):
    assert kind in {str(each.kind) for each in aligner.align(plain, changed).conflicts}


DENIALS = [
    ("It is forbidden to feed the birds.", "Do not feed the birds."),
    ("Smoking is prohibited in the hall.", "Do not smoke in the hall."),
    ("Never mix the two liquids.", "It is forbidden to mix the two liquids."),
    ("Parking here is against the rules.", "Do not park here."),
    ("He denied having taken the money.", "He said he had not taken the money."),
    ("She denied that she knew him.", "She said that she did not know him."),
    ("The shop stopped selling bread.", "The shop no longer sells bread."),
    ("The bank declined to comment.", "The bank did not comment."),
    ("It is impossible to open the file.", "The file cannot be opened."),
    ("The bill lacks a date.", "The bill has no date."),
    ("The seat is unavailable.", "The seat is not available."),
    ("The office is open except on Sundays.", "The office is not open on Sundays."),
]


@pytest.mark.parametrize(("one", "other"), DENIALS)
def test_a_word_that_denies_by_its_meaning_stands_for_a_negation(aligner, one, other):
    assert not aligner.align(one, other).conflicts
    assert not aligner.align(other, one).conflicts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is forbidden to feed the birds.", "You may feed the birds."),
        ("He denied that he paid.", "He denied that he did not pay."),
        ("The shop stopped selling bread.", "The shop did not stop selling bread."),
        ("The seat is unavailable.", "The seat is available."),
        ("Do not feed the birds.", "Feed the birds."),
        ("The bill lacks a date.", "The bill has a date."),
    ],
)
def test_a_word_that_denies_is_told_beside_one_that_does_not(aligner, one, other):
    assert aligner.align(one, other).conflicts
    assert aligner.align(other, one).conflicts
