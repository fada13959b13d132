"""The reference program limit.c, compiled for this processor and called from Python."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokalign.errors import ResourceError

SOURCE = Path(__file__).resolve().with_name("limit.c")
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


class Reference:
    """The reference program.

    Parameters
    ----------
    folder : Path
        Where the compiled library goes.

    Raises
    ------
    ResourceError
        If there is no C compiler.
    subprocess.CalledProcessError
        If it does not compile.
    """

    def __init__(self, folder: Path) -> None:
        path = shutil.which("cc") or shutil.which("gcc")
        if path is None:
            raise ResourceError("no C compiler is called cc or gcc; install one to measure this")
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / "limit.so"
        subprocess.run([path, *FLAGS, "-o", str(library), str(SOURCE), "-lm"], check=True)
        self._library = ctypes.CDLL(str(library.resolve()))
        self._library.limit_align.restype = ctypes.c_double

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
