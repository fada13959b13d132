"""Alarms of a difference: changes of meaning, the most important first.

They are the conflicts that the judge names in aligned sentences, and the sentences that come or go
and oblige, forbid, permit or deny. The same old and new words are one alarm, of one kind. What is
numbered anew is none, neither a label, nor a reference to it, and neither is what programs write.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tokalign.english.lexicon.word_lists import function_words
from tokalign.english.reading.text_reading import without_marks
from tokalign.english.values import Kind, find_values
from tokalign.showing.text import one_line
from tokalign.texts.block_forms import (
    BlockForm,
    TextRange,
    cells_of,
    counter_of,
    follows_name,
    forms_of,
    label_of,
    labels_of,
    number_of,
    says_little,
    unread,
    with_underline,
)
from tokalign.texts.diff.duties import DUTIES, duty_of, with_apostrophes
from tokalign.texts.diff.ranks import (
    Ranks,
    is_of_licence,
    is_replaced,
    is_within,
    kept_of,
    sides_of,
)
from tokalign.texts.diff.reading_order import paragraphs
from tokalign.texts.diff.text_diff import (
    MARKUP,
    SPACE,
    BlockKind,
    DiffBlock,
    DiffSegment,
    TextDiff,
    n_alike,
    token_spans,
)
from tokalign.types.edits import CONFLICTING, Change
from tokalign.types.locks import cached_property
from tokalign.types.patterns import regex

_FUNCTION_WORDS = frozenset(function_words())
_VALUES = {
    Kind.MONEY: "money", Kind.DATE: "date", Kind.TIME: "time", Kind.QUANTITY: "number",
    Kind.PERCENT: "number", Kind.RANGE: "number",
}  # fmt: skip
KINDS = (
    "money", "number", "date", "time", "negation", "modality", "opposite", "quantity", "condition",
    "name", "roles", *DUTIES, "code",
)  # fmt: skip
"""Kinds of alarms, the most important first: changes, values by their kind, and what sentences do
that come or go."""
FATES = {
    BlockKind.MOVED: "moved", BlockKind.SPLIT: "split", BlockKind.MERGED: "merged with another",
    BlockKind.DELETED: "deleted", BlockKind.INSERTED: "inserted",
}  # fmt: skip
"""Fate of a sentence, by the kind of its block."""
_LITERAL = regex(
    r"``(?=\S).{1,300}?``|<(?:code|kbd|tt)\b[^<>]{0,99}>[^<]{1,300}<|(?<![`:\w])`(?=\S)[^`\n<]{1,300}`(?![`_\w])"
    r"|:(?:attr|class|command|data|envvar|exc|file|func|meth|mod|option):`[^`\n]{1,300}`"
)
_PROSE = regex(r"(?<!\S)[A-Za-z]?[a-z]+(?!\S)")
_FEW, _LEAST_CLAUSE = 6, 3  # words
_NOTATION = regex(r"\bu(?=['\"])|-only\b|v(?=\d)|(?<=\d)\.0(?![\w.])|[^\w+]|_+\b")
"""What may differ in two notations of one code or name: GPL-2.0-or-later is GPL-2+."""
_DIGITS = regex(r"\d+")
_NEAR = 12  # characters
_OF_CODE = frozenset((Change.CODE, Change.NUMBER, Change.OPPOSITE, Change.NEGATION))
_VARIABLE = regex(r"\|[\w-]+\||\\f[A-Z(]|://.*://|\b[0-9a-f]{12,} [0-9a-f]{12,}\b")
_TELLING = {
    Change.MODALITY: regex(
        r"(?i:\b(?:allow|can\b|certain|could\b|definite|encourag|entitled|expect|likely|may\b|might\b"
        r"|must|oblig|optional|permit|possibl|probabl|recommend|requir|shall|should|will\b"
        r"|(?:ha(?:d|s|ve)|need(?:ed|s)?) to\b))"
    ),
    Change.QUANTITY: regex(
        r"(?i:\b(?:all|always|and|any|at|both|by|each|either|every|few|half|many|maximum|minimum|most|never|no|none"
        r"|occasionally|often|one|only|or|rarely|several|some|sometimes|than|to|usually"
        r"|more|less|least|fewer|above|after|before|below|beyond|over|under|within|until|from"
        r"|(?:earli|great|high|larg|lat|long|low|old|short|small|young)er)\b)"
    ),
}
"""Words of which one must be on both sides of a change."""
_TELLING_ALONE = {
    Change.CONDITION: regex(
        r"(?i:\A\W*(?:(?:and|but|or)\W+)?(?:even|if|until|till|except|provided|when)\b|\bonly\b"
        r"|\b(?:unless|(?:al)?though|despite|notwithstanding|including|instead of|other than)\b)"
    ),
    Change.MODALITY: regex(
        r"(?i:\b(?:must|shall|not|never|cannot|requir|mandat|oblig|forbid|prohibit)|n['\u2019]t\b"
        r"|\A(?:can|may|might|could|will) \w+\Z)"
    ),
    Change.NEGATION: regex(
        r"(?i:\b(?!(?-i:None\b))(?:without|cannot|n(?:o|or|ot|one|ever|either|obody|othing)\b|except|fail|lack|refus|den[iy]"
        r"|avoid|reject|only|hardly|few|little|stop|prevent|(?:de(?!f)|dis|il|im|in|ir|mis|non|un)-?\w{3})"
        r"|n['\u2019]t\b|less\b)"
    ),
    Change.QUANTITY: regex(r"(?i:\b(?:few|half|most|never|none|only)\b)"),
}
"""Words that say what their change is on one side alone."""
_DUTIFUL = regex(
    r"\b(?:can(?:not)?|may|must|need|never|no|not|ought|shall|should|will|forbid|oblig|permit|prohibit|requir)|n't\b"
)
_PERIOD = regex(
    r"(?i:\b(?:spring|summer|autumn|fall|winter|(?:week)?day|weekend|(?:mid)?night|noon|morning|afternoon|evening|minute"
    r"|hour|week|fortnight|month|quarter|year|decade|century)s?\b)"
)
"""Times that are no names in grammar, but are other things than each other."""
_WORD = regex(r"\w[\w'\u2019-]*")
_DENIALS = regex(
    r"(?i:\b(?:cannot|den[iy]|disab|except|exclud|fail|false|ignor|lack|never|no|none|nor|not|off|omit"
    r"|refus|reject|skip|un\w|without)\w*|n['\u2019]t\b)"
)
_WISH = regex(r"(?i:\bif you (?:\w+ )?(?:like|need|prefer|want|wish)\b)")
_IF = regex(
    r"(?i:\W*(?:if|(?:as|so) long as|in case|in the event|provided|on condition)(?: that)?\W*)"
)
"""Ways to begin a condition."""
_GENITIVE = regex(r"\w['\u2019]s\b")
_LISTED = regex(r"\*?[ \t]*(?:[,;/&+][ \t]*)?(?:(?:and|or)[ \t]+)?")
"""What stands before a value of a list."""
_KEY = regex(
    r"\s*(?:\|[ \t]*)?(?:[-*+#]+[ \t]+(?:\w+[ \t]+)?)*(?:`[^`\n]+`|(?:\*\*)?\[[^\]\n]+\]"
    r"|(?:-\w, )?--[\w\[-]+|\*\*\w+[(._][^*\n]*\*\*|v?\d+(?:[.-]\d+)+|Files:[^\n]*|[A-Za-z]+_\w+,)"
)
"""Begins an entry: what it is of, marked as code, bold or a link, or a version or date."""
_PART = regex(r"[^/.]+|[/.]")
"""A part of a code; what two codes share before and after other parts does not tell them apart."""
_QUOTES = "\"'`\u2018\u2019\u201c\u201d,;:()[]{} \t\n"
MOST_SHOWN = 12
"""Most alarms that are shown unless all are asked for."""
_MOST_LABELS = 8


class AlarmPlace(NamedTuple):
    """Where an alarm is.

    Attributes
    ----------
    block, segment : int
        0-based numbers of the block, and of the segment in it.
    paragraph : int
        Number of its paragraph from 1, as renderers count.
    sentence : str
        Fate of its sentence, such as "moved", or empty.
    old_line, new_line : int
        Numbers of its line in both texts, from 1.
    row : str
        What stands in the first cell of its row of a table, or empty.
    """

    block: int
    segment: int
    paragraph: int
    sentence: str
    old_line: int
    new_line: int
    row: str = ""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A change of meaning to show first.

    Attributes
    ----------
    change : Change
        Out of CONFLICTING.
    kind : str
        Out of KINDS.
    old, new : str
        Old and new words; empty on a side without words.
    places : tuple of AlarmPlace
        In the order of the new text; at least one.
    beside : (old, new)
        The words of the first place with one before and one behind them.
    is_minor : bool
        Whether it is shown after the others: few of its like matter to a reader.
    """

    change: Change
    kind: str
    old: str
    new: str
    places: tuple[AlarmPlace, ...]
    beside: tuple[str, str] = ("", "")
    is_minor: bool = False

    def __str__(self) -> str:
        """Return the change in words.

        Examples
        --------
        >>> place = AlarmPlace(0, 0, 1, "", 3, 4)
        >>> str(Alarm(Change.NUMBER, "number", "40", "45", (place,)))
        '40 → 45'
        >>> place = place._replace(sentence="deleted")
        >>> str(Alarm(Change.MODALITY, "prohibition", "No dogs.", "", (place,)))
        'deleted: No dogs.'
        """
        old, new = one_line(self.old), one_line(self.new)
        if self.places[0].sentence in ("deleted", "inserted"):
            return f"{self.places[0].sentence}: {old or new}"
        if not (old and new) and all(self.beside):
            old, new = map(one_line, self.beside)
        if old and new:
            return f"{old} → {new}"
        return f"“{old}” is gone" if old else f"“{new}” is new"

    @property
    def where(self) -> str:
        """Lines of the first place in both texts, what became of its sentence, and how many more
        places there are."""
        first = self.places[0]
        is_whole = first.sentence in ("deleted", "inserted")
        lines = first.old_line if self.old else first.new_line
        said = [f"line {lines}" if is_whole else f"line {first.old_line}→{first.new_line}"]
        said += [f"row {one_line(first.row)}"] * bool(first.row)
        said += [f"sentence {first.sentence}"] * bool(first.sentence and not is_whole)
        n = len({each.block for each in self.places})
        return ", ".join([*said, *[f"{n} times"] * (n > 1)])

    def to_dict(self) -> dict[str, Any]:
        """Return the alarm as a JSON object; docs/diff.schema.json describes it."""
        return {
            "change": str(self.change),
            "kind": self.kind,
            "old": self.old,
            "new": self.new,
            "places": [each._asdict() for each in self.places],
            "is_minor": self.is_minor,
        }


