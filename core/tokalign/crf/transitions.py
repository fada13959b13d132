"""Transition features: one row per slot of the transition weights.

Yao et al. (2013), section 3.3, "Distortion": the signed distance between the target positions of
two adjacent source tokens, with separate cases for NULL and for the two ends of the sentence.
Here the distance is binned and every bin has a weight, so that the model can learn that a jump
of +1 is likely and one of -1 is not. All values are indicators.
"""

from __future__ import annotations

_SIZES = ("1", "2", "3", "4", "5", "6", "7-9", "10-14", "15-24", "25+")
_EDGES = ("0", "1", "2-4", "5+")

TRANSITION_NAMES: tuple[str, ...] = (
    "start:null",
    *(f"start:{edge}" for edge in _EDGES),
    "end:null",
    *(f"end:{edge}" for edge in _EDGES),
    *(f"jump:-{size}" for size in reversed(_SIZES)),
    "jump:0",
    *(f"jump:+{size}" for size in _SIZES),
    "token-null",
    "null-token",
    "null-null",
)
"""Name of each of the 34 transition weights, in the order of crf/lattice.pxd."""
