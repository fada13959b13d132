"""Edits of a pair: what was kept, rewritten, left out, added or moved, and what that changes."""

from tokalign.edits.between import edits_between

__all__ = ["edits_between"]