class Renumbered(NamedTuple):
    """A label that was numbered anew, and its lines in both texts."""

    old: str
    new: str
    old_line: int
    new_line: int


def renumbered(diff: TextDiff) -> tuple[Renumbered, ...]:
    """Return the labels of a difference that were numbered anew, in the order of the new text."""
    found = []
    for block in diff.blocks:
        if block.kind is BlockKind.SAME:
            continue
        texts = with_underline(diff.old, block.old), with_underline(diff.new, block.new)
        if (labels := labels_of(*texts)) is not None:
            old, new = (number_of(text[slice(*at)]) for text, at in zip(texts, labels, strict=True))
        else:
            old, new = counted(diff, block)
        if old != new:
            lines = _line_of(diff.old, block.old[0]), _line_of(diff.new, block.new[0])
            found.append(Renumbered(old, new, *lines))
    return tuple(found)


def counted(diff: TextDiff, each: DiffBlock | DiffSegment) -> tuple[str, str]:
    """Return what counts the lines where a block or a segment begins, if it does on both sides."""
    sides = (diff.old, each.old), (diff.new, each.new)
    counters = [counter_of(text, start) if start < end else None for text, (start, end) in sides]
    if counters[0] is None or counters[1] is None:
        return "", ""
    return diff.old[slice(*counters[0])], diff.new[slice(*counters[1])]


