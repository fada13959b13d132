"""Sessions that run an encoder's layers: word pieces in, states of the last layer out.

On a CPU these are the layers of tokalign.neural.layers, on another device a session of onnxruntime
in float32.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.neural.architecture import Architecture
from tokalign.neural.base import Weights
from tokalign.neural.devices import DEFAULT_DEVICE, providers
from tokalign.neural.layers import Layers
from tokalign.neural.wordpieces import PieceSequence

BATCH_PIECES = 16_384
"""Most word pieces of one run, including padding."""


def opened(
    weights: Callable[[], Weights], made: Architecture, device: str, *, exact: bool
) -> "Layers | Session":
    """Return what runs an encoder's layers on a device; its batches change no sequence's states.

    `weights`: returns the weights, which are not kept. `device`: out of
    tokalign.neural.devices.DEVICES. `exact`: whether to compute in float32 by onnxruntime on a CPU,
    too. ResourceError is raised if a package is missing, or the installed onnxruntime cannot run on
    the device.
    """
    if device == DEFAULT_DEVICE and not exact:
        return Layers(weights(), made)
    return Session(weights, made, device)


class Session:
    """Runs an encoder's layers by onnxruntime, in float32 and on one thread; see `opened`."""

    def __init__(self, weights: Callable[[], Weights], made: Architecture, device: str) -> None:
        chosen = providers(device)
        import onnxruntime

        from tokalign.neural.graph import build_graph

        # Built here, so that the weights are freed before onnxruntime copies them.
        model = build_graph(weights(), made)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(model, options, providers=chosen)
        self._first_position = made["first_position"]

    def states(self, sequences: Sequence[PieceSequence]) -> list[NDArray[np.float32]]:
        """Return the states of sequences, shape (n_pieces, width) each."""
        found: list[NDArray[np.float32]] = [np.empty(0, dtype=np.float32)] * len(sequences)
        for batch in _batches(sequences, BATCH_PIECES):
            for k, states in zip(batch, self._run([sequences[k] for k in batch]), strict=True):
                found[k] = states
        return found

    def _run(self, sequences: Sequence[PieceSequence]) -> Iterator[NDArray[np.float32]]:
        """Yield the states of sequences, padded to the longest."""
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
    """Yield indices of sequences of similar length, of at most `most` pieces in total."""
    batch: list[int] = []
    for k in sorted(range(len(sequences)), key=lambda k: len(sequences[k])):
        if batch and (len(batch) + 1) * len(sequences[k]) > most:
            yield batch
            batch = []
        batch.append(k)
    if batch:
        yield batch
