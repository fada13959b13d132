"""The worker's part of grounding: passages are split, sentences of an answer grounded."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from tokalign.batches.outcomes import map_each, restore, values
from tokalign.codec.grounding import encode_grounded_sentence
from tokalign.decoding.engine import PairEngine
from tokalign.errors import InputError, LimitError
from tokalign.grounding.ground import ground_sentences, in_unit
from tokalign.grounding.sources import Sources
from tokalign.server.config import RequestLimits
from tokalign.server.requests.answer_sentences import passages_of
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.wire import decode_answer_sentence
from tokalign.server.workers.frames import Run
from tokalign.types.texts import SentenceSpan

# Passages are kept as they were split, since the sentences of a stream and the shards of a long
# answer come one after another: so many, of at most so many bytes.
KEPT, KEPT_BYTES = 8, 256 << 10


def ground(
    engine: PairEngine, run: Run, limits: RequestLimits, seconds: dict[str, float]
) -> list[Answer | Exception]:
    """Return one outcome per sentence of a run.

    Parameters
    ----------
    run : Run
        Whose options have `ground`.
    seconds : dict from str to float
        The time of each stage is added to it.
    """
    options = run.options.ground
    assert options is not None
    times = [time.perf_counter()]
    parsed = map_each(partial(_parse, limits.max_characters), run.pairs)
    given = values(parsed)
    try:
        sources = _sources(run.shared)
        times.append(time.perf_counter())
        spans = _spans([text for _, text in given])
        found = ground_sentences(engine, spans, sources, options)
        times.append(time.perf_counter())
    except InputError as error:
        # Of the passages or the options, which all sentences share.
        return [error] * len(parsed)
    # One text for all, so that passages are counted once.
    answer = "".join(text for _, text in given)
    counted = iter(in_unit(values(found), answer, sources.passages, options.offsets))
    answers = [
        outcome
        if isinstance(outcome, Exception)
        else Answer(encode_grounded_sentence(next(counted), start).SerializeToString())
        for outcome, (start, _) in zip(found, given, strict=True)
    ]
    times.append(time.perf_counter())
    for stage, began, ended in zip(("parse", "align", "serialise"), times, times[1:], strict=False):
        seconds[stage] += ended - began
    return list(restore(parsed, answers))


def _parse(longest: int, data: bytes) -> tuple[int, str]:
    """Return where a sentence starts in the answer, and its text."""
    start, text = decode_answer_sentence(data)
    if len(text) > longest:
        raise LimitError(
            f"a sentence of {len(text)} characters; the server takes at most {longest}: split it",
            field="answer",
        )
    return start, text


def _spans(texts: Sequence[str]) -> list[SentenceSpan]:
    """Return sentences as if their texts followed one another."""
    ends = list(accumulate(map(len, texts)))
    return [SentenceSpan(end - len(text), end, text) for text, end in zip(texts, ends, strict=True)]


def _sources(shared: bytes) -> Sources:
    return _kept_sources(shared) if len(shared) <= KEPT_BYTES else _split(shared)


def _split(shared: bytes) -> Sources:
    return Sources.of(passages_of(shared))


_kept_sources = functools.lru_cache(KEPT)(_split)