def alarms_of(diff: TextDiff) -> tuple[Alarm, ...]:
    """Return the alarms of a difference, the most important first."""
    if all(block.kind is BlockKind.SAME for block in diff.blocks):
        return ()
    found: dict[tuple[str, str], list[Alarm]] = {}
    is_anew = is_replaced(diff)
    for each in _Finder(diff).found():
        is_shown = each.kind in DUTIES or (each.old and each.new)
        old, new = (each.old, each.new) if is_shown else each.beside
        if each.kind == "code":
            parts = _PART.findall(old), _PART.findall(new)
            n = n_alike(*parts)
            n_last = n_alike(*(each[n:][::-1] for each in parts))
            old, new = ("".join(each[n : len(each) - n_last]) for each in parts)
        pair = " ".join(old.lower().split()), " ".join(new.lower().split())
        if each.kind in DUTIES and is_of_licence(diff, each.old or each.new):
            pair = "licence", ""
        elif each.kind in DUTIES and is_anew:
            pair = "replaced", each.kind
            each = replace(each, is_minor=True)
        found.setdefault(pair, []).append(each)
    alarms = []
    for same in found.values():
        places = tuple(at for each in same for at in each.places)
        is_minor = all(each.is_minor for each in same)
        alarms.append(replace(same[0], places=places, is_minor=is_minor))
    return tuple(sorted(alarms, key=lambda each: (each.is_minor, KINDS.index(each.kind))))


