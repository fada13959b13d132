"""Fine-tuning of an encoder on aligned pairs.

One thread, a fixed seed: the same input gives the same encoder on the same processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokalign.neural.architecture import Architecture
from tokalign.neural.base import base_weights
from tokalign.neural.wordpieces import Sequence2, WordPieces
from tokalign.tables import Table, write_table
from tqdm import tqdm

from recipes.neural.torch_encoder import Batch, TorchEncoder, header_meta, loss

Links = frozenset[tuple[int, int]]
Example = tuple[Sequence2, Links, int]
"""A pair, its links, and the number of its corpus."""

BATCH_PIECES = 1000
"""Word pieces of one step, padding included."""
WARM_UP = 0.1
"""Share of the steps in which the learning rate rises, before it falls to zero."""
LICENSE = "Apache-2.0 ({}); corpora for research use"


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """How to fine-tune.

    Attributes
    ----------
    epochs : int
    rate : float
        Largest learning rate of the low-rank differences (AdamW).
    head_rate : float
        The same for what scores are made of.
    is_rounded : bool
        Whether the frozen weights are kept in bfloat16 instead of rounded at every step.
    seed : int
    """

    epochs: int
    rate: float = 3e-3
    head_rate: float = 2e-3
    is_rounded: bool = False
    seed: int = 1


def examples(
    pairs: Sequence[tuple[Sequence[str], Sequence[str], Links]],
    word_pieces: WordPieces,
    corpus: int = 0,
) -> list[Example]:
    """Return pairs of tokens as sequences, without those too long for the encoder."""
    found = [
        (word_pieces.sequence(source, target), links, corpus) for source, target, links in pairs
    ]
    return [example for example in found if len(example[0]) <= word_pieces.max_sequence]


def fine_tune(
    data: Sequence[Example],
    settings: TuningSettings,
    output: Path,
    *,
    made: Architecture,
    name: str,
    source: str,
    start: Table | None = None,
    report: bool = True,
) -> Table:
    """Fine-tune an encoder, write its table to `output`, and return it.

    Parameters
    ----------
    data : sequence of (Sequence2, set of links, number of the corpus)
    settings : TuningSettings
    output : Path
    made : Architecture
        Of the base encoder.
    name, source : str
        Of the table.
    start : Table, optional
        An encoder to go on from; the base encoder otherwise.
    report : bool
        Whether to show progress on stderr.
    """
    torch.set_num_threads(1)  # sums would differ with their number
    torch.manual_seed(settings.seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(settings.seed)
    n_corpora = 1 + max(corpus for _, _, corpus in data)
    encoder = TorchEncoder(made, base_weights(made["base"]), start, n_corpora)
    if settings.is_rounded:
        encoder.round_frozen()
    encoder.train()
    head = [
        encoder.source, encoder.target, encoder.null_source, encoder.null_target,
        encoder.null_bias, encoder.scale,
    ]  # fmt: skip
    known = set(map(id, head))
    body = [each for each in encoder.parameters() if each.requires_grad and id(each) not in known]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": settings.rate}, {"params": head, "lr": settings.head_rate}],
        weight_decay=0.01,
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    plan = [batch for _ in range(settings.epochs) for batch in _batches(data, rng)]
    for step, batch_numbers in enumerate(tqdm(plan, desc=name, disable=not report)):
        pace = min(
            (step + 1) / (WARM_UP * len(plan)), (len(plan) - step) / ((1 - WARM_UP) * len(plan))
        )
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * pace
        batch = Batch(*zip(*(data[k] for k in batch_numbers), strict=True))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            total = loss(encoder, batch)
        optimiser.zero_grad()
        (total / (batch.has_source.sum() + batch.has_target.sum())).backward()
        torch.nn.utils.clip_grad_norm_(body + head, 1.0)
        optimiser.step()
    unfinished = output.with_suffix(".part")
    write_table(
        unfinished, encoder.arrays(), name=name, version="1.0.0",
        license=LICENSE.format(made["base"]["name"]), source=source, meta=header_meta(made),
    )  # fmt: skip
    unfinished.replace(output)
    return Table.open(output)


def _batches(data: Sequence[Example], rng: np.random.Generator) -> Iterator[list[int]]:
    """Yield the numbers of examples of like length, the batches in random order."""
    order = sorted(range(len(data)), key=lambda k: len(data[k][0]) + rng.random() * 6)
    batches: list[list[int]] = []
    current: list[int] = []
    longest = 0
    for k in order:
        longest = max(longest, len(data[k][0]))
        if current and longest * (len(current) + 1) > BATCH_PIECES:
            batches.append(current)
            current, longest = [], len(data[k][0])
        current.append(k)
    batches.append(current)
    rng.shuffle(batches)
    yield from batches
