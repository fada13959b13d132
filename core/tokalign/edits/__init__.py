"""Edits of a pair: what was kept, rewritten, left out, added or moved, and what that changes."""

from tokalign.edits.pair_edits import edits_between

__all__ = ["edits_between"]
