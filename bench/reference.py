"""bench/limit.c, compiled for this processor and called from Python."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).resolve().with_name("limit.c")
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def compiler() -> str | None:
    """Return the C compiler's path, or None where there is none."""
    return shutil.which("cc") or shutil.which("gcc")


class Reference:
    """The reference program's functions.

    Parameters
    ----------
    folder : Path
        Where the compiled library goes.

    Raises
    ------
    RuntimeError
        If there is no C compiler.
    subprocess.CalledProcessError
        If it does not compile.
    """

    def __init__(self, folder: Path) -> None:
        path = compiler()
        if path is None:
            raise RuntimeError("no C compiler is called cc or gcc; install one to measure this")
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / "limit.so"
        subprocess.run([path, *FLAGS, "-o", str(library), str(SOURCE), "-lm"], check=True)
        self._library = ctypes.CDLL(str(library.resolve()))
        for name in ("jaro_winkler", "shared_ngrams", "forward_backward", "align"):
            getattr(self._library, f"limit_{name}").restype = ctypes.c_double

    def jaro_winkler(self, a: str, b: str) -> float:
        """Return the similarity of two words of at least one byte each, 0 to 1."""
        return float(self._library.limit_jaro_winkler(a.encode(), b.encode()))

    def levenshtein(self, a: str, b: str) -> int:
        """Return the edit distance of two words of at least one byte each."""
        return int(self._library.limit_levenshtein(a.encode(), b.encode()))

    def shared_ngrams(self, a: str, b: str) -> float:
        """Return the n-grams of `a` that are in `b`, to the characters of both."""
        return float(self._library.limit_shared_ngrams(a.encode(), b.encode()))

    def forward_backward(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return the posteriors, and the log of the partition function.

        Parameters
        ----------
        scores : float64 array, shape (n_steps, n_states)
            Potentials in nats; state 0 is NULL.
        """
        posterior = np.array(scores, dtype=np.float64, order="C")
        room = np.empty_like(posterior)
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (posterior, room)]
        total = self._library.limit_forward_backward(*pointers, *posterior.shape)
        return posterior, float(total)

    def prepared(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Prepared:
        """Return pairs of tokens as C arrays; the time that takes is not the program's."""
        return Prepared(self._library, pairs)


class Prepared:
    """Pairs as C arrays.

    Parameters
    ----------
    library : ctypes.CDLL
    pairs : sequence of (sequence of str, sequence of str)
        Tokens, of at least one byte each.
    """

    def __init__(
        self, library: ctypes.CDLL, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> None:
        self._library = library
        words = [word.encode() for pair in pairs for side in pair for word in side]
        self._words = (ctypes.c_char_p * len(words))(*words)
        self._lengths = np.array([[len(side) for side in pair] for pair in pairs], dtype=np.int32)

    def align(self) -> float:
        """Align all pairs and return the sum of the log partitions.

        Raises
        ------
        ValueError
            If a sentence is empty or too long for the program.
        """
        lengths = ctypes.c_void_p(self._lengths.ctypes.data)
        total = float(self._library.limit_align(self._words, lengths, len(self._lengths)))
        if math.isnan(total):
            least, most = int(self._lengths.min()), int(self._lengths.max())
            raise ValueError(f"sentences of {least} to {most} tokens; wanted 1 to 1024")
        return total
