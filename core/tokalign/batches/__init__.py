"""Batches: many items at a time, of which a bad one costs the others nothing."""
