"""Decisions between two passes of notes: what they disagree on, and the notes that come of it.

    python -m lab.corpus.decisions list FIRST SECOND > LIST
    python -m lab.corpus.decisions apply FIRST SECOND DECISIONS > NOTES

The list has a numbered block for each pair that the passes mark unlike, with a numbered item for
each thing that only one has. A line of decisions names a pair's number and what holds of its
items: ``17: 1 p3 4b v=half`` takes item 1, item 3 as a possible link, of item 4 what the second
pass has, and the verdict. Items that are not named are dropped; of a relation the first pass's
holds. What both have stays.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.corpus.notes import (
    CONFLICTS,
    RELATIONS,
    MarkedConflict,
    NotedPair,
    TokenLink,
    is_mark,
    read_notes,
)

_LETTERS = {kind: letter for letter, kind in RELATIONS.items()}


@dataclass
class Item:
    """What the passes disagree on: links, a relation, a conflict or an unsupported word."""

    text: str
    links: tuple[TokenLink, ...] = ()
    relation: str = ""
    kinds: tuple[str, str] | None = None
    conflict: MarkedConflict | None = None
    word: int = -1


def items(a: NotedPair, b: NotedPair) -> list[Item]:
    """Return what two passes disagree on, but for the verdict."""
    found: list[Item] = []
    for name, own, other in (("A", a, b), ("B", b, a)):
        for group in _components(own.sure - other.sure):
            if all(is_mark(own.source.tokens[i]) for i, _ in group):
                continue
            kind = own.relations.get(group[0], "")
            letter = f" [{_LETTERS[kind]}]" if kind in _LETTERS else ""
            maybe = " (possible in the other)" if set(group) <= other.possible else ""
            text = f"{_words_of(own, group)}{letter} {name}{maybe}"
            found.append(Item(text, tuple(group), relation=kind))
    for link in sorted(a.sure & b.sure):
        kinds = a.relations.get(link, ""), b.relations.get(link, "")
        if kinds[0] != kinds[1]:
            letters = [_LETTERS.get(kind, "same") for kind in kinds]
            text = f"relation {_words_of(a, [link])} a={letters[0]} b={letters[1]}"
            found.append(Item(text, (link,), kinds=kinds))
    for name, own, other in (("A", a, b), ("B", b, a)):
        kinds_there = [each.kind for each in other.conflicts]
        for each in own.conflicts:
            if each.kind in kinds_there:
                kinds_there.remove(each.kind)
            else:
                text = f"conflict {each.kind}: {_sides(own, each)} {name}"
                found.append(Item(text, conflict=each))
    if a.task == "claim":
        for at in sorted(a.unsupported ^ b.unsupported):
            name = "A" if at in a.unsupported else "B"
            found.append(Item(f"U {a.target.tokens[at]} {name}", word=at))
    return found


def decided(a: NotedPair, b: NotedPair, decision: str) -> NotedPair:
    """Return the pair with what both passes have, and what was decided.

    Raises
    ------
    ValueError
        If a decision names no item.
    """
    found = items(a, b)
    taken: dict[int, str] = {}
    verdict = a.verdict
    for part in decision.split():
        if part.startswith("v="):
            verdict = part[2:]
            continue
        match = re.fullmatch(r"(p?)(\d+)([ab]?)", part)
        if match is None or not 1 <= int(match[2]) <= len(found):
            raise ValueError(f"{a.id}: {part!r} is no item; there are 1 to {len(found)}")
        taken[int(match[2])] = match[1] or match[3] or "s"
    sure = a.sure & b.sure
    possible = (
        (a.possible | b.possible | a.sure | b.sure) & (b.possible | b.sure) & (a.possible | a.sure)
    )
    relations = {
        link: kind
        for link in a.sure & b.sure | possible
        if (kind := a.relations.get(link) or b.relations.get(link))
    }
    conflicts = [each for each in a.conflicts if each.kind in [other.kind for other in b.conflicts]]
    unsupported = a.unsupported & b.unsupported if a.task == "claim" else set()
    for link in a.sure & b.sure:
        relations.pop(link, None)
        if kind := a.relations.get(link):
            relations[link] = kind
    for number, item in enumerate(found, 1):
        how = taken.get(number, "")
        if item.kinds is not None:
            kind = item.kinds[how == "b"]
            relations.pop(item.links[0], None)
            if kind:
                relations[item.links[0]] = kind
        elif not how:
            continue
        elif item.links:
            (possible if how == "p" else sure).update(item.links)
            if item.relation:
                relations.update(dict.fromkeys(item.links, item.relation))
        elif item.conflict is not None:
            conflicts.append(item.conflict)
        else:
            unsupported.add(item.word)
    return NotedPair(
        a.id, a.genre, a.topic, a.task, verdict, a.source, a.target, sure, possible - sure,
        relations, conflicts, unsupported, a.line,
    )  # fmt: skip


def _components(links: Iterable[TokenLink]) -> list[list[TokenLink]]:
    """Return links that share words in groups, in order."""
    groups: list[list[TokenLink]] = []
    for link in sorted(links):
        touching = [g for g in groups if any(link[0] == i or link[1] == j for i, j in g)]
        merged = [each for group in touching for each in group] + [link]
        groups = [g for g in groups if g not in touching] + [sorted(merged)]
    return sorted(groups)


def _words_of(pair: NotedPair, links: Iterable[TokenLink]) -> str:
    links = list(links)
    source = _run(pair.source.tokens, {i for i, _ in links})
    return f"{source}~{_run(pair.target.tokens, {j for _, j in links})}"


def _run(tokens: tuple[str, ...], places: Iterable[int]) -> str:
    """Return some tokens as notes name them; words that stand apart have dots between them."""
    text, last = "", -2
    for at in sorted(places):
        text += ("" if not text else " " if at == last + 1 else " .. ") + tokens[at]
        last = at
    return text


def _sides(pair: NotedPair, each: MarkedConflict) -> str:
    return f"{_run(pair.source.tokens, each.source)}~{_run(pair.target.tokens, each.target)}"


def listing(first: list[NotedPair], second: list[NotedPair]) -> Iterator[str]:
    """Yield a block for each pair that the passes mark unlike."""
    for number, (a, b) in enumerate(zip(first, second, strict=True), 1):
        found = items(a, b)
        if not found and a.verdict == b.verdict:
            continue
        yield f"# {number} {a.task}"
        yield f"S: {a.source.text}"
        yield f"T: {a.target.text}"
        both = [_words_of(a, group) for group in _components(a.sure & b.sure)]
        yield f"both: {'; '.join(each for each in both if any(map(str.isalnum, each)))}"
        if a.verdict != b.verdict:
            yield f"v A={a.verdict} B={b.verdict}"
        for k, item in enumerate(found, 1):
            yield f"{k} {item.text}"
        yield ""


def write_notes(pairs: Iterable[NotedPair]) -> Iterator[str]:
    """Yield the lines of notes, from which `read_notes` reads the same pairs."""
    for pair in pairs:
        yield f"# {pair.genre}/{pair.topic} {pair.task} {pair.verdict}".rstrip()
        yield f"S: {pair.source.text}"
        yield f"T: {pair.target.text}"
        for key, links in (("L", pair.sure), ("P", pair.possible)):
            if parts := list(_link_items(pair, links)):
                yield f"{key}: {'; '.join(parts)}"
        said = [
            f"{each.kind}: {_named(pair.source.tokens, each.source)}"
            f"~{_named(pair.target.tokens, each.target)}"
            for each in sorted(pair.conflicts, key=lambda each: CONFLICTS.index(each.kind))
        ]
        yield f"C: {'; '.join(said) or '-'}"
        if pair.unsupported:
            tokens = pair.target.tokens
            runs = _runs(pair.unsupported)
            yield f"U: {'; '.join(_named(tokens, run) for run in runs)}"
        yield ""


def _link_items(pair: NotedPair, links: set[TokenLink]) -> Iterator[str]:
    """Yield links as notes have them: a block as one item, and so a run of equal words."""
    source = pair.source.tokens
    run: list[TokenLink] = []
    for group in _components(link for link in links if not is_mark(source[link[0]])):
        if len(group) == 1 and _is_equal(pair, group[0]):
            if run and group[0] != (run[-1][0] + 1, run[-1][1] + 1):
                yield _named_links(pair, run)
                run = []
            run.append(group[0])
            continue
        if run:
            yield _named_links(pair, run)
            run = []
        rows, columns = {i for i, _ in group}, {j for _, j in group}
        is_block = len(group) == len(rows) * len(columns)
        kinds = {pair.relations.get(link, "") for link in group}
        is_whole = is_block and len(_runs(rows)) == len(_runs(columns)) == 1 and len(kinds) == 1
        for part in [group] if is_whole else [[link] for link in group]:
            yield _named_links(pair, part)
    if run:
        yield _named_links(pair, run)


def _is_equal(pair: NotedPair, link: TokenLink) -> bool:
    """Whether a link joins two equal words that mean the same."""
    i, j = link
    return pair.source.tokens[i] == pair.target.tokens[j] and link not in pair.relations


def _named_links(pair: NotedPair, links: Sequence[TokenLink]) -> str:
    """Return links that are one item: a block, or a run of equal words."""
    kind = pair.relations.get(links[0], "")
    letter = f" [{_LETTERS[kind]}]" if kind in _LETTERS else ""
    one = _named(pair.source.tokens, {i for i, _ in links})
    other = _named(pair.target.tokens, {j for _, j in links})
    return one if one == other and not letter else f"{one}~{other}{letter}"


def _runs(places: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for at in sorted(places):
        if runs and at == runs[-1][-1] + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _named(tokens: tuple[str, ...], places: Iterable[int]) -> str:
    """Return a run of tokens with the number that tells it from equal ones."""
    run = sorted(places)
    if not run:
        return ""
    words = tokens[run[0] : run[-1] + 1]
    starts = [k for k in range(len(tokens)) if tokens[k : k + len(words)] == words]
    text = " ".join(words)
    return text if len(starts) == 1 else f"{text}#{starts.index(run[0]) + 1}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.corpus.decisions")
    parser.add_argument("what", choices=("list", "apply"))
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("decisions", type=Path, nargs="?")
    options = parser.parse_args()
    first, second = read_notes(options.first), read_notes(options.second)
    if options.what == "list":
        print("\n".join(listing(first, second)))
        return
    said: dict[int, str] = {}
    for line in options.decisions.read_text(encoding="utf-8").splitlines():
        number, colon, decision = line.partition(":")
        if colon and number.strip().isdigit():
            said[int(number)] = decision
    pairs = [
        decided(a, b, said.get(number, ""))
        for number, (a, b) in enumerate(zip(first, second, strict=True), 1)
    ]
    print("\n".join(write_notes(pairs)))


if __name__ == "__main__":
    main()
