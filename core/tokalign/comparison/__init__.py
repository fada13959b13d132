"""Similarities of many sentences, and near-duplicates among millions."""
