"""A session of onnxruntime: sequences of word pieces in, states of the last layer out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.neural.architecture import Architecture
from tokalign.neural.base import Weights
from tokalign.neural.devices import DEFAULT_DEVICE, need, providers
from tokalign.neural.wordpieces import PieceSequence

BATCH_PIECES = {DEFAULT_DEVICE: 256}
"""Word pieces of one run, padding included. On a processor more leave its caches."""
BATCH_PIECES_ELSEWHERE = 16_384


class Session:
    """Runs an encoder's layers on one thread. A sequence's states do not depend on its batch.

    Parameters
    ----------
    weights : callable
        Returns the weights, which are not kept: see tokalign.neural.graph.build_graph.
    made : Architecture
    device : str
        Out of tokalign.neural.devices.DEVICES.
    int8 : bool, optional
        Whether matrices are int8, else float32; by default they are on a processor ("cpu").

    Raises
    ------
    ResourceError
        If a package is missing, or the installed onnxruntime cannot run on the device.
    """

    def __init__(
        self,
        weights: Callable[[], Weights],
        made: Architecture,
        device: str,
        *,
        int8: bool | None = None,
    ) -> None:
        chosen = providers(device)
        onnxruntime = need("onnxruntime")
        need("onnx")
        from tokalign.neural.graph import build_graph

        int8 = device == DEFAULT_DEVICE if int8 is None else int8
        # Made here, so that they are gone before onnxruntime has the integers.
        model = build_graph(weights(), made, int8=int8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=chosen)
        self._first_position = made["first_position"]
        self._batch_pieces = BATCH_PIECES.get(device, BATCH_PIECES_ELSEWHERE)

    def states(self, sequences: Sequence[PieceSequence]) -> list[NDArray[np.float32]]:
        """Return the states of sequences, shape (n_pieces, n) each."""
        found: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(sequences)
        for batch in _batches(sequences, self._batch_pieces):
            for k, states in zip(batch, self._run([sequences[k] for k in batch]), strict=True):
                found[k] = states
        return found

    def _run(self, sequences: Sequence[PieceSequence]) -> Iterator[NDArray[np.float32]]:
        """Yield the states of sequences, which are padded to the longest."""
        shape = len(sequences), max(map(len, sequences))
        ids, sides = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int32)
        for k, sequence in enumerate(sequences):
            ids[k, : len(sequence)] = sequence.ids
            sides[k, sequence.n_first : len(sequence)] = 1
            mask[k, : len(sequence)] = 1
        positions = np.arange(self._first_position, self._first_position + shape[1])
        (states,) = self._session.run(
            None, {"ids": ids, "sides": sides, "positions": positions, "mask": mask}
        )
        for k, sequence in enumerate(sequences):
            yield states[k, : len(sequence)]


def _batches(sequences: Sequence[PieceSequence], most: int) -> Iterator[list[int]]:
    """Yield the numbers of sequences of like length, of at most `most` pieces together."""
    batch: list[int] = []
    for k in sorted(range(len(sequences)), key=lambda k: len(sequences[k])):
        if batch and (len(batch) + 1) * len(sequences[k]) > most:
            yield batch
            batch = []
        batch.append(k)
    if batch:
        yield batch
