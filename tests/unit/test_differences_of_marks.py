"""Differences of marks: mark-up, citation marks, labels and signs that nobody sees are no words."""

from __future__ import annotations

import pytest
from tokalign.texts.diff import MARKUP, SPACE, diff_of
from tokalign.texts.diff.summary import summarize
from tokalign.texts.diff.text_diff import TextDiff

PLAIN = "The old mill was built in 1894. It has 40 rooms and a garden."
MARKED = {
    "emphasis": PLAIN.replace("1894", "**1894**").replace("garden", "_garden_"),
    "code": PLAIN.replace("40", "`40`"),
    "references": PLAIN.replace(".", ".[4]"),
    "superscripts": PLAIN.replace("1894.", "1894.\u00b2"),
    "item": "- " + PLAIN,
    "number": "3. " + PLAIN,
    "heading": "## " + PLAIN,
    "step": "Step 2: " + PLAIN,
    "quotation": "> " + PLAIN,
    "tags": PLAIN.replace("garden", "<em>garden</em>"),
    "link": PLAIN.replace("mill", "[mill](https://example.org/12)"),
    "byte-order-mark": "\ufeff" + PLAIN,
    "rule": PLAIN + "\n\n---\n",
}


@pytest.fixture(scope="module")
def diff(aligner):
    def found(old: str, new: str) -> TextDiff:
        result = diff_of(aligner.align_texts(old, new, edits=True))
        result.check()
        assert result.rebuild_new(old) == new
        assert result.rebuild_old(new) == old
        return result

    return found


def marked(found: TextDiff) -> str:
    """Return the new text with its marks, and those that are gone."""
    pieces = ((found.old_text(each), found.new_text(each)) for each in found.segments())
    return "".join(
        new if old == new else f"[-{old}-]" * bool(old) + f"{{+{new}+}}" * bool(new)
        for old, new in pieces
    )


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "gone"])
@pytest.mark.parametrize("marked", MARKED.values(), ids=MARKED)
def test_marks_change_the_form_alone(diff, marked, is_new):
    found = diff(PLAIN, marked) if is_new else diff(marked, PLAIN)
    summary = summarize(found)
    assert MARKUP in summary.changes
    assert set(summary.changes) <= {MARKUP, SPACE}
    assert (summary.n_deleted, summary.n_inserted, summary.n_moved) == (0, 0, 0)
    assert summary.alarms == ()
    assert TextDiff.from_dict(found.to_dict()) == found


LABELS = (
    "{}. ", "({}) ", "## {}. ", "Step {}: ", "**{}.** ", "{}) ", "Section {}. ", "> {}. ",
    "## {} ", "## 2.{} ", "2.{} ", "1.2.{}. ", "\u00a7 {} ", "\u00a7 {}. ", "**\u00a7 {}** ",
    "Article {} - ", "Item {}. ", "Paragraph {}. ", "Q{}. ", "Q{}: ", "{} - ", "{}: ", "[{}] ",
    "[^{}]: ", "<h2>{}. ", "<h2>{} ", "<p>({}) ", "{}a. ", "({a}) ", "{a}. ", "{A}. ",
    "## {A}. ", "Annex {A}. ", "{i}. ", "({i}) ", "{I}. ", "Section {I}. ", "Chapter {}\n\n",
    "REQ-{}: ", "**REQ-{}:** ", "**REQ-{}** ", "- REQ-{}: ", "## REQ-{}: ", "[REQ-{}] ",
    "(REQ-{}) ", "REQ_{}: ", "REQ-{} - ", "> REQ-{}: ", "REQ-00{}: ", "FR-1.{}: ", "No. {}. ",
    "No. {}: ", "**No. {}.** ", "- No. {}. ", "## No. {}. ", "No. {} - ", "No {}. ", "Nr. {}. ",
)  # fmt: skip


@pytest.mark.parametrize("label", LABELS)
def test_what_is_numbered_anew_raises_no_alarm(diff, label):
    lines = ["Wash the rice", "Boil the water", "Serve it hot", "Bring forks"]
    numbers = [{"a": "abcd"[k], "A": "ABCD"[k], "i": ("i", "ii", "iii", "iv")[k]} for k in range(4)]
    old, new = (
        "\n\n".join(
            label.format(k + 1, **numbers[k], I=numbers[k]["i"].upper()) + line
            for k, line in enumerate(some)
        )
        for some in ([lines[0], *lines[2:]], lines)
    )
    for sides in ((old, new), (new, old)):
        found = diff(*sides)
        summary = summarize(found)
        assert summary.alarms == ()
        assert summary.n_moved == 0
        assert len(summary.renumbered) == (1 if "Chapter" in label else 2)
        kinds = [str(each.kind) for each in found.blocks if each.kind != "same"]
        come = ["inserted" if sides[0] == old else "deleted"] * (1 + ("Chapter" in label))
        assert sorted(kinds) == sorted(["changed"] * len(summary.renumbered) + come)


