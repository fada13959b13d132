from collections.abc import Callable, Sequence

from tokalign.decoding._decoded import DecodedPair
from tokalign.decoding._decoder import Decoder
from tokalign.decoding._evidence import EvidenceRows
from tokalign.decoding._support import SupportRows
from tokalign.decoding.convention import Conventions
from tokalign.decoding.decisions import Decisions
from tokalign.decoding.gate import GateRows
from tokalign.features.encoded import Encoded
from tokalign.relations.model import RelationModel
from tokalign.types import AnnotatedPair
from tokalign.types.links import LinkTuple

def decide_batch(
    decoder: Decoder,
    pairs: Sequence[tuple[AnnotatedPair, Encoded | None]],
    style: int,
    conventions: Conventions,
    least: float,
    finish: Callable[[int, DecodedPair], Sequence[LinkTuple]],
    finishes_all: bool = ...,
    relations: RelationModel | None = ...,
    evidence: EvidenceRows | None = ...,
    support: SupportRows | None = ...,
    gate: GateRows | None = ...,
) -> tuple[Decisions, dict[int, Exception]]: ...