def _joined(found: Iterable[Alarm], form: BlockForm) -> Iterator[Alarm]:
    """Yield the alarms of a block; values of one kind are one, codes, what is of one kind in a row
    of a table or in code, and what another change makes, such as KEY=1 where KEY changed."""
    groups: dict[object, list[Alarm]] = {}
    for each in found:
        before = (same[0] for same in groups.values())
        if any(one.old and each.old.replace(one.old, one.new) == each.new for one in before):
            continue
        is_one = each.kind in (*_VALUES.values(), "code")
        is_one |= form in (BlockForm.CELL, BlockForm.CODE)
        groups.setdefault(each.kind if is_one else id(each), []).append(each)
    for same in groups.values():
        sides = zip(*dict.fromkeys((each.old, each.new) for each in same), strict=True)
        old, new = (", ".join(filter(None, side)) for side in sides)
        yield replace(same[0], old=old, new=new, places=tuple(each.places[0] for each in same))


def counts_line(alarms: Iterable[Alarm]) -> str:
    """Return the line for alarms that are not shown, such as Also changed: 2 number, or none."""
    counts = Counter(each.kind for each in alarms)
    said = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    return f"Also changed: {said} (--only meaning lists them)" if said else ""


def renumbered_line(found: Iterable[Renumbered]) -> str:
    """Return the line for labels that were numbered anew, such as Renumbered: 3 → 4, or none."""
    pairs = list(dict.fromkeys(f"{each.old} → {each.new}" for each in found))
    more = [f"and {len(pairs) - _MOST_LABELS} more"] if len(pairs) > _MOST_LABELS else []
    return f"Renumbered: {', '.join(pairs[:_MOST_LABELS] + more)}" if pairs else ""


