"""From a decoded pair to its links and their confidences."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding._decoder import Decoded
from tokalign.decoding._joint import joint_links
from tokalign.decoding.symmetrize import symmetrize
from tokalign.options import Symmetrization


class Posteriors(Protocol):
    """What both directions say of a pair.

    Attributes
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
        Column 0 is NULL's.
    """

    @property
    def s2t_posterior(self) -> NDArray[np.float64]: ...
    @property
    def t2s_posterior(self) -> NDArray[np.float64]: ...


def link_posteriors(decoded: Posteriors, symmetrization: Symmetrization) -> NDArray[np.float64]:
    """Return each link's probability, shape (n_source, n_target): the mean of both directions,
    or that of the one direction that is taken alone."""
    s2t, t2s = decoded.s2t_posterior[:, 1:], decoded.t2s_posterior[:, 1:].T
    if symmetrization is Symmetrization.SOURCE_TO_TARGET:
        return s2t
    if symmetrization is Symmetrization.TARGET_TO_SOURCE:
        return t2s
    return (s2t + t2s) / 2


def decide(
    decoded: Decoded, symmetrization: Symmetrization, threshold: float
) -> list[tuple[int, int, float]]:
    """Return the links as (source, target, posterior), sorted.

    `threshold` is the mean posterior from which the joint decision takes a link. Constraints may
    require links beyond these (tokalign.decoding.constrained.missing_links).
    """
    if symmetrization is Symmetrization.JOINT:
        return joint_links(decoded.s2t_posterior, decoded.t2s_posterior, threshold)
    s2t_states, t2s_states = decoded.labels()
    s2t = {(i, s - 1) for i, s in enumerate(s2t_states.tolist()) if s}
    t2s = {(s - 1, j) for j, s in enumerate(t2s_states.tolist()) if s}
    if decoded.constraints is not None:
        s2t.update(decoded.constraints.anchors)
        t2s.update(decoded.constraints.anchors)
    posterior = link_posteriors(decoded, symmetrization)
    chosen = sorted(symmetrize(s2t, t2s, symmetrization))
    return [(i, j, float(posterior[i, j])) for i, j in chosen]
