from collections.abc import Collection, Mapping, Sequence

from tokalign.decoding.decoder import DecodedPair
from tokalign.decoding.link_decision import Convention
from tokalign.relations.related_units import RelationModel
from tokalign.types.links import LinkTuple
from tokalign.types.options import Symmetrization
from tokalign.types.phrases import Phrase

def maximal_blocks(
    links: Collection[tuple[int, int]],
) -> tuple[tuple[int, int, int, int], ...]: ...
def weakest_links(links: Mapping[tuple[int, int], float]) -> tuple[Phrase, ...]: ...
def phrases_of(
    decoded: DecodedPair,
    links: Sequence[LinkTuple],
    symmetrization: Symmetrization,
    convention: Convention,
    model: RelationModel | None,
) -> tuple[Phrase, ...]: ...
