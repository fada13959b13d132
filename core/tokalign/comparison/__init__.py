"""Pairs of sentences that are worth comparing, among so many that all pairs are too many."""
