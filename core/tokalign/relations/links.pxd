from tokalign.features.pair cimport PairState
from tokalign.relations._clashes cimport Links
from tokalign.relations.inputs cimport UnitRoom
from tokalign.relations.model cimport RelationModel

cdef void relate_links(
    const PairState *pair, const UnitRoom *room, RelationModel model, const Links *links,
    float *probabilities,
) noexcept nogil
