"""Edits of a pair: kept, replaced, deleted, inserted and moved words, and kinds of change."""

from tokalign.edits.pair_edits import edits_between

__all__ = ["edits_between"]
