"""Batches: many items at a time; one that fails does not end the others."""
