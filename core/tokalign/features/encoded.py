"""The scores of a pair by an encoder, as features read them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Encoded: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Log-probability of each token's partner, NULL first: of shapes (n_source, n_target + 1) and
(n_target, n_source + 1)."""
