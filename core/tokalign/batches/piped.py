"""`Aligner.pipe`: many pairs, in batches, in this process or in others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, Unpack, overload

from tokalign.batches.outcomes import unwrap
from tokalign.batches.pipe import check_pipe, in_batches, of_pair, split_contexts
from tokalign.batches.processes import WorkerError
from tokalign.errors import InputError
from tokalign.types import Alignment, PairLike
from tokalign.types.keywords import AlignKeywords
from tokalign.types.options import AlignOptions


class Piped(ABC):
    """Base of what aligns pairs in batches."""

    @abstractmethod
    def _check(self, options: AlignOptions) -> None:
        """Raise InputError where options ask for what there is not, such as a style."""

    @abstractmethod
    def _outcomes(
        self, pairs: Sequence[PairLike], options: AlignOptions
    ) -> list[Alignment | Exception]:
        """Return the alignments of a batch, or why a pair has none."""

    @overload
    def pipe(
        self,
        pairs: Iterable[PairLike],
        options: AlignOptions | None = ...,
        *,
        batch_size: int = ...,
        n_process: int = ...,
        errors: Literal["raise"] = ...,
        as_tuples: Literal[False] = ...,
        **changes: Unpack[AlignKeywords],
    ) -> Iterator[Alignment]: ...

    @overload
    def pipe(
        self,
        pairs: Iterable[PairLike],
        options: AlignOptions | None = ...,
        *,
        batch_size: int = ...,
        n_process: int = ...,
        errors: Literal["return"],
        as_tuples: Literal[False] = ...,
        **changes: Unpack[AlignKeywords],
    ) -> Iterator[Alignment | InputError | WorkerError]: ...

    @overload
    def pipe(
        self,
        pairs: Iterable[tuple[PairLike, Any]],
        options: AlignOptions | None = ...,
        *,
        batch_size: int = ...,
        n_process: int = ...,
        errors: Literal["raise", "return"] = ...,
        as_tuples: Literal[True],
        **changes: Unpack[AlignKeywords],
    ) -> Iterator[tuple[Any, Any]]: ...

    def pipe(
        self,
        pairs: Iterable[Any],
        options: AlignOptions | None = None,
        *,
        batch_size: int = 64,
        n_process: int = 1,
        errors: Literal["raise", "return"] = "raise",
        as_tuples: bool = False,
        **changes: Unpack[AlignKeywords],
    ) -> Iterator[Any]:
        """Yield the alignments of many pairs, in order, reading `batch_size` pairs ahead.

        Annotating and encoding in batches is faster, and a sentence that several pairs of a batch
        share is annotated once.

        Parameters
        ----------
        pairs : iterable of (source, target), or of ((source, target), context)
            A third member of a pair is Constraints. A pair may be a mapping with both sentences by
            name, such as source and target (tokalign.types.inputs.SIDE_NAMES), and `constraints`.
        options, **changes
            As of `align`, without constraints.
        batch_size : int
            At least 1.
        n_process : int
            So many processes align, -1 for one on each processor, each with two batches read
            ahead. They are started anew and load this aligner, which has to pickle; a script needs
            its ``if __name__ == "__main__":``. A pair on which two of them die or hang is an error.
        errors : "raise" or "return"
            What becomes of the InputError of a pair that cannot be aligned, or the WorkerError: it
            ends the iteration, and names the pair, or is yielded in the alignment's place. The
            field of an InputError names the side.
        as_tuples : bool
            Whether `pairs` holds something of yours beside each, which is then yielded beside its
            alignment.

        Raises
        ------
        InputError
            If an argument is out of range, or as `errors` says.
        TypeError
            If there are to be processes, and this aligner does not pickle.
        """
        check_pipe(pairs, batch_size, n_process, errors)
        options = AlignOptions.of(options, changes)
        self._check(options)
        contexts: deque[Any] = deque()
        if as_tuples:
            pairs = split_contexts(pairs, contexts)
        align = partial(self._outcomes, options=options)
        outcomes = in_batches(align, pairs, batch_size, n_process)
        for number, outcome in enumerate(outcomes):
            if errors == "raise" or not isinstance(outcome, InputError | WorkerError):
                unwrap(of_pair(outcome, number))
            yield (outcome, contexts.popleft()) if as_tuples else outcome
