"""How much two sentences say the same, from the posteriors of their links.

    share(side) = sum over tokens of w * min(1, sum of the token's link posteriors) / sum of w
    similarity  = the smaller of both sides' shares

A posterior is the mean of both directions. A token weighs its idf, numbers twice as much, marks
nothing; where no token of a side weighs anything, all of that side weigh alike. So a similarity of
0.8 says: of what either sentence holds, counted by how rare its words are, at least 80% is expected
to have a counterpart in the other.
"""

from __future__ import annotations

from tokalign.decoding._decoder import Decoded
from tokalign.decoding._joint import smaller_share


def similarity(decoded: Decoded) -> float:
    """Return how much the sentences of a pair say the same, in [0, 1]."""
    return smaller_share(decoded.s2t_posterior, decoded.t2s_posterior, *decoded.weights())
