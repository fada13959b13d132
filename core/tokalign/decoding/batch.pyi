from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.decoder import Conventions, DecodedPair, Decoder
from tokalign.decoding.evidence import EvidenceRows, SupportRows
from tokalign.features.feature_groups import Encoded
from tokalign.relations.related_units import RelationModel
from tokalign.types import AnnotatedPair
from tokalign.types.links import LinkTuple

class EncoderGains:
    @property
    def values(self) -> NDArray[np.float64]: ...
    def __new__(cls, n_pairs: int) -> Self: ...

def decide_batch(
    decoder: Decoder,
    pairs: Sequence[tuple[AnnotatedPair, Encoded | None]],
    styles: Sequence[int],
    conventions: Conventions,
    least: float,
    finish: Callable[[int, DecodedPair], Sequence[LinkTuple]],
    finishes_all: bool = ...,
    relations: RelationModel | None = ...,
    evidence: EvidenceRows | None = ...,
    support: SupportRows | None = ...,
    gains: EncoderGains | None = ...,
    no_link: float = ...,
) -> tuple[dict[str, Any], list[int], dict[int, Exception]]: ...
