"""The reference program limit.c, compiled for this processor and called from Python."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from tokalign.errors import LimitError, ResourceError

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
        self._align = ctypes.CDLL(str(library.resolve())).limit_align
        self._align.restype = ctypes.c_double

    def aligning(
        self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> Callable[[], object]:
        """Return the alignment of pairs of tokens, of which C arrays are made here.

        It raises LimitError if a sentence is empty or too long for the program.
        """
        words = [word.encode() for pair in pairs for side in pair for word in side]
        table = (ctypes.c_char_p * len(words))(*words)
        lengths = np.array([[len(side) for side in pair] for pair in pairs], dtype=np.int32)

        def work() -> None:
            total = float(self._align(table, ctypes.c_void_p(lengths.ctypes.data), len(lengths)))
            if math.isnan(total):
                least, most = int(lengths.min()), int(lengths.max())
                raise LimitError(f"sentences of {least} to {most} tokens; wanted 1 to 1024")

        return work
