"""Fine-tuning of an encoder on aligned pairs.

One thread, a fixed seed: the same input gives the same encoder on the same processor. Products are
in bfloat16 where the processor has AVX-512, and in float32 elsewhere, where PyTorch's bfloat16 is a
hundred times slower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tokalign.features.feature_groups import Encoded
from tokalign.files.tables import Table, write_table
from tokalign.neural.base import base_weights
from tokalign.neural.wordpieces import Sequence2, WordPieces
from tokalign.types import Links
from torch import nn
from tqdm import tqdm

from lab.recipes.neural.bases import BaseEncoder
from lab.recipes.neural.teaching import TaughtPair
from lab.recipes.neural.torch_encoder import TAUGHT, TensorBatch, TorchEncoder, header_meta, loss


class Example(NamedTuple):
    """A pair to learn from.

    Attributes
    ----------
    sequence : Sequence2
    links : set of links
    corpus : int
        Number of its corpus; TAUGHT where a teacher stands for the gold.
    said : pair of float32 arrays, optional
        What the teacher says, as Encoder.encode returns it.
    """

    sequence: Sequence2
    links: Links
    corpus: int
    said: Encoded | None = None


SEED = 1

BATCH_PIECES = 1000
"""Word pieces of one step, padding included."""
WARM_UP = 0.1
"""Share of the steps in which the learning rate rises, before it falls to zero."""
HAS_BFLOAT16 = torch.backends.cpu.get_cpu_capability() == "AVX512"


def examples(
    pairs: Sequence[tuple[Sequence[str], Sequence[str], Links]],
    word_pieces: WordPieces,
    corpus: int = 0,
) -> list[Example]:
    """Return pairs of tokens as sequences, without those too long for the encoder."""
    found = [
        Example(word_pieces.sequence(source, target), links, corpus)
        for source, target, links in pairs
    ]
    return _short_enough(found, word_pieces)


def taught_examples(pairs: Sequence[TaughtPair], word_pieces: WordPieces) -> list[Example]:
    """Return pairs that a teacher teaches as sequences, without those too long for the encoder."""
    found = [
        Example(word_pieces.sequence(pair.source, pair.target), frozenset(), TAUGHT, pair.said)
        for pair in pairs
    ]
    return _short_enough(found, word_pieces)


def _short_enough(found: Sequence[Example], word_pieces: WordPieces) -> list[Example]:
    return [each for each in found if len(each.sequence) <= word_pieces.max_sequence]


def fine_tune(
    data: Sequence[Example],
    base: BaseEncoder,
    epochs: int,
    output: Path,
    *,
    source: str,
    start: Table | None = None,
    once: Sequence[Example] = (),
) -> Table:
    """Fine-tune an encoder, write its table to `output`, and return it.

    Parameters
    ----------
    data : sequence of Example
        Seen in each epoch.
    base : BaseEncoder
    epochs : int
    output : Path
        Its stem is the name of the table.
    source : str
        Of the table.
    start : Table, optional
        An encoder to go on from; the base encoder otherwise.
    once : sequence of Example
        Each is seen in one epoch.
    """
    torch.set_num_threads(1)  # sums would differ with their number
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(SEED)
    n_corpora = 1 + max(each.corpus for each in data)
    encoder = TorchEncoder(base.made, base_weights(base.made["base"]), start, n_corpora)
    if base.is_rounded and HAS_BFLOAT16:
        encoder.round_frozen()
    encoder.train(base.drops)  # gradients flow either way
    body, head = _trained(encoder)
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": base.rate}, {"params": head, "lr": base.head_rate}],
        weight_decay=0.01,
    )
    plan = [
        batch for epoch in range(epochs) for batch in _batches([*data, *once[epoch::epochs]], rng)
    ]
    for step, examples_of_step in enumerate(tqdm(plan, desc=output.stem, disable=None)):
        for group, rate in zip(optimiser.param_groups, (base.rate, base.head_rate), strict=True):
            group["lr"] = rate * _pace(step, len(plan))
        batch = TensorBatch(*zip(*examples_of_step, strict=True))
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=HAS_BFLOAT16):
            total = loss(encoder, batch)
        optimiser.zero_grad()
        (total / (batch.has_source.sum() + batch.has_target.sum())).backward()
        torch.nn.utils.clip_grad_norm_(body + head, 1.0)
        optimiser.step()
    unfinished = output.with_suffix(".part")
    write_table(
        unfinished, encoder.arrays(), name=output.stem, version="1.0.0",
        license=base.sources.license.format(base.name), source=source, meta=header_meta(base.made),
    )  # fmt: skip
    unfinished.replace(output)
    return Table.open(output)


def _trained(encoder: TorchEncoder) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Return the parameters of the low-rank differences, and those that scores are made of."""
    head = [
        encoder.source, encoder.target, encoder.null_source, encoder.null_target,
        encoder.null_bias, encoder.scale,
    ]  # fmt: skip
    known = set(map(id, head))
    body = [each for each in encoder.parameters() if each.requires_grad and id(each) not in known]
    return body, head


def _pace(step: int, n_steps: int) -> float:
    """Return the share of the largest learning rate at a step: it rises, then falls to zero."""
    return min((step + 1) / (WARM_UP * n_steps), (n_steps - step) / ((1 - WARM_UP) * n_steps))


def _batches(data: Sequence[Example], rng: np.random.Generator) -> Iterator[list[Example]]:
    """Yield examples of like length, the batches in random order."""
    batches: list[list[Example]] = []
    current: list[Example] = []
    longest = 0
    for example in sorted(data, key=lambda each: len(each.sequence) + rng.random() * 6):
        longest = max(longest, len(example.sequence))
        if current and longest * (len(current) + 1) > BATCH_PIECES:
            batches.append(current)
            current, longest = [], len(example.sequence)
        current.append(example)
    batches.append(current)
    rng.shuffle(batches)
    yield from batches