class _Finder:
    """Finds the alarms of a difference, one a place."""

    def __init__(self, diff: TextDiff) -> None:
        self._diff = diff
        self._renumbered = {each[:2] for each in renumbered(diff)}
        self._plain = " ".join(diff.old.split()), " ".join(diff.new.split())
        self._ranks = Ranks(diff)

    @cached_property
    def _unread(self) -> tuple[list[TextRange], list[TextRange]]:
        """What only programs read in both texts."""
        return unread(self._diff.old), unread(self._diff.new)

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """The number of the paragraph of each block, by the block's id."""
        return {
            id(block): paragraph.number
            for paragraph in paragraphs(self._diff)
            for block, is_origin in paragraph.places
            if not is_origin
        }

    def found(self) -> Iterator[Alarm]:
        """Yield the alarms of each block, in the order of the new text."""
        diff = self._diff
        forms = (
            forms_of(diff.old, [each.old[0] for each in diff.blocks]),
            forms_of(diff.new, [each.new[0] for each in diff.blocks]),
        )
        for number, block in enumerate(diff.blocks):
            form = forms[block.new[0] < block.new[1]][number]
            if block.kind is not BlockKind.SAME and not self._is_other_entry(block):
                for each in _joined(self._of_block(number, block, form), form):
                    at = block.segments[each.places[0].segment]
                    is_minor = self._ranks.is_minor(number, at, each.kind, each.old, each.new, form)
                    yield replace(each, is_minor=each.is_minor or is_minor)

    def _of_block(self, number: int, block: DiffBlock, form: BlockForm) -> Iterator[Alarm]:
        """Yield an alarm for each place of a block."""
        diff = self._diff
        stayed = block.kind is BlockKind.CHANGED
        is_whole = block.kind in (BlockKind.DELETED, BlockKind.INSERTED)
        kept = kept_of(diff, block)
        label = label_of(kept) or (0, 0)
        is_whole |= stayed and not _WORD.search(kept, label[1])
        is_exchanged = False
        for s, segment in enumerate(block.segments):
            change = segment.change
            if change in (None, SPACE):
                continue
            if change == Change.WORDING and is_within(
                _LITERAL, sides_of(self._diff, block, segment)
            ):
                change = Change.CODE
            old, new = self._words(block, segment)
            is_clause = not (old and new) and (old + new).count(" ") >= _LEAST_CLAUSE
            if not (is_whole or is_clause or change in CONFLICTING) or self._is_unread(segment):
                continue
            told = None
            kind = ""
            if is_whole or (is_clause and not self._keeps_duties(block)):
                told, old, new = self._sentences(block, old, new, form)
            is_aside = told is None and is_clause and change == Change.NEGATION
            if is_aside and _DENIALS.search(f"{old}{new}"[:_NEAR]) is None:
                continue  # what came or went denies something of its own
            if told is None and change in CONFLICTING:
                if change == Change.NUMBER:
                    kind, old, new = self._value(block, segment, old, new)
                told = self._change(segment, Change(change), old, new, kind, form)
                if told and change == Change.ROLES:  # once, as a whole
                    if is_exchanged or not self._are_exchanged(block, old, new):
                        continue
                    is_exchanged = True
                    old, new = (
                        without_marks(each).strip()
                        for each, _ in sides_of(self._diff, block, segment)
                    )
            if told:
                row = self._row(block) if form is BlockForm.CELL else ""
                at = self._numbers[id(block)], fate(block)
                lines = _line_of(diff.old, segment.old[0]), _line_of(diff.new, segment.new[0])
                place = AlarmPlace(number, s, *at, *lines, row)
                beside = self._beside(block, segment)
                is_minor = told[1] in DUTIES and not (is_whole or stayed)
                yield Alarm(*told, old, new, (place,), beside, is_minor)

    def _words(self, block: DiffBlock, segment: DiffSegment) -> tuple[str, str]:
        """Return the old and new words of a segment without marks, and quotes around them."""
        both = []
        for whole, (start, end) in sides_of(self._diff, block, segment):
            words = without_marks(whole)[start:end].strip()
            both.append((len(words) < len(whole.strip()) and words.strip(_QUOTES)) or words)
        return both[0], both[1]

    def _is_other_entry(self, block: DiffBlock) -> bool:
        """Whether the sides of a block are of other things: what an entry is of changed, and more
        of it than that."""
        changed = [each for each in block.segments if each.change not in (None, SPACE, MARKUP)]
        if not changed:
            return False
        is_more, sides = len(changed) > 1, [*sides_of(self._diff, block, changed[0])]
        is_code = is_more and is_within(_LITERAL, sides)
        return (is_code and self._ranks.is_of_release(block)) or all(
            (key := _KEY.match(whole)) is not None
            and start < key.end() < end + is_more * len(whole)
            for whole, (start, end) in sides
        )

    def _are_exchanged(self, block: DiffBlock, old: str, new: str) -> bool:
        """Whether content words of both sides are in the other text of a block, as of exchanged
        roles."""
        whole = self._diff.old_text(block), self._diff.new_text(block)
        said, words = (
            [{*_WORD.findall(each.lower())} - _FUNCTION_WORDS for each in both]
            for both in ((old, new), whole)
        )
        return (
            block.kind is BlockKind.CHANGED
            and len({len(_GENITIVE.findall(each)) for each in whole}) == 1
            and bool(said[0] & words[1] and said[1] & words[0] and len(words[0] ^ words[1]) <= 1)
            and (said[0] == said[1] or bool(said[0] - said[1] and said[1] - said[0]))
        )

    def _keeps_duties(self, block: DiffBlock) -> bool:
        """Whether both texts of a block have the same modal verbs and negations, as where a rule is
        put into the passive."""
        old, new = (
            Counter(_DUTIFUL.findall(with_apostrophes(text).lower()))
            for text in (self._diff.old_text(block), self._diff.new_text(block))
        )
        return bool(old) and old == new

    def _is_unread(self, segment: DiffSegment) -> bool:
        """Whether the words of a segment begin where only programs read, on either side."""
        diff = self._diff
        sides = (diff.old_text(segment), segment.old[1]), (diff.new_text(segment), segment.new[1])
        return any(
            text and any(at <= end - len(text.lstrip()) < stop for at, stop in lines)
            for lines, (text, end) in zip(self._unread, sides, strict=True)
        )

    def _beside(self, block: DiffBlock, segment: DiffSegment) -> tuple[str, str]:
        """Return the old and the new words of a segment with one before and one behind them."""
        both = []
        for whole, (start, end) in sides_of(self._diff, block, segment):
            words = without_marks(whole)
            before, after = words[:start].rstrip(), words[end:].lstrip()
            first = len(before) - len("".join(before.split()[-1:]))
            last = len(words) - len(after) + len("".join(after.split()[:1]))
            both.append(words[first:last].strip(_QUOTES + "."))
        return both[0], both[1]

    def _row(self, block: DiffBlock) -> str:
        """Return what stands in the first cell of a block's row that is not empty."""
        sides = (self._diff.old, block.old), (self._diff.new, block.new)
        text, (start, end) = sides[block.new[0] < block.new[1]]
        line = text[text.rfind("\n", 0, start) + 1 : end].rstrip()
        return next((line[a:b] for a, b in cells_of(line) if a < b), "")

    def _value(
        self, block: DiffBlock, segment: DiffSegment, old: str, new: str
    ) -> tuple[str, str, str]:
        """Return the kind of the value that a segment changes, and the old and the new one whole: 3
        pm for 3."""
        found = [
            _value_at(without_marks(text), at) for text, at in sides_of(self._diff, block, segment)
        ]
        kinds = {each[0] for each in found if each}
        if len(kinds) != 1 or [bool(each) for each in found] != [bool(old), bool(new)]:
            return "number", _LISTED.sub("", old, 1), _LISTED.sub("", new, 1)
        old, new = (each[1] if each else "" for each in found)
        return _VALUES[kinds.pop()], old, new

    def _sentences(
        self, block: DiffBlock, old: str, new: str, form: BlockForm
    ) -> tuple[tuple[Change, str] | None, str, str]:
        """Return the change and the kind that sentences make which come or go, and those sentences
        that oblige, forbid, permit or deny; if none does, both as they are."""
        rules, releases = self._ranks.is_of_rules, self._ranks.is_of_release(block)
        duties = [
            duty_of(text, is_of_rules=rules, is_of_releases=releases)
            if text and form is not BlockForm.CODE
            else None
            for text in (old, new)
        ]
        for k, (text, other) in enumerate(zip((old, new), self._plain[::-1], strict=True)):
            if duties[k] and text.count(" ") >= _FEW and " ".join(text.split()) in other:
                duties[k] = None  # it stands in both texts
        kind = min(filter(None, duties), key=KINDS.index, default=None)
        if kind is None:
            return None, old, new
        change = Change.NEGATION if kind == "denial" else Change.MODALITY
        return (change, kind), old * bool(duties[0]), new * bool(duties[1])

    def _change(
        self, segment: DiffSegment, change: Change, old: str, new: str, kind: str, form: BlockForm
    ) -> tuple[Change, str] | None:
        """Return the change and the kind of a segment, or None if it is no alarm."""
        places = (self._diff.old, segment.old[0]), (self._diff.new, segment.new[0])
        said = with_apostrophes(old), with_apostrophes(new)
        if not (_differs(change, *said) and _tells(change, *said)):
            return None
        is_value = change in (Change.NUMBER, Change.CODE) or old[:1].isdigit()
        if is_value and all(says_little(*each) for each in places):
            return None
        numbers = number_of(old), number_of(new)
        is_reference = change is Change.CODE or all(follows_name(*each) for each in places)
        if is_reference and numbers in self._renumbered:
            return None
        if form is BlockForm.CODE or change is Change.CODE:
            is_prose = any(len(_PROSE.findall(each)) > 3 for each in (old, new))
            return (change, "code") if change in _OF_CODE and not is_prose else None
        if old and new and numbers == counted(self._diff, segment):
            return None
        return change, kind if change is Change.NUMBER else str(change)


