"""Pairs of texts whose sentences are known to belong together, made of real sentence pairs.

A *unit* is a pair of a corpus that says much the same on both sides: one sentence each, or one
beside two. A text takes some dozens of them in a row, so that a paper's or a day's sentences stand
together, and changes them as people who revise do. By the rates of a `ChangeRates`, and by a seed:

- a unit keeps its old side on both sides (same),
- a sentence is cut in two before a clause (", and", ", but", "; ", ", which"), on one side, where
  the other side has two words of each part,
- of two units, the first one's end and the second become one sentence on the new side, so that two
  sentences stand beside two (shifted),
- a unit loses its new side (deleted), so that what is left belongs to nothing,
- a sentence of another place of the corpus is inserted: of some, the one that shares most words
  with the sentences around it,
- one to three units in a row move to another place (moved), or two neighbours change places.

Two sentences of arXivEdits beside one are left out where one of the two shares no word with that:
nobody says whether it belongs there. Sentences are joined by a space, or by a blank line where a
paragraph ends, or where the splitter would not find the end of a sentence.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tokalign.english.annotate.sentence_splitter import Sentences

from lab.recipes.corpora import MTREF_DEV, read_paraphrases

CLAUSE = re.compile(r"\s*(?:,|;)\s+(and|but|which|while|where|who)?\s*(?=\w)")
WORD = re.compile(r"\w{4,}|\d+")
N_STRANGERS = 50
"""Of which the one that shares most words with the sentences around it is inserted."""
LEAST_WORDS = 5
"""Of both parts of a sentence that is cut."""
PARAGRAPH = 0.15
"""Share of units that end a paragraph."""


class MadeUnit(NamedTuple):
    """Sentences of two texts that belong together; one or two on each side."""

    old: tuple[str, ...]
    new: tuple[str, ...]


class MadeBlock(NamedTuple):
    """Numbers of sentences that belong together, on one side none where nothing does."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    moved: bool


@dataclass(frozen=True, slots=True)
class MadeText:
    """Two texts and the blocks of their sentences.

    Attributes
    ----------
    old, new : str
    n_old, n_new : int
        Numbers of sentences, which the splitter finds.
    blocks : tuple of MadeBlock
        By the new side; deleted ones last.
    """

    old: str
    new: str
    n_old: int
    n_new: int
    blocks: tuple[MadeBlock, ...]


@dataclass(frozen=True, slots=True)
class ChangeRates:
    """Rates of changes, each a share of the units."""

    same: float
    cut: float = 0.12
    shifted: float = 0.03
    deleted: float = 0.07
    inserted: float = 0.07
    moved: float = 0.04
    swapped: float = 0.02


RATES = {
    "revised": ChangeRates(same=0.6, cut=0.05, shifted=0.01, moved=0.02, swapped=0.01),
    "rewritten": ChangeRates(same=0.0),
}


def read_corpora(data: Path) -> dict[str, list[MadeUnit]]:
    """Return the units of each corpus, in an order that keeps a paper's together."""
    asset: dict[str, list[tuple[str, str]]] = {}
    for name, old, new in read_paraphrases(data):
        if name.startswith("asset-"):
            asset.setdefault(old, []).append((old, new))
    chooser = random.Random(0)
    corpora = {"asset": [chooser.choice(pairs) for pairs in asset.values()]}
    lines = (data / MTREF_DEV).read_text(encoding="utf-8").splitlines()
    fields = [line.split("\t") for line in lines]
    corpora["mtref"] = [(each[1], each[3]) for each in fields]
    for part in ("train", "dev"):
        items = json.loads((data / f"arxivedits/{part}.json").read_text(encoding="utf-8"))
        items = items.values() if isinstance(items, dict) else items
        by_paper = sorted(items, key=lambda item: item["arxiv-id"])
        corpora[f"arxivedits-{part}"] = [
            (item["sentence-1"], item["sentence-2"]) for item in by_paper
        ]
    return {
        name: [
            unit
            for unit in units(pairs)
            if not name.startswith("arxivedits") or is_shared(unit.old, unit.new, 1)
        ]
        for name, pairs in corpora.items()
    }


