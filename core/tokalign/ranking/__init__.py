"""Ranking of candidates by the probability that they answer a question."""
