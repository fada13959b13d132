"""Differences that read well: what real revisions showed wrongly, each in several ways."""

from __future__ import annotations

import pytest
from tokalign.texts.diff import BlockKind, TextDiff, diff_of, summarize
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
