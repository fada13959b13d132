"""Notes: the format in which a person writes and reviews the marks of a pair.

::

    # support/router-restarts answer half
    S: Why does my router keep restarting, and how do I stop it?
    T: The modem reboots because it overheats.
    L: keep restarting~reboots; router~modem [w]
    P: my~The; Why~because [r]
    C: -
    U: overheats

The head has the genre, the topic, the task and, where the task has one, the verdict. ``S`` is the
source and ``T`` the target, as they would be sent. ``L`` has the sure links, ``P`` the possible
ones, ``C`` the conflicts, ``U`` the words of the target that the source does not support. Items are
divided by ``;``. ``a b~c d`` links all words of one side with all of the other: a phrase. Words
without ``~`` stand on both sides and are linked one by one. ``the#2`` is the second ``the`` of its
side. A letter in brackets is the relation of a link of unlike words (`RELATIONS`); without one they
mean the same. A conflict is ``kind: words~words``, where one side may be empty.

Words are cut as the native annotator cuts them. Marks of punctuation are linked by a rule
(`punctuation_links`), since people disagree on them and nobody reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.word_lists import function_words
from tokalign.errors import FormatError
from tokalign.types import Sentence

GENRES = (
    "support", "product", "howto", "encyclopedia", "legal", "medical", "finance", "chat", "spoken",
    "headlines", "ewt", "news",
)  # fmt: skip
TASKS: dict[str, tuple[str, ...]] = {
    "answer": ("yes", "half", "no"),
    "claim": ("supported", "partly", "contradicted", "unsupported"),
    "versions": (),
    "paraphrase": (),
    "simplification": (),
    "question": ("same", "different"),
    "topic": (),
    "frame": (),
    "entailment": (),
    "translations": (),
}
"""The verdicts of each task."""

RELATIONS = {
    "n": "narrower",
    "w": "wider",
    "s": "similar",
    "r": "related",
    "o": "opposite",
    "v": "different-value",
}
CONFLICTS = (
    "value", "name", "negation", "modality", "quantity", "opposite", "roles", "condition", "code",
)  # fmt: skip

TokenLink = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MarkedConflict:
    """What two sentences say unlike: a kind of `CONFLICTS`, and the tokens of both sides."""

    kind: str
    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(slots=True)
class NotedPair:
    """One pair with its marks. Links are (source token, target token), 0-based."""

    id: str
    genre: str
    topic: str
    task: str
    verdict: str
    source: Sentence
    target: Sentence
    sure: set[TokenLink] = field(default_factory=set)
    possible: set[TokenLink] = field(default_factory=set)
    relations: dict[TokenLink, str] = field(default_factory=dict)
    conflicts: list[MarkedConflict] = field(default_factory=list)
    unsupported: set[int] = field(default_factory=set)
    line: int = 0


def read_notes(path: Path) -> list[NotedPair]:
    """Return the pairs of a file of notes.

    Raises
    ------
    FormatError
        If a line is bad; names file, line and field.
    """
    pairs: list[NotedPair] = []
    faults: list[str] = []
    for each in notes_of(path):
        if isinstance(each, NotedPair):
            pairs.append(each)
        else:
            faults.append(each)
    if faults:
        raise FormatError("\n".join(faults))
    return pairs


def notes_of(path: Path) -> Iterator[NotedPair | str]:
    """Yield each pair of a file, or what is wrong with it, in words."""
    seen: dict[str, int] = {}
    for start, block in _blocks(path.read_text(encoding="utf-8")):
        try:
            pair = _read_block(block, start, seen)
        except _NoteError as fault:
            yield f"{path}:{fault.line}: {fault}"
        else:
            yield pair


class _NoteError(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    block: list[str] = []
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("# "):
            if block:
                yield start, block
            block, start = [line], number
        elif block:
            block.append(line)
    if block:
        yield start, block


def _read_block(block: list[str], start: int, seen: dict[str, int]) -> NotedPair:
    name, task, verdict = _head(block[0], start)
    fields: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(block[1:], start + 1):
        if not line.strip():
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in "STLPCU" or len(key) != 1:
            raise _NoteError(number, f"saw {line[:40]!r}; wanted a line of S, T, L, P, C or U")
        if key in fields:
            raise _NoteError(number, f"a second line {key}; wanted one")
        fields[key] = number, value.strip()
    for key in "ST":
        if not fields.get(key, (0, ""))[1]:
            raise _NoteError(start, f"line {key} is missing")
    genre, _, topic = name.partition("/")
    seen[name] = seen.get(name, 0) + 1
    pair = NotedPair(
        id=f"{genre}-{topic}-{seen[name]}",
        genre=genre,
        topic=topic,
        task=task,
        verdict=verdict,
        source=_sentence(fields["S"][1]),
        target=_sentence(fields["T"][1]),
        line=start,
    )
    for key, links in (("L", pair.sure), ("P", pair.possible)):
        number, value = fields.get(key, (start, ""))
        for item in _items(value):
            _read_link(pair, item, links, number)
    pair.possible -= pair.sure
    pair.sure |= punctuation_links(pair)
    number, value = fields.get("C", (start, ""))
    pair.conflicts = [_read_conflict(pair, item, number) for item in _items(value)]
    number, value = fields.get("U", (start, ""))
    for item in _items(value):
        pair.unsupported.update(_find(pair.target, item, "T", number))
    return pair


def _head(line: str, number: int) -> tuple[str, str, str]:
    name, task, verdict = (*line[2:].split(), "", "")[:3]
    if name.partition("/")[0] not in GENRES or not re.fullmatch(r"[a-z]+/[a-z0-9-]+", name):
        raise _NoteError(number, f"saw {name!r}; wanted genre/topic, the genre one of {GENRES}")
    if task not in TASKS:
        raise _NoteError(number, f"task is {task!r}; wanted one of {', '.join(TASKS)}")
    if verdict not in (TASKS[task] or ("",)):
        raise _NoteError(number, f"verdict is {verdict!r}; wanted one of {TASKS[task] or 'none'}")
    return name, task, verdict


def _items(value: str) -> list[str]:
    return [item.strip() for item in value.split(";") if item.strip() not in ("", "-")]


def _read_link(pair: NotedPair, item: str, links: set[TokenLink], line: int) -> None:
    found = re.fullmatch(r"(.*?)(?:\s*\[(\w+)\])?", item)
    assert found is not None  # both parts may be empty
    body, kind = found.group(1), found.group(2)
    if kind is not None and kind not in RELATIONS:
        raise _NoteError(
            line, f"{item!r} has relation {kind!r}; wanted one of {', '.join(RELATIONS)}"
        )
    left, tilde, right = body.partition("~")
    if not tilde:
        source, target = (
            _find(side, left, name, line) for side, name in ((pair.source, "S"), (pair.target, "T"))
        )
        added = list(zip(source, target, strict=True))
    else:
        source = _find(pair.source, left, "S", line)
        target = _find(pair.target, right, "T", line)
        added = _block_links(pair, source, target)
    links.update(added)
    if kind is not None:
        pair.relations.update(dict.fromkeys(added, RELATIONS[kind]))


def _block_links(
    pair: NotedPair, source: tuple[int, ...], target: tuple[int, ...]
) -> list[TokenLink]:
    """Return the links of two runs: one by one if all words are alike, else all with all."""
    if len(source) == len(target):
        couples = list(zip(source, target, strict=True))
        if all(_alike(pair.source.tokens[i], pair.target.tokens[j]) for i, j in couples):
            return couples
    return [(i, j) for i in source for j in target]


_ALIKE = {
    "n't": "not",
    "'re": "are",
    "'m": "am",
    "'ll": "will",
    "'ve": "have",
    "ca": "can",
    "wo": "will",
}


def _alike(one: str, other: str) -> bool:
    one, other = one.lower(), other.lower()
    return one == other or _ALIKE.get(one, one) == _ALIKE.get(other, other)


def _find(sentence: Sentence, words: str, side: str, line: int) -> tuple[int, ...]:
    """Return the tokens of a run of words, which may name which of several equal runs it is."""
    words, hash_, which = (
        words.strip().partition("#")
        if re.search(r"#\d+$", words.strip())
        else (words.strip(), "", "")
    )
    if not words.strip():
        raise _NoteError(line, f"an item without words of {side}")
    tokens = list(sentence.tokens)
    # As tokens with spaces between, or as text: "a.m." by itself would lose its last dot.
    for wanted in (words.split(), list(_sentence(words).tokens)):
        for fold in (str, str.lower):
            folded, run = [fold(each) for each in tokens], [fold(each) for each in wanted]
            starts = [k for k in range(len(tokens)) if folded[k : k + len(run)] == run]
            if starts:
                break
        if starts:
            break
    if not starts:
        raise _NoteError(line, f"{words!r} is not in {side}; its words are {' | '.join(tokens)}")
    if len(starts) > 1 and not hash_:
        raise _NoteError(
            line,
            f"{words!r} stands {len(starts)} times in {side}; write {words}#1 to #{len(starts)}",
        )
    if hash_ and not 1 <= int(which) <= len(starts):
        raise _NoteError(
            line, f"{words!r} stands {len(starts)} times in {side}, so there is no #{which}"
        )
    start = starts[int(which) - 1 if hash_ else 0]
    return tuple(range(start, start + len(wanted)))


def _read_conflict(pair: NotedPair, item: str, line: int) -> MarkedConflict:
    kind, colon, body = item.partition(":")
    if not colon or kind.strip() not in CONFLICTS:
        raise _NoteError(
            line, f"conflict {item!r}; wanted `kind: words~words`, a kind of {CONFLICTS}"
        )
    left, tilde, right = body.partition("~")
    if not tilde:
        raise _NoteError(line, f"conflict {item!r} has no `~`")
    source, target = (
        _find(sentence, words, side, line) if words.strip() else ()
        for sentence, words, side in ((pair.source, left, "S"), (pair.target, right, "T"))
    )
    if not source and not target:
        raise _NoteError(line, f"conflict {item!r} names no words")
    return MarkedConflict(kind.strip(), source, target)


def is_mark(token: str) -> bool:
    """Return whether a token has no letter, digit or sign of money."""
    return not any(each.isalnum() or each in "$€£%" for each in token)


def punctuation_links(pair: NotedPair) -> set[TokenLink]:
    """Return the links of equal marks: the last ones, and those beside a word that is linked alike.

    A pair without a sure link has none.
    """
    if not pair.sure:
        return set()
    source, target = list(pair.source.tokens), list(pair.target.tokens)
    links: set[TokenLink] = set()
    if source[-1] == target[-1] and is_mark(source[-1]):
        links.add((len(source) - 1, len(target) - 1))
    taken = {j for _, j in links}
    for i, mark in enumerate(source[:-1]):
        if not is_mark(mark):
            continue
        for j, other in enumerate(target[:-1]):
            is_beside = (i - 1, j - 1) in pair.sure or (i + 1, j + 1) in pair.sure
            if other == mark and j not in taken and is_beside:
                links.add((i, j))
                taken.add(j)
                break
    return links


_annotator = None


def _sentence(text: str) -> Sentence:
    global _annotator
    if _annotator is None:
        _annotator = load_annotator("native")
    return _annotator.annotate([text], trees=False)[0]


def check(paths: Iterable[Path]) -> tuple[int, list[str]]:
    """Return how many pairs of some files are good, and what is wrong with the others."""
    good, faults = 0, []
    for path in paths:
        for each in notes_of(path):
            if isinstance(each, NotedPair):
                good += 1
                faults += [f"{path}:{each.line}: {fault}" for fault in odd_marks(each)]
            else:
                faults.append(each)
    return good, faults


def odd_marks(pair: NotedPair) -> Iterator[str]:
    """Yield what is probably a slip: equal content words that are free on both sides, and such."""
    free_source = _free(pair.source.tokens, {i for i, _ in pair.sure | pair.possible})
    free_target = _free(pair.target.tokens, {j for _, j in pair.sure | pair.possible})
    if pair.task not in ("topic", "frame"):
        for word in sorted(free_source & free_target):
            yield f"{word!r} stands on both sides and is not linked: is that meant?"
    if pair.verdict == "contradicted" and not pair.conflicts:
        yield "contradicted, but line C names no conflict"
    if pair.task == "claim" and pair.verdict == "supported" and pair.unsupported:
        yield "supported, but line U names words"
    if pair.task == "claim" and pair.verdict in ("partly", "unsupported") and not pair.unsupported:
        yield f"{pair.verdict}, but line U names no words"


_COMMON = frozenset(function_words())


def _free(tokens: Iterable[str], linked: set[int]) -> set[str]:
    return {
        word.lower()
        for k, word in enumerate(tokens)
        if k not in linked and word.lower() not in _COMMON and not is_mark(word)
    }


def main() -> None:
    import sys

    good, faults = check(Path(name) for name in sys.argv[1:])
    print("\n".join(faults))
    print(f"{good} pairs read; {len(faults)} remarks")


if __name__ == "__main__":
    main()
