"""The demonstration of `make demo`: a real server, a real client, real sentences.

Starts ``tokalign serve`` as a process on a free port, aligns and ranks sentences of tests/data and
grounds answers through the client, prints some, and drains the server. Exits 1 if anything fails or
takes too long.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokalign.client import Client
from tokalign.formats import read_gold
from tokalign.grounding.evidence import terminal_lines
from tokalign.types import Alignment, GoldPair
from tokalign.view import LEGEND, grid_lines

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # a script's own folder is on the path, the repository's root is not

from bench.server_process import running_server  # noqa: E402

DATA = ROOT / "tests" / "data"
SHOWN = ("question-02", "paraphrase-01", "negation-01")
QUESTIONS_SHOWN = 2
ANSWER_SHOWN = "library"
STOP_TIMEOUT_S = 30.0
LEAST_RECALL = 0.5


@contextmanager
def demo_server(model: str) -> Iterator[str]:
    """Yield the address of a running server; afterwards stop it, and check that it drained."""
    with running_server("--metrics-port", "-1", "--model", model) as server:
        yield server.address
        code = server.stop(timeout_s=STOP_TIMEOUT_S)
        if code != 0:
            sys.exit(f"the server ended with exit code {code}")


def show_alignments(client: Client, pairs: list[GoldPair]) -> None:
    """Align the sample in one call; show some pairs as grids, and how many links are right."""
    results = client.batch_align([(pair.source.text, pair.target.text) for pair in pairs])
    alignments = [result.unwrap() for result in results]
    for pair, alignment in zip(pairs, alignments, strict=True):
        if (alignment.source.tokens, alignment.target.tokens) != (
            pair.source.tokens,
            pair.target.tokens,
        ):
            sys.exit(f"{pair.id} was cut into other tokens than in the sample")
        if pair.id in SHOWN:
            show_pair(pair, alignment)
    n_gold = n_found = n_right = 0
    for pair, alignment in zip(pairs, alignments, strict=True):
        links = {(link.source, link.target) for link in alignment.links}
        n_gold += len(pair.sure)
        n_found += len(pair.sure & links)
        n_right += len((pair.sure | pair.possible) & links)
    n_links = sum(len(alignment.links) for alignment in alignments)
    print(
        f"{len(pairs)} pairs in one call: {n_links} links, {n_right} of them sure or possible by "
        f"hand; {n_found} of {n_gold} sure links found\n"
    )
    if n_found < LEAST_RECALL * n_gold:
        sys.exit("fewer than half of the sure links were found")


def show_pair(pair: GoldPair, alignment: Alignment) -> None:
    """Print one pair as a grid."""
    print(f"{pair.id}  score {alignment.score:.2f}  by {alignment.model} {alignment.version}")
    print(f"  source: {pair.source.text}\n  target: {pair.target.text}\n")
    links = {(link.source, link.target) for link in alignment.links}
    for line in grid_lines(pair, links):
        print("  " + line)
    print()


def show_ranking(client: Client, path: Path) -> None:
    """Rank the candidates of every question; show some, and how often the answer came first."""
    questions = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    n_first = 0
    for number, asked in enumerate(questions):
        ranking = client.rank(asked["question"], asked["candidates"])
        n_first += ranking[0].index == asked["answer"]
        if number >= QUESTIONS_SHOWN:
            continue
        print(asked["question"])
        for place, result in enumerate(ranking, 1):
            mark = "<- answer" if result.index == asked["answer"] else ""
            score = result.judgement.score
            print(f"  {place}. {score:.3f}  {asked['candidates'][result.index]} {mark}".rstrip())
        print()
    print(f"{n_first} of {len(questions)} questions have their answer ranked first\n")


def show_evidence(client: Client, path: Path) -> None:
    """Ground the answers with planted errors; show one, and how many of the errors are flagged."""
    n_planted = n_flagged = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        passages = [(each["id"], each["text"]) for each in asked["passages"]]
        found = client.ground(asked["answer"], passages)
        flagged = [
            mark for each in found.sentences for mark in (*each.unsupported, *each.conflicts)
        ]
        for planted in asked["planted"]:
            start = asked["answer"].index(planted["text"])
            end = start + len(planted["text"])
            n_planted += 1
            n_flagged += any(mark.start < end and start < mark.end for mark in flagged)
        if asked["id"] == ANSWER_SHOWN:
            print(asked["question"])
            print("  [?without support?] {!in conflict with a passage!} [number of a source]\n")
            for shown in terminal_lines(found, width=96):
                print(f"  {shown}".rstrip())
            print()
    print(f"{n_flagged} of {n_planted} errors planted in answers are flagged")
    if 2 * n_flagged < n_planted:
        sys.exit("fewer than half of the planted errors were flagged")


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="en", help="name or path")
    model = parser.parse_args().model
    with demo_server(model) as address, Client(address) as client:
        client.wait_ready()
        info = client.list_models()
        print(f"tokalign {info.server_version} serves model {info.models[0].name} at {address}")
        print(f"{LEGEND}\n")
        show_alignments(client, read_gold(DATA / "sample.jsonl"))
        show_ranking(client, DATA / "rank.jsonl")
        show_evidence(client, DATA / "grounding.jsonl")


if __name__ == "__main__":
    main()