def test_rows_that_are_numbered_anew_raise_no_alarm_but_a_value_does(diff):
    rows = "| No. | What |\n|---|---|\n| 1 | Wash rice |\n| 2 | {}Serve it hot |\n"
    summary = summarize(diff(rows.format(""), rows.format("Boil water |\n| 3 | ")))
    assert summary.alarms == ()
    assert [each[:2] for each in summary.renumbered] == [("2", "3")]
    ports = "| Port | What |\n|---|---|\n| {} | Web |\n| 25 | Mail |\n"
    assert len(summarize(diff(ports.format(80), ports.format(443))).alarms) == 1


@pytest.mark.parametrize("label", ["## {} ", "2.{} ", "{}. ", "Section {}: "])
def test_short_headings_pair_by_their_words_not_by_their_numbers(diff, label):
    titles = ["Fees", "Terms", "Rooms"]
    old, new = (
        "\n\n".join(label.format(k) + title for k, title in enumerate(some, 1))
        for some in (titles, ["Pets", *titles])
    )
    summary = summarize(diff(old, new))
    assert [each[:2] for each in summary.renumbered] == [
        (label.format(k).split()[-1].strip(":."), label.format(k + 1).split()[-1].strip(":."))
        for k in (1, 2, 3)
    ]
    assert {str(kind): n for kind, n in summary.blocks.items()} == {"changed": 3, "inserted": 1}


def test_an_underlined_heading_that_is_numbered_anew_raises_no_alarm(diff):
    text = "{} Rules\n=======\n\nMembers pay.\n\n{} Fees\n------\n\nThe fee is 5 EUR.\n"
    summary = summarize(diff(text.format(3, 4), text.format(4, 5)))
    assert summary.alarms == ()
    assert [(each.old, each.new) for each in summary.renumbered] == [("3", "4"), ("4", "5")]


def test_a_number_that_is_no_label_still_raises_an_alarm(diff):
    summary = summarize(diff("1. It has 40 rooms.", "2. It has 45 rooms."))
    assert [(each.old, each.new) for each in summary.alarms] == [("40", "45")]


def test_rules_and_other_marks_do_not_move(diff):
    found = diff("One is here.\n\n***\n\nTwo is there.", "***\n\nOne is here.\n\nTwo is there.")
    assert all(each.move is None for each in found.blocks)


def test_white_space_beside_a_mark_is_kept(diff):
    assert marked(diff("It was **1.5** miles.", "It was 1.5 miles.")) == (
        "It was [-**-]1.5[-**-] miles."
    )


