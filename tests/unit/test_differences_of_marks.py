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


@pytest.mark.parametrize(
    "label", ["{}. ", "({}) ", "## {}. ", "Step {}: ", "**{}.** ", "{}) ", "Section {}. ", "> {}. "]
)
def test_what_is_numbered_anew_raises_no_alarm(diff, label):
    lines = ["Wash the rice", "Boil the water", "Serve it hot"]
    old, new = (
        "\n\n".join(label.format(k + 1) + line for k, line in enumerate(some))
        for some in ([lines[0], lines[2]], lines)
    )
    summary = summarize(diff(old, new))
    assert summary.alarms == ()
    assert (summary.n_deleted, summary.n_inserted) == (0, 3)


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
