"""Links of the symmetrizations that combine the best labels of both directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.decoder import DecodedPair
from tokalign.decoding.symmetrize import symmetrize
from tokalign.types.options import Symmetrization

ONE_DIRECTION = (Symmetrization.SOURCE_TO_TARGET, Symmetrization.TARGET_TO_SOURCE)


def link_posteriors(decoded: DecodedPair, symmetrization: Symmetrization) -> NDArray[np.float64]:
    """Return each link's probability, shape (n_source, n_target): what the joint decision takes
    of both directions, or that of the one direction that is taken alone."""
    if symmetrization is Symmetrization.SOURCE_TO_TARGET:
        return decoded.s2t_posterior[:, 1:]
    if symmetrization is Symmetrization.TARGET_TO_SOURCE:
        return decoded.t2s_posterior[:, 1:].T
    return decoded.link_posterior


def links_by_label(
    decoded: DecodedPair, symmetrization: Symmetrization
) -> list[tuple[int, int, float]]:
    """Return the links as (source, target, posterior), sorted.

    Anchors are among each direction's links, so that every symmetrization keeps them. Other
    constraints may require links beyond these (tokalign.decoding.constrained.missing_links).
    """
    s2t_states, t2s_states = decoded.labels()
    s2t = {(i, s - 1) for i, s in enumerate(s2t_states.tolist()) if s}
    t2s = {(s - 1, j) for j, s in enumerate(t2s_states.tolist()) if s}
    if decoded.constraints is not None:
        s2t.update(decoded.constraints.anchors)
        t2s.update(decoded.constraints.anchors)
    posterior = link_posteriors(decoded, symmetrization)
    return [(i, j, float(posterior[i, j])) for i, j in sorted(symmetrize(s2t, t2s, symmetrization))]