def test_marks_that_both_texts_have_are_kept(diff):
    assert marked(diff("# The scope\n", "# **The scope**\n")) == "# {+**+}The scope{+**+}\n"
    assert marked(diff("2. It rains.", "2. [x] It rains.")) == "2. {+[x] +}It rains."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            ":On: $Date: 2021-03-26 14:51:36 +0100 (Fr, 26 Mar 2021) $\n:Rev: $Revision: 8644 $",
            ":On: $Date: 2022-04-02 23:59:06 +0200 (Sa, 02 Apr 2022) $\n:Rev: $Revision: 9051 $",
        ),
        (
            "The log of the mill is at https://example.org/1.x/mill_log.html today.",
            "The log of the mill is at https://example.net/2.x/all_logs.html today.",
        ),
        (
            "It is this.\n\n.. _the log: http://example.org/p_1/\n",
            "It is this.\n\n.. _the log: https://example.org/p_2/\n",
        ),
        (
            ".. literalinclude:: mill.py\n   :lines: 45-60\n   :emphasize-lines: 5-7\n",
            ".. literalinclude:: mill.py\n   :lines: 44-59\n   :emphasize-lines: 5-8\n",
        ),
        (
            "A handler can raise :class:`NoUri` to stop all others.",
            "A handler can raise :class:`~mill.errors.NoUri` to stop all others.",
        ),
        (
            "Derive it from ``web.Request`` or ``User`` itself.",
            "Derive it from ``web.request.Request`` or ``models.User`` itself.",
        ),
        ("We use rest2web_, a tool for mills.", "We use rest2web, a tool for mills."),
        (
            "Run the tests:\n\n```\n$ make test\n2 passed in 0.57 seconds\n```\n",
            "Run the tests:\n\n```\n$ make test\n5 passed in 0.77 seconds\n```\n",
        ),
        (
            "You see this::\n\n    tool-3.6.2, plug-0.6\n\n    ==== 2 passed in 0.57 s ====\n",
            "You see this::\n\n    tool-6.2.1, plug-0.9\n\n    ==== 5 passed in 0.77 s ====\n",
        ),
        (
            "MILL(1p)      Mills     MILL(1p)\n\nIt mills.\n\nv5.36    2025-08-29    MILL(1p)",
            "MILL(1pm)     Mills    MILL(1pm)\n\nIt mills.\n\nv5.36    2023-02-05    MILL(1pm)",
        ),
        (
            "See :ref:`the mills <mill_list>` and :ref:`more_mills` today.",
            "See :ref:`the mills <all_mills>` and :ref:`many_mills` today.",
        ),
        (
            "It mills.\n\n.. image:: https://example.org/mill-1.2.svg\n",
            "It mills.\n\n.. image:: https://example.org/mill-3.4.svg\n",
        ),
        (
            "It mills.\n\n.. _mill_of_old:\n\nIt is old.",
            "It mills.\n\n.. _mill_of_all:\n\nIt is old.",
        ),
        (
            "It is by :rfc:`the norm <7232#section-2.3>` of all mills.",
            "It is by :rfc:`the norm <9110#section-8.8.3>` of all mills.",
        ),
        (
            ".. versionchanged:: 3.2\n   The mill is old.",
            "..  versionchanged:: 4.1\n   The mill is old.",
        ),
        ("The mill gives ``u'biz_1'`` back.", "The mill gives ``'biz_1'`` back."),
        (
            "- Mill 4.9, of 2022-07-01\n\n- Mill 4.8, of 2021-03-01\n\n- Mill 4.7, of 2020-02-02",
            "- Mill 5.1, of 2024-01-05\n\n- Mill 5.0, of 2023-12-04\n\n- Mill 4.9, of 2022-07-01",
        ),
        ("(checksum: 0ac91b0781d7146b87953f09)", "(checksum: 0bdd83f647ee76363c955bed)"),
        ("Copyright (c) 2007-2022 by the mill.", "Copyright (c) 2007-2023 by the mill."),
        ("2009-2018 (c) Ann Lee of the mill", "2009-2024 (c) Ann Lee of the mill"),
        ("Two releases, e.g.\n1.5.x, 1.6.x, come.", "Two releases, e.g.\n3.2.x, 4.0.x, come."),
        ("The class is new (see lines 7-11).", "The class is new (see lines 8-34)."),
        ("These days, prefer to use a mill.", "These days, it is preferred to use a mill."),
        (
            "Try this::\n\n    >>> mill.wheels()\n    <Mill id=8031>\n",
            "Try this::\n\n    >>> mill.wheels()\n    <Mill id=2983>\n",
        ),
        (
            "<title>The mill 0.6.8 of all mills</title>\n<p>It was built with Mason 1.8.2.</p>",
            "<title>The mill 1.3.3 of all mills</title>\n<p>It was built with Mason 7.3.7.</p>",
        ),
        ("It mills.\n\nLast updated 2019-12-05.", "It mills.\n\nLast updated 2024-06-25."),
        (
            "- The mill of wood is turned by 3 wheels when a guest has asked for it (#3656).",
            "- The gate of wood is shut by no more than one host when rain has come in (#5745).",
        ),
        ("Each mill generally turns when it rains.", "Each mill turns when it rains."),
        ("They can turn the wheel of the mill.", "They turn the wheel of the mill."),
        (
            "Do this::\n\n    mill.start(wheel_a)\n    mill.stop()\n",
            "Do this::\n\n    mill.start(wheel_b)\n    mill.stop()\n",
        ),
        ("It is at ``http://example.org/a`` now.", "It is at ``https://example.org/b`` now."),
        ("See |mill_name| for all of its wheels.", "See Mill for all of its wheels."),
    ],
    ids=[
        "stamps", "address", "target", "option", "role", "names", "reference", "command", "session",
        "running-head", "pointing", "image", "label", "norm", "news", "prefix", "rows",
        "hash", "years", "years-before", "example",
        "lines", "impersonal", "shell", "title", "updated", "other", "adverb", "can", "call",
        "literal-address", "variable",
    ],
)  # fmt: skip
def test_what_says_nothing_of_the_matter_is_not_among_the_first_alarms(diff, old, new):
    assert [str(each) for each in summarize(diff(old, new)).alarms if not each.is_minor] == []


@pytest.mark.parametrize(
    ("old", "new", "alarm"),
    [
        (
            "It costs $5 in May; the date is open.",
            "It costs $8 in May; the date is open.",
            "$5 → $8",
        ),
        (
            "Run this:\n\n```\n$ pip install mill==1.2\n```\n",
            "Run this:\n\n```\n$ pip install mill==2.4\n```\n",
            "mill==1.2 → mill==2.4",
        ),
        ("Set this::\n\n    timeout = 30\n", "Set this::\n\n    timeout = 60\n", "30 → 60"),
        (
            "Send it to a.miller@example.org on Monday.",
            "Send it to b.moore@example.org on Monday.",
            "a.miller@example.org → b.moore@example.org",
        ),
        (
            "The ``request.user`` is ``None`` for guests.",
            "The ``request.identity`` is ``None`` for guests.",
            "request.user → request.identity",
        ),
        (
            "Merge all changes to `master` at night.",
            "Merge all changes to `main` at night.",
            "master → main",
        ),
        ("The log is cut after 80 lines.", "The log is cut after 90 lines.", "80 → 90"),
        (
            "Mills\n~~~~~\n\nGuests must pay for the mill at once.\n\nMore\n~~~~\n\nIt mills.",
            "Mills\n~~~~~\n\nGuests should pay for the mill at once.\n\nMore\n~~~~\n\nIt mills.",
            "must → should",
        ),
    ],
    ids=["money", "typed", "setting", "mail", "dotted", "literal", "lines", "tildes"],
)
def test_what_is_beside_it_still_raises_one(diff, old, new, alarm):
    assert [str(each) for each in summarize(diff(old, new)).alarms] == [alarm]
