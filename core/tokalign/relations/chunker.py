"""Inputs of the trees that say where the chunks of a sentence begin: the tags around each token.

Chunks are nearly those of the task of interpretable similarity: a noun phrase with the preposition
before it, a verb with its auxiliaries. The trees were trained on chunks that a rule makes of parsed
sentences; docs/relations.md has their accuracy.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.files.shipped import LISTS

_GROUPS = [tags for _, tags in LISTS.rows["chunk-tags"]]
"""Tags in use; other tags count as no token."""
_GROUP_OF = {tag: number for number, tags in enumerate(_GROUPS) for tag in tags}
_PLACES = (-3, -2, -1, 0, 1, 2)
"""Offsets of the tokens whose tags are used, from the token that may begin a chunk."""
N_BOUNDARY_INPUTS = len(_GROUPS) * len(_PLACES)


def boundary_inputs(tags: Sequence[str]) -> NDArray[np.float32]:
    """Return the inputs for each token's chunk boundary, shape (n_tokens, N_BOUNDARY_INPUTS)."""
    rows = np.zeros((len(tags), N_BOUNDARY_INPUTS), dtype=np.float32)
    for at in range(len(tags)):
        for number, place in enumerate(_PLACES):
            k = at + place
            group = _GROUP_OF.get(tags[k]) if 0 <= k < len(tags) else None
            if group is not None:
                rows[at, number * len(_GROUPS) + group] = 1.0
    return rows