def units(pairs: Sequence[tuple[str, str]]) -> Iterator[MadeUnit]:
    """Yield the pairs that are one sentence beside one or two."""
    for old, new in pairs:
        sides = _capital(old), _capital(new)
        unit = MadeUnit(*(tuple(text[s:e] for s, e in Sentences(text)) for text in sides))
        if sorted((len(unit.old), len(unit.new))) in ([1, 1], [1, 2]):
            yield unit


def is_shared(old: Sequence[str], new: Sequence[str], least: int) -> bool:
    """Whether each sentence of a side has so many words that the other side has, too."""
    sides = [[set(WORD.findall(each.lower())) for each in side] for side in (old, new)]
    every = [set().union(*side) for side in sides]
    return all(
        len(words & other) >= least
        for side, other in zip(sides, reversed(every), strict=True)
        for words in side
    )


def n_shared(text: str, unit: MadeUnit) -> int:
    """Return how many words of a text a unit's first new sentence has."""
    return len(set(WORD.findall(text.lower())) & set(WORD.findall(unit.new[0].lower())))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def cut(sentence: str, chooser: random.Random) -> tuple[str, str] | None:
    """Return a sentence as two, parted before a clause, or None if there is no place."""
    places = []
    for match in CLAUSE.finditer(sentence):
        first, second = sentence[: match.start()], sentence[match.end() :]
        if min(len(first.split()), len(second.split())) >= LEAST_WORDS:
            places.append((first, second))
    if not places:
        return None
    first, second = chooser.choice(places)
    return first.rstrip(" ,;") + ".", _capital(second)


def merged(first: str, second: str) -> str:
    """Return two sentences as one."""
    return first.rstrip(" .!?") + ", and " + second[:1].lower() + second[1:]


def make_text(
    pool: Sequence[MadeUnit], strangers: Sequence[MadeUnit], rates: ChangeRates, seed: int
) -> MadeText:
    """Return two texts made of the units of a pool in their order.

    Parameters
    ----------
    pool : sequence of MadeUnit
    strangers : sequence of MadeUnit
        Of which sides are inserted.
    rates : ChangeRates
    seed : int
    """
    chooser = random.Random(seed)
    changed = [
        each for unit in _shifted(pool, rates, chooser) for each in _changed(unit, rates, chooser)
    ]
    order: list[tuple[int, MadeUnit]] = list(enumerate(changed))
    for position in range(len(order) - 1, -1, -1):
        if chooser.random() < rates.inserted:
            around = " ".join(
                each for _, unit in order[position - 1 : position + 2] for each in unit.old
            )
            likest = max(chooser.sample(strangers, N_STRANGERS), key=partial(n_shared, around))
            order.insert(position, (-1, MadeUnit((), likest.new[:1])))
    _move(order, rates, chooser)
    olds = list(enumerate(changed))
    breaks = {k for k in range(len(changed)) if chooser.random() < PARAGRAPH}
    old_text, old_numbers, n_old = _write(olds, 0, breaks)
    new_text, new_numbers, n_new = _write(order, 1, breaks)
    blocks, sizes = [], []
    for place, (k, unit) in enumerate(order):
        new = new_numbers[place]
        old = old_numbers[k] if k >= 0 else ()
        if new:
            blocks.append((old, new))
            sizes.append(sum(map(len, unit.old)) + sum(map(len, unit.new)))
    stays = heaviest(blocks, sizes)
    made = [
        MadeBlock(old, new, bool(old and k not in stays)) for k, (old, new) in enumerate(blocks)
    ]
    seen = {number for each in made for number in each.old}
    made += [MadeBlock((i,), (), False) for i in range(n_old) if i not in seen]
    return MadeText(old_text, new_text, n_old, n_new, tuple(made))


def _shifted(
    pool: Sequence[MadeUnit], rates: ChangeRates, chooser: random.Random
) -> Iterator[MadeUnit]:
    pending = list(pool)[::-1]
    while pending:
        unit = pending.pop()
        if pending and chooser.random() < rates.shifted:
            after = pending[-1]
            parts = cut(unit.new[0], chooser) if len(unit.new) == 1 else None
            if (
                parts
                and is_shared(parts, unit.old, 2)
                and len(unit.old) == len(after.old) == len(after.new) == 1
            ):
                pending.pop()
                yield MadeUnit(unit.old + after.old, (parts[0], merged(parts[1], after.new[0])))
                continue
        yield unit


