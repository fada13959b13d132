"""Ranks of alarms: which changes of meaning few readers wait for.

First come those of what somebody must do, pay, wait for or expect, where most around them stayed.
"""

import re
from collections.abc import Iterable, Iterator

from tokalign.texts.block_forms import BlockForm, TextRange
from tokalign.texts.diff.duties import DUTIES, is_of_rules, is_urgent, releases_of
from tokalign.texts.diff.text_diff import MARKUP, SPACE, BlockKind, DiffBlock, DiffSegment, TextDiff
from tokalign.types.edits import EditKind
from tokalign.types.patterns import regex

_PROSE = regex(r"(?<!\S)[A-Za-z]?[a-z]+(?![^\s.,;!?)])")
_FEW_OF_TEXT, _KEPT = 40, 2  # words, and one of how many must stay
_FEW = {"code": 5, "date": 7, "name": 5, "number": 3}
"""Least words around what changed, by its kind, unless it is data."""
_MOST_OTHERS = 3
"""Most changes of a sentence, if one of them is to matter: it may be another sentence."""
_MOST_GONE, _LEAST_KEPT = 5, 0.8  # words of it, and their share
_MOST_LEFT, _MOST_NEW, _MOST_NAMES = 2, 3, 2
"""Most of a sentence and its two neighbours on each side that came, went, moved, were split or
merged, if what changed in it is to matter, or what it obliges to; most words beside a number."""
_LICENCE = regex(
    r"(?i:above copyright|copyright (?:holder|owner)|(?:the|this) software is (?:provided|licensed)"
    r"|derived from (?:the|this) software|licensed under the|copy of the license|redistributi"
    r"|neither the names? of|there is no warranty|(?:shall|will) the authors?\b"
    r"|origin of this software|this notice may|advertising or (?:publicity|otherwise)"
    r"|make(?:s|) no representations?|these notices must be|with or without modification"
    r"|provided that (?:this|the) (?:\w+ )?(?:copyright|notice))"
)
_DISCLAIMER = regex(r"EVENT SHALL|LIABLE FOR|DISCLAIMS?\b|NO WARRANTY|WARRANTIES|MERCHANTABILITY")
_OF_LICENCES = "/copyright-format/"
"""Is in texts that list the licences of files; only the names of licences matter there."""
_VERSION = regex(
    r"(?i:(?:\A\W*[\w-]+|\bversion|\brelease)\W{1,3}(?:\d+\.\d[\w.+~-]*)"
    r"(?=\s*(?:[-:\u00bb(]|of\b|\Z))"
    r"|\b(?:v|\w+/)\d+(?:\.\w+)+|\d+(?:\.\d+)*\.(?:x\b|\d+\.\d[\w.+~-]*))"
)
"""What a document is of, unless it says what is needed."""
_DOTTED = regex(r"v?\d+\.\d", re.IGNORECASE)
_NEEDED = regex(
    r"(?i:[<>]|\b(?:at least|compatib|depend|deprecat|earlier|higher|later|less|min|need|newer|only"
    r"|old|or\b|prior|remov|requir|since|support|test|than\b|until|up to|with\b))"
)
_VERSIONS = regex(r"(?<=[A-Za-z][-_])\d+(?:[._]\d+)+|\d+(?:[._]\d+){2,}")
_COUNTED = regex(r"\bfollowing\b|:\s*\Z")
"""Is in sentences that count what is listed behind them."""
_NAME = regex(r"(?<!\S)[^\s\d]*[^\W\d]+[^\s\d]*(?!\S)")
_REASON = regex(r"(?i:\b(?:as|because|if|since|so|unless|when)\b)")


