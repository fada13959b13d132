"""One pair, decoded as batches are, with what the decoder can be asked of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray
from tokalign.decoding.batch import decide_batch
from tokalign.decoding.decoder import Conventions, DecodedPair, Decoder
from tokalign.model.styles import MAX_STYLES
from tokalign.types import Sentence
from tokalign.types.constraints import Constraints

PLAIN = Conventions([{"name": "plain", "links": "", "threshold": 0.4}] * MAX_STYLES)


def ask(
    decoder: Decoder,
    source: Sentence,
    target: Sentence,
    question: Callable[[DecodedPair], Any],
    *,
    style: int = 0,
    constraints: Constraints | None = None,
) -> Any:
    """Return the answer to a question about a pair, which is asked while the decoder holds it."""
    found = []

    def finish(number: int, decoded: DecodedPair) -> list[tuple[int, int, float]]:
        found.append(question(decoded))
        return decoded.links

    pair = (source, target) if constraints is None else (source, target, constraints)
    *_, errors = decide_batch(decoder, [(pair, None)], [style], PLAIN, 0.0, finish)
    for error in errors.values():
        raise error
    return found[0]


def posteriors(
    decoder: Decoder, source: Sentence, target: Sentence, **more: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the posteriors of both directions."""
    return ask(
        decoder, source, target, lambda pair: (pair.s2t_posterior, pair.t2s_posterior), **more
    )
