"""Revisions: what programs mark between two versions of texts of many kinds.

The pairs are `lab/revisions/NAME.old.txt` and `NAME.new.txt`, written for the purpose: a changelog,
a contract, a draft of a protocol, an essay, a leaflet of a medicine, minutes, news, a paper in
LaTeX, a policy, a README, a recipe, house rules in HTML, a statute. `--pairs` names another folder
of such files.

Prints a row for each program: words marked as deleted or inserted and as moved, edits (pieces that
differ, one of two that replace each other), and processor seconds for all pairs. A word, between
white space, counts if any part of it is marked. `--alarms` prints tokalign's alarms of each pair,
`--sheet` a sheet for judging what four programs mark, and `--verdicts` counts verdicts on one; see
`lab.accuracy.judging`. `lab/revisions/verdicts.txt` has those of one reader.

Rivals: Python's difflib over words; diff-match-patch over letters, with its semantic clean-up;
redlines; and, where they are installed, wdiff, dwdiff and git's diff of words. They need

    pip install diff-match-patch redlines
"""

from __future__ import annotations

import argparse
import difflib
import re
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from tokalign import Aligner
from tokalign.texts.diff import SPACE, summarize
from tokalign.types.edits import EditKind

from bench.program import ROOT, print_row
from lab.accuracy import judging

PAIRS = ROOT / "lab" / "revisions"
Counts: TypeAlias = tuple[int, int, int]
"""Words deleted or inserted, words moved, edits."""
_MARK = re.compile(r"\[-(.*?)-\]|\{\+(.*?)\+\}|<del>(.*?)</del>|<ins>(.*?)</ins>", re.DOTALL)
_TOKEN = re.compile(r"\w+|[^\w\s]")
COMMANDS = {
    "wdiff": ("wdiff", "{old}", "{new}"),
    "dwdiff": ("dwdiff", "-P", "{old}", "{new}"),
    "git": ("git", "diff", "--no-index", "--word-diff=plain", "--no-color", "{old}", "{new}"),
}


def n_touched(text: str, ranges: Iterable[tuple[int, int]]) -> int:
    """Return the number of words of a text that ranges of it touch."""
    marked = {at for start, end in ranges for at in range(start, end)}
    return sum(not marked.isdisjoint(range(*word.span())) for word in re.finditer(r"\S+", text))


def with_tokalign(aligner: Aligner, old: str, new: str) -> Counts:
    """Return what tokalign marks."""
    found = [each for each in aligner.diff(old, new).segments() if each.change not in (None, SPACE)]
    moved = [each for each in found if each.kind is EditKind.MOVE]
    changed = [each for each in found if each.kind is not EditKind.MOVE]
    n_changed = n_touched(old, (each.old for each in changed))
    n_changed += n_touched(new, (each.new for each in changed))
    return n_changed, n_touched(new, (each.new for each in moved)), len(found)


def with_difflib(old: str, new: str) -> Counts:
    """Return what difflib.SequenceMatcher marks over words and signs."""
    olds, news = ([each.span() for each in _TOKEN.finditer(text)] for text in (old, new))
    matcher = difflib.SequenceMatcher(
        None, [old[i:j] for i, j in olds], [new[i:j] for i, j in news], autojunk=False
    )
    edits = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    n_old = n_touched(old, (span for _, i, j, _, _ in edits for span in olds[i:j]))
    n_new = n_touched(new, (span for _, _, _, i, j in edits for span in news[i:j]))
    return n_old + n_new, 0, len(edits)


def with_diff_match_patch(old: str, new: str) -> Counts:
    """Return what diff-match-patch marks."""
    from diff_match_patch import diff_match_patch

    differ = diff_match_patch()
    pieces = differ.diff_main(old, new)
    differ.diff_cleanupSemantic(pieces)
    n_edits = sum(
        kind != 0 and (k == 0 or pieces[k - 1][0] == 0) for k, (kind, _) in enumerate(pieces)
    )

    def ranges(side: int) -> Iterator[tuple[int, int]]:
        at = 0
        for kind, text in pieces:
            if kind == side:
                yield at, at + len(text)
            at += len(text) * (kind in (0, side))

    return n_touched(old, ranges(-1)) + n_touched(new, ranges(1)), 0, n_edits


def with_redlines(old: str, new: str) -> Counts:
    """Return what redlines marks."""
    from redlines import Redlines

    return _marked(Redlines(old, new, markdown_style="none").output_markdown)


def with_command(command: tuple[str, ...], old: Path, new: Path) -> Counts:
    """Return what a program marks between two files."""
    words = [each.format(old=old, new=new) for each in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} exited {done.returncode}: {done.stderr[-200:]}")
    return _marked(done.stdout)


def _marked(text: str) -> Counts:
    """Return the counts of a text with marks; an insertion behind a deletion is of its edit."""
    found = list(_MARK.finditer(text))
    n_words = sum(len("".join(filter(None, each.groups())).split()) for each in found)
    replaced = sum(
        before[0][:2] in ("[-", "<d")
        and after[0][:2] in ("{+", "<i")
        and not text[before.end() : after.start()].strip()
        for before, after in pairwise(found)
    )
    return n_words, 0, len(found) - replaced


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--alarms", action="store_true")
    parser.add_argument("--sheet", action="store_true")
    parser.add_argument("--verdicts", type=Path)


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each program, the alarms of each pair, a sheet, or what verdicts say."""
    if arguments.verdicts is not None:
        for row in judging.counts(arguments.verdicts.read_text("utf-8").splitlines()):
            print_row(row)
        return
    files = [
        (old, old.with_name(old.name.replace(".old.", ".new.")))
        for old in sorted(arguments.pairs.glob("*.old.*"))
    ]
    texts = [(old.read_text("utf-8"), new.read_text("utf-8")) for old, new in files]
    aligner = Aligner.load()
    if arguments.sheet:
        for line in judging.sheet(files, aligner):
            print(line)
        return
    if arguments.alarms:
        for (old, _), pair in zip(files, texts, strict=True):
            for each in summarize(aligner.diff(*pair)).alarms:
                print_row({"pair": old.name.split(".")[0], "alarm": f"{each.kind} {each}"})
        return
    systems: dict[str, Callable[[], list[Counts]]] = {
        "tokalign": lambda: [with_tokalign(aligner, *pair) for pair in texts],
        "difflib": lambda: [with_difflib(*pair) for pair in texts],
        "diff-match-patch": lambda: [with_diff_match_patch(*pair) for pair in texts],
        "redlines": lambda: [with_redlines(*pair) for pair in texts],
    }
    for name, command in COMMANDS.items():
        if shutil.which(name):
            systems[name] = partial(lambda given: [with_command(given, *p) for p in files], command)
    for name, work in systems.items():
        work()
        before = _seconds()
        deleted, moved, edits = map(sum, zip(*work(), strict=True))
        seconds = _seconds() - before
        row = {"system": name, "marked": deleted, "moved": moved, "edits": edits}
        print_row(row, {"seconds": seconds})


def _seconds() -> float:
    """Return processor seconds of this process and of those that it ran."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)
