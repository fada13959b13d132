"""Similarities of one sentence with many, or of many with many.

Every pair is aligned; docs/scores.md says what the number means.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.batches.aligns import AlignsPairs
from tokalign.batches.outcomes import annotate_each, try_one
from tokalign.batches.pipe import with_progress
from tokalign.errors import InputError, WorkerError, quoted
from tokalign.types import Alignment, Sentence, SentenceLike
from tokalign.types.frames import FrameCells, columns_of
from tokalign.types.inputs import require_many, require_sentence
from tokalign.types.keywords import NanErrors
from tokalign.types.options import AlignOptions

ANNOTATED_AT_ONCE = 512
PAIRS_AT_ONCE = 256


def similarities(
    aligner: AlignsPairs,
    one: SentenceLike,
    many: Iterable[SentenceLike],
    options: AlignOptions,
    errors: NanErrors,
    n_process: int,
    progress: bool,
) -> NDArray[np.float64]:
    """Return the similarities of one sentence with many; see Aligner.similarities."""
    (source,) = aligner.annotate([one], truncate=options.truncate, markup=options.markup)
    targets = _annotated(aligner, many, "many", options, errors)
    found = np.full(len(targets), math.nan)
    usable = [k for k, target in enumerate(targets) if target is not None]
    pairs = ((source, targets[k]) for k in usable)
    values = pair_similarities(aligner, pairs, options, n_process)
    found[usable] = list(with_progress(values, "pair", is_shown=progress, total=len(usable)))
    return found


def similarity_matrix(
    aligner: AlignsPairs,
    rows: Iterable[SentenceLike],
    columns: Iterable[SentenceLike] | None,
    options: AlignOptions,
    errors: NanErrors,
    n_process: int,
    progress: bool,
) -> NDArray[np.float64]:
    """Return the similarity of each row with each column; see Aligner.similarity_matrix."""
    sources = _annotated(aligner, rows, "rows", options, errors)
    is_square = columns is None
    targets = sources
    if columns is not None:
        targets = _annotated(aligner, columns, "columns", options, errors)
    found = np.full((len(sources), len(targets)), math.nan)
    cells = partial(_cells, sources, targets, is_square=is_square)
    pairs = ((sources[i], targets[j]) for i, j in cells())
    values = pair_similarities(aligner, pairs, options, n_process)
    total = sum(1 for _ in cells()) if progress else None
    shown = with_progress(values, "pair", is_shown=progress, total=total)
    for (i, j), value in zip(cells(), shown, strict=True):
        found[i, j] = value
        if is_square:
            found[j, i] = value
    if is_square:
        usable = [k for k, sentence in enumerate(sources) if sentence is not None]
        found[usable, usable] = 1.0
    return found


def _annotated(
    aligner: AlignsPairs,
    sentences: Iterable[SentenceLike],
    name: str,
    options: AlignOptions,
    errors: NanErrors,
) -> list[Sentence | None]:
    """Return annotated sentences; with errors="nan", None for one that cannot be annotated."""
    if errors not in ("raise", "nan"):
        raise InputError(f"errors is {quoted(errors)}; wanted raise or nan", field="errors")
    found: list[Sentence | None] = []
    given = require_many(columns_of(sentences)[0], name)
    checked = (try_one(partial(require_sentence, name="sentence"), each) for each in given)
    for outcome in annotate_many(aligner, checked, options):
        missing = isinstance(given, FrameCells) and given[len(found)] is None
        if not isinstance(outcome, Exception):
            found.append(outcome)
        elif isinstance(outcome, InputError) and (errors == "nan" or missing):
            found.append(None)
        else:
            outcome.args = (f"{name}[{len(found)}]: {outcome}",)
            raise outcome
    return found


def annotate_many(
    aligner: AlignsPairs, sentences: Iterable[SentenceLike | Exception], options: AlignOptions
) -> Iterator[Sentence | Exception]:
    """Yield annotated sentences, or the error of one that cannot be annotated, batch by batch."""
    annotate = partial(aligner.annotate, truncate=options.truncate, markup=options.markup)
    pending = iter(sentences)
    while batch := list(islice(pending, ANNOTATED_AT_ONCE)):
        yield from annotate_each(annotate, batch)


def _cells(
    sources: Sequence[Sentence | None], targets: Sequence[Sentence | None], *, is_square: bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs to align; if the columns are the rows, each pair once."""
    for i, source in enumerate(sources):
        for j in range(i + 1 if is_square else 0, len(targets)):
            if source is not None and targets[j] is not None:
                yield i, j


def pair_similarities(
    aligner: AlignsPairs, pairs: Iterable[Any], options: AlignOptions, n_process: int
) -> Iterator[float]:
    """Yield the similarity of each pair, NaN for one that cannot be aligned."""
    outcomes = aligner.pipe(
        pairs, options, batch_size=PAIRS_AT_ONCE, n_process=n_process, errors="return"
    )
    for outcome in outcomes:
        if isinstance(outcome, WorkerError):
            raise outcome
        yield outcome.similarity if isinstance(outcome, Alignment) else math.nan