class Ranks:
    """Tells which alarms of a difference are minor."""

    def __init__(self, diff: TextDiff) -> None:
        self._diff = diff
        self._is_of_licences = _OF_LICENCES in diff.new
        self.is_of_rules = is_of_rules(diff.old) and is_of_rules(diff.new)
        self._releases = releases_of(diff.old), releases_of(diff.new)
        stayed = (BlockKind.SAME, BlockKind.CHANGED)
        self._is_left = [each.kind not in stayed for each in diff.blocks]

    def is_of_release(self, block: DiffBlock) -> bool:
        """Whether a block stands in a list of the changes of releases."""
        side = block.new[0] < block.new[1]
        start, end = self._releases[side]
        return start <= (block.old, block.new)[side][0] < end

    def is_minor(
        self, number: int, segment: DiffSegment, kind: str, old: str, new: str, form: BlockForm
    ) -> bool:
        """Whether few alarms of a kind at a segment of a block matter, given its old and new words.

        Those are values, names and words in headings, cells, code and lines of few words, among
        sentences that came and went, and in sentences that changed much; rules in headings, cells
        and new passages, obligations and denials that are gone, and denials with a reason, unless
        the text is of rules; licences, mail addresses, versions, and code said in full.
        """
        if self._is_of_licences and (kind != "code" or {*":/"} & {*old, *new}):
            return True
        block = self._diff.blocks[number]
        said = self._diff.new_text(block)
        is_doubtful = form is not BlockForm.TEXT
        n_left = self._is_left[max(number - 2, 0) : number + 3].count(True)
        if kind in DUTIES:
            if is_of_licence(self._diff, old or new):
                return True
            is_doubtful |= kind == "denial" and _REASON.search(new) is not None
            is_doubtful |= not new and kind in ("obligation", "denial")
            is_new = n_left > _MOST_NEW or self.is_of_release(block)
            is_doubtful |= is_new and not is_urgent(old or new, kind)
            return is_doubtful and not self.is_of_rules
        changed = [each for each in block.segments if each.change not in (None, SPACE, MARKUP)]
        if kind in ("money", "time") and block.kind is BlockKind.CHANGED:
            return False
        if kind in ("code", "name", "number"):
            is_version = is_within(_VERSION, sides_of(self._diff, block, segment))
            both = old, new
            is_version |= any(map(_VERSION.match, both)) and all(map(_DOTTED.match, both))
            is_doubtful |= is_version and _NEEDED.search(said) is None
            less, more = sorted((old.lower(), new.lower()), key=len)
            is_doubtful |= more.startswith(f"{less}.") or more.endswith(f".{less}") or "@" in less
            is_doubtful |= _VERSIONS.sub("", less) == _VERSIONS.sub("", more)
        if kind == "number":
            is_doubtful |= _COUNTED.search(said) is not None
            is_doubtful |= any(len(_NAME.findall(each)) > _MOST_NAMES for each in (old, new))
        is_stamp = "@" in said
        if kind == "date":
            edges = self._diff.new[: segment.new[1]], self._diff.new[segment.new[0] :]
            is_stamp |= ["\n" in each.strip() for each in edges].count(False) == 1
            is_doubtful |= self.is_of_release(block)
        is_data = len(_PROSE.findall(said)) < _FEW.get(kind, 0) and _NEEDED.search(said) is None
        is_data &= not self.is_of_rules or is_stamp or _VERSION.search(said) is not None
        most = max(len(self._diff.old_text(block).split()), len(said.split()))
        kept = len(kept_of(self._diff, block).split())
        is_loose = most - kept > _MOST_GONE and kept < _LEAST_KEPT * most
        is_loose |= len(changed) > _MOST_OTHERS
        return is_doubtful or is_data or is_loose or n_left > _MOST_LEFT


def sides_of(
    diff: TextDiff, block: DiffBlock, segment: DiffSegment
) -> Iterator[tuple[str, TextRange]]:
    """Yield the old and the new text of a block, and where in it a segment is."""
    for whole, (start, end), (at, _) in (
        (diff.old_text(block), segment.old, block.old),
        (diff.new_text(block), segment.new, block.new),
    ):
        yield whole, (start - at, end - at)


def is_within(marked: re.Pattern[str], sides: Iterable[tuple[str, TextRange]]) -> bool:
    """Whether the words of both sides are within marks."""
    return all(
        any(each.start() <= start < end <= each.end() for each in marked.finditer(whole))
        for whole, (start, end) in sides
    )


def is_of_licence(diff: TextDiff, text: str) -> bool:
    """Whether a sentence is a common one of licences of software."""
    is_disclaimer = _DISCLAIMER.search(text) and "S SOFTWARE" in diff.old + diff.new
    return bool(_LICENCE.search(text) or is_disclaimer)


def is_replaced(diff: TextDiff) -> bool:
    """Whether rules stand in for the old text's: of the shorter text less than half stayed."""
    n = min(len(diff.old.split()), len(diff.new.split()))
    kept = sum(len(kept_of(diff, block).split()) for block in diff.blocks)
    return _FEW_OF_TEXT < n > _KEPT * kept and is_of_rules(diff.old) and is_of_rules(diff.new)


def kept_of(diff: TextDiff, block: DiffBlock) -> str:
    """Return what stayed of a block."""
    is_kept = (EditKind.EQUAL, EditKind.MOVE)
    return " ".join(diff.new_text(each) for each in block.segments if each.kind in is_kept)
