"""Stamps of pages and mended faults raise no alarm, and a name given in full raises one."""

from __future__ import annotations

import pytest
import tokalign
from tokalign.texts.diff import summarize

RELEASES = "# 2.0.1\n\n- Fine.\n\n# 2.0.0\n\n- Good.\n\n# 1.9.0\n\n- New.\n"


def _alarms(old, new):
    return [str(each) for each in summarize(tokalign.diff(old, new)).alarms]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("See :class:`.Pool` for all.", "See :class:`_pool.Pool` for all."),
        ("&copy;2018 Ann Lee.", "&copy;2024 Ann Lee."),
        ('Powered by <a href="x">Mill 1.4.9</a>.', 'Powered by <a href="x">Mill 7.1.2</a>.'),
        (RELEASES, RELEASES + "- The reader no longer loses lines.\n"),
    ],
)
def test_what_nobody_answers_for_raises_none(old, new):
    assert _alarms(old, new) == []


def test_what_a_release_no_longer_supports_is_told():
    assert _alarms(RELEASES, RELEASES + "- Python 3.6 is no longer supported.\n")


def test_a_name_that_became_another_in_many_places_is_one_alarm():
    old = "The Storwize driver is fast. Ask the people of IBM Storwize first."
    new = "The Spectrum driver is fast. Ask the people of IBM Spectrum first."
    assert len(_alarms(old, new)) == 1
