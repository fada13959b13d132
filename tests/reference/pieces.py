"""Pieces of a text that is too long for a pair, gap by gap."""

from __future__ import annotations

from zlib import crc32

from tokalign.english.annotate.tokenizer import tokenize


def pieces(text: str, most: int) -> list[tuple[int, int]]:
    """Return the ranges of the pieces of at most so many tokens; none is long in characters."""
    _, starts, ends = tokenize(text)
    tokens = list(zip(starts, ends, strict=True))
    found = []
    while len(tokens) > most:
        best = None
        for n in range(most // 2 + 1, most + 1):
            gap = text[tokens[n - 1][1] : tokens[n][0]]
            kind = 0 if "\n" in gap else 1 if gap else 2
            at = starts.index(tokens[n][0])
            around = text[starts[max(0, at - 2)] : ends[min(at + 2, len(ends)) - 1]]
            rank = kind, crc32(around.encode(errors="surrogatepass")), -n
            best = rank if best is None else min(best, rank)
        assert best is not None
        n = -best[2]
        found.append((tokens[0][0], tokens[n - 1][1]))
        tokens = tokens[n:]
    return [*found, (tokens[0][0], tokens[-1][1])]