def _tells(change: Change, old: str, new: str) -> bool:
    """Whether words say what their change is, on both sides or so that one is enough."""
    alone, both = _TELLING_ALONE.get(change), _TELLING.get(change)
    is_told = alone is None or any(map(alone.search, (old, new)))
    return is_told or (both is not None and all(map(both.search, (old, new))))


def _differs(change: Change, old: str, new: str) -> bool:
    """Whether words differ by more than their quotes, capitals and spaces."""
    if change is Change.ROLES:
        return True
    if change is Change.NAME and (old + new).islower():
        return all(map(_PERIOD.search, (old, new)))
    if change is Change.CONDITION and _WISH.search(f"{old} {new}"):
        return False  # it may as well begin with "to"
    if change is Change.CONDITION and all(map(_IF.fullmatch, (old, new))):
        return False
    if change is Change.NEGATION and old and new:
        return (len(_DENIALS.findall(old)) + len(_DENIALS.findall(new))) % 2 == 1
    if change in (Change.NAME, Change.CODE) and _VARIABLE.search(f"{old} {new}"):
        return False
    if change is Change.NUMBER or not _WORD.search(old + new):  # such as < and >
        return old != new
    olds, news = (_NOTATION.sub("", each.replace("-or-later", "+")).lower() for each in (old, new))
    if olds == news:
        digits, others = (_DIGITS.findall(each) for each in (old, new))
        return len(digits) == len(others) > 1 and digits != others  # 1:30 and 13:0
    return change is not Change.CODE or bool(olds and news)


def _line_of(text: str, at: int) -> int:
    """Return the number from 1 of the line of a place, after \\n, \\r\\n or \\r."""
    n = text.count("\n", 0, at) + text.count("\r", 0, at)
    return n + 1 - text.count("\r\n", 0, at)


def _value_at(text: str, span: TextRange) -> tuple[Kind, str] | None:
    """Return the kind of the first value that a range of a text holds a part of, and the words of
    all such values; None of plain numbers."""
    spans = list(token_spans(text))
    kind, at = None, span
    for value in find_values([text[start:end] for start, end in spans]):
        start, end = spans[value.start][0], spans[value.end - 1][1]
        if start < span[1] and span[0] < end and value.kind in _VALUES and not value.rank:
            kind, at = kind or value.kind, (min(start, at[0]), max(end, at[1]))
    return None if kind is None else (kind, text[slice(*at)].strip(_QUOTES))


def fate(block: DiffBlock) -> str:
    """Return the fate of a block's sentences besides their words; empty if they stayed."""
    said = [FATES[block.kind]] if block.kind in FATES else []
    if block.move is not None and block.kind is not BlockKind.MOVED:
        said.append("moved")
    return " and ".join(said)
