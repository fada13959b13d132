"""Differences of two texts: a stable form, and its renderings.

Examples
--------
>>> diff = same_texts("It rains.", [(0, 9)])
>>> diff.is_same, len(diff.blocks)
(True, 1)
"""

from tokalign.texts.diff.alarms import Alarm, AlarmPlace, Renumbered
from tokalign.texts.diff.build_diff import diff_of, same_texts
from tokalign.texts.diff.summary import Summary, summarize
from tokalign.texts.diff.text_diff import MARKUP, SPACE, BlockKind, DiffBlock, DiffSegment, TextDiff

__all__ = [
    "MARKUP",
    "SPACE",
    "Alarm",
    "AlarmPlace",
    "BlockKind",
    "DiffBlock",
    "DiffSegment",
    "Renumbered",
    "Summary",
    "TextDiff",
    "diff_of",
    "same_texts",
    "summarize",
]