def _changed(unit: MadeUnit, rates: ChangeRates, chooser: random.Random) -> Iterator[MadeUnit]:
    if len(unit.old) == 2 and len(unit.new) == 2:
        yield unit
        return
    if chooser.random() < rates.same:
        unit = MadeUnit(unit.old, unit.old)
    if len(unit.old) == len(unit.new) == 1 and chooser.random() < rates.cut:
        side = chooser.randrange(2)
        parts = cut(unit[side][0], chooser)
        if parts and is_shared(parts, unit[1 - side], 2):
            unit = MadeUnit(parts, unit.new) if side == 0 else MadeUnit(unit.old, parts)
    if len(unit.old) == len(unit.new) == 2:  # the same two
        yield from (MadeUnit((old,), (new,)) for old, new in zip(unit.old, unit.new, strict=True))
    elif chooser.random() < rates.deleted:
        yield from (MadeUnit((old,), ()) for old in unit.old)
    else:
        yield unit


def _move(order: list[tuple[int, MadeUnit]], rates: ChangeRates, chooser: random.Random) -> None:
    n = len(order)
    for _ in range(sum(chooser.random() < rates.moved for _ in range(n))):
        length = chooser.choice((1, 1, 2, 3))
        start = chooser.randrange(max(1, n - length))
        run = order[start : start + length]
        del order[start : start + length]
        place = chooser.randrange(len(order) + 1)
        order[place:place] = run
    for k in range(n - 1):
        if chooser.random() < rates.swapped:
            order[k], order[k + 1] = order[k + 1], order[k]


def _write(
    order: Sequence[tuple[int, MadeUnit]], side: int, breaks: set[int]
) -> tuple[str, list[tuple[int, ...]], int]:
    """Return a side's text, the numbers of the sentences of each unit, and how many there are."""
    text, n, numbers = "", 0, []
    for k, unit in order:
        own = []
        for sentence in unit[side]:
            spans = [(0, len(text))] if text else []
            last = text[text.rfind("\n") + 1 :] if text else ""
            last = last[-2000:]
            before = len(list(Sentences(last)))
            joined = f"{last} {sentence}"
            fits = text and [joined[s:e] for s, e in Sentences(joined)][before:] == [sentence]
            text += (" " if fits else "\n\n" if text else "") + sentence
            del spans
            own.append(n)
            n += 1
        if own and k in breaks:
            text += "\n\n"
        numbers.append(tuple(own))
    text = re.sub(r"\n\n\s+", "\n\n", text).rstrip()
    if len(list(Sentences(text))) != n:
        raise ValueError("the splitter finds other sentences than were written")
    return text, numbers, n


def heaviest(
    blocks: Sequence[tuple[tuple[int, ...], tuple[int, ...]]], sizes: Sequence[int]
) -> set[int]:
    """Return which blocks are in the heaviest chain that keeps the old text's order.

    `blocks` are in the new text's order; those without an old side are in none.
    """
    best: list[tuple[int, tuple[int, ...]]] = []
    top: tuple[int, tuple[int, ...]] = (0, ())
    for k, (old, _) in enumerate(blocks):
        if not old:
            best.append((0, ()))
            continue
        before = max(
            (best[j] for j in range(k) if blocks[j][0] and blocks[j][0][-1] < old[0]),
            default=(0, ()),
            key=lambda each: each[0],
        )
        best.append((before[0] + sizes[k], (*before[1], k)))
        top = max(top, best[-1], key=lambda each: each[0])
    return set(top[1])


def make_texts(
    data: Path,
    n_units: int = 40,
    seed: int = 1,
    shape: Callable[[ChangeRates], ChangeRates] | None = None,
) -> dict[tuple[str, str], list[MadeText]]:
    """Return made texts by corpus and rates, which use each unit of the corpus once."""
    made: dict[tuple[str, str], list[MadeText]] = {}
    for corpus, every in read_corpora(data).items():
        for name, rates in RATES.items():
            texts = made[corpus, name] = []
            for start in range(0, len(every) - n_units + 1, n_units):
                rest = every[:start] + every[start + n_units :]
                texts.append(
                    make_text(every[start : start + n_units], rest, rates, seed * 100_000 + start)
                )
    return made
