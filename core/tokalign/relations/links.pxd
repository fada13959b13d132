from tokalign.features.pair cimport PairState
from tokalign.relations.clashes cimport LinkView
from tokalign.relations.inputs cimport UnitRoom
from tokalign.relations.model cimport RelationModel

cdef void relate_links(
    const PairState *pair, const UnitRoom *room, RelationModel model, const LinkView *links,
    float *probabilities,
) noexcept nogil
