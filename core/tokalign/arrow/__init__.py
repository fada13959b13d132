"""Alignments and evidence over Arrow columns, for the engines that people run on many machines.

The objects here are small and picklable: their state is their options. Each thread that uses one
loads an aligner of its own, once. Needs the extra ``arrow``. See docs/engines.md.
"""

from tokalign.arrow.column_types import LINKS, SENTENCES, TOKENS
from tokalign.arrow.per_row import Align, Ground, PerPair, PerRow, Similarity

__all__ = ["LINKS", "SENTENCES", "TOKENS", "Align", "Ground", "PerPair", "PerRow", "Similarity"]
