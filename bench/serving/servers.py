"""Servers in processes of their own, and messages to send them."""

from __future__ import annotations

from pathlib import Path

from tokalign.v1 import align_pb2

from bench.server_process import FREE_PORTS, SERVE, ServerProcess

PAIRS = Path(__file__).resolve().parents[1] / "pairs.tsv"


def start(*command: str) -> ServerProcess:
    """Start a server and return it once it serves."""
    server = ServerProcess(command)
    server.wait_listening()
    return server


def serve(*flags: str, workers: int = 2) -> ServerProcess:
    """Start `tokalign serve` on free ports."""
    return start(*SERVE, *FREE_PORTS, "--workers", str(workers), *flags)


def sample(path: Path = PAIRS) -> list[align_pb2.Pair]:
    """Return the pairs of a file, lines of source TAB target.

    Of the shipped file every source comes again with its neighbours' targets, so that there are
    twice as many pairs and more pairs of words than a worker remembers.
    """
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    if path == PAIRS:
        targets = [target for _, target in rows]
        for index, (source, _) in enumerate(rows[: len(targets)]):
            others = targets[index - 1 : index] if index % 2 else targets[index - 2 : index]
            rows.append([source, " ".join(others or targets[-1:])])
    return [align_pb2.Pair(source={"text": row[0]}, target={"text": row[1]}) for row in rows]


def batch(pairs: list[align_pb2.Pair], size: int) -> align_pb2.BatchAlignRequest:
    """Return a request of so many pairs, repeated where there are fewer."""
    return align_pb2.BatchAlignRequest(pairs=[pairs[index % len(pairs)] for index in range(size)])
