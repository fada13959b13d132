"""Sheets for judging differences blind, and what verdicts on them say.

A sheet holds sentences of the new texts that no old text has, drawn by a fixed seed. Each is shown
as four programs mark it, all in the same signs: tokalign, difflib over words, diff-match-patch with
its semantic clean-up, and wdiff. Letters hide their names, in an order that the seed and the number
of the sentence decide. Words that tokalign moves are shown as moved, which the others cannot do.

Verdicts are lines of a sentence's number and the letters of those that read best: `7 AC`. Marks
read best if they say what a careful editor changed there, cut nothing in two, and leave the fewest
signs.
"""

from __future__ import annotations

import difflib
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TypeAlias

from tokalign import Aligner, split
from tokalign.texts.diff.reading_order import MarkRole, marks_of

Piece: TypeAlias = tuple[str, str]
"""A sign, of those below, and a text; what is gone has no place in the new text."""
SIGNS = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}", "<": "[moved away: {}]", ">": "{{moved: {}}}"}
SEED = 60
N_SENTENCES = 60
PROGRAMS = ("tokalign", "difflib", "diff-match-patch", "wdiff")
_ROLES = {
    MarkRole.KEPT: "=", MarkRole.GONE: "-", MarkRole.NEW: "+", MarkRole.LEFT: "<",
    MarkRole.MOVED: ">",
}  # fmt: skip
_WORDS = re.compile(r"\w+|[^\w\s]|\s+")
_MARKED = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}", re.DOTALL)


def with_tokalign(aligner: Aligner, old: str, new: str) -> Iterator[Piece]:
    """Yield the pieces of tokalign's difference."""
    diff = aligner.diff(old, new)
    for block in diff.blocks:
        for mark in marks_of(diff, block):
            sign = _ROLES[mark.role]
            yield (">" if sign == "=" and block.move is not None else sign), mark.text


def with_difflib(old: str, new: str) -> Iterator[Piece]:
    """Yield the pieces of difflib's difference over words and signs."""
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    for tag, i0, i1, j0, j1 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            yield "-", "".join(a[i0:i1])
        yield "=" if tag == "equal" else "+", "".join(b[j0:j1])


def with_diff_match_patch(old: str, new: str) -> Iterator[Piece]:
    """Yield the pieces of diff-match-patch's difference."""
    from diff_match_patch import diff_match_patch

    differ = diff_match_patch()
    pieces = differ.diff_main(old, new)
    differ.diff_cleanupSemantic(pieces)
    for kind, text in pieces:
        yield "-=+"[kind + 1], text


def with_wdiff(old: Path, new: Path) -> Iterator[Piece]:
    """Yield the pieces of wdiff's difference."""
    done = subprocess.run(
        ["wdiff", str(old), str(new)], capture_output=True, text=True, check=False
    )
    at = 0
    for mark in _MARKED.finditer(done.stdout):
        yield "=", done.stdout[at : mark.start()]
        yield ("-", mark[1]) if mark[1] is not None else ("+", mark[2])
        at = mark.end()
    yield "=", done.stdout[at:]


def shown(pieces: Iterable[Piece], start: int, end: int) -> str:
    """Return the pieces between two places of the new text, counted in letters and signs."""
    found, at = "", 0
    for sign, text in pieces:
        if sign in "-<":
            part = text if start <= at < end else ""
        else:
            part = ""
            for letter in text:
                at += not letter.isspace()
                if start < at <= end and (found or part or not letter.isspace()):
                    part += letter
        if part.strip():
            said = " ".join(part.split())
            before = " " * (part[0].isspace() or found.endswith(" "))
            found = f"{found.rstrip()}{before}{SIGNS[sign].format(said)}{' ' * part[-1].isspace()}"
    return found.strip()


def order_of(number: int) -> list[str]:
    """Return the programs behind A, B, C and D of a sentence."""
    programs = list(PROGRAMS)
    Random(f"{SEED} {number}").shuffle(programs)
    return programs


def sheet(files: Sequence[tuple[Path, Path]], aligner: Aligner) -> Iterator[str]:
    """Yield the lines of a sheet for pairs of files."""
    drawn: list[tuple[int, int, int, str]] = []
    pieces = []
    for number, names in enumerate(files):
        old, new = (name.read_text("utf-8") for name in names)
        pieces.append(
            {
                "tokalign": list(with_tokalign(aligner, old, new)),
                "difflib": list(with_difflib(old, new)),
                "diff-match-patch": list(with_diff_match_patch(old, new)),
                "wdiff": list(with_wdiff(*names)),
            }
        )
        known = {" ".join(each.text.split()) for each in split(old)}
        for each in split(new):
            if " ".join(each.text.split()) not in known:
                start = len("".join(new[: each.start].split()))
                drawn.append(
                    (number, start, start + len("".join(each.text.split())), names[1].name)
                )
    for n, (number, start, end, name) in enumerate(
        sorted(Random(SEED).sample(drawn, min(N_SENTENCES, len(drawn)))), 1
    ):
        yield f"{n}. {name}"
        for letter, program in zip("ABCD", order_of(n), strict=True):
            yield f"   {letter}: {shown(pieces[number][program], start, end)}"


def counts(lines: Iterable[str]) -> Iterator[dict[str, object]]:
    """Yield a row for each program: sentences in which it reads best alone, and with others."""
    alone: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    n = 0
    for line in filter(str.strip, lines):
        number, letters = line.split()
        best = [order_of(int(number))["ABCD".index(letter)] for letter in letters]
        (alone if len(best) == 1 else shared).update(best)
        n += 1
    for program in PROGRAMS:
        yield {"system": program, "best": alone[program], "shared": shared[program], "of": n}
