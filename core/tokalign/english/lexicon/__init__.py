"""Lexical knowledge: WordNet relations, canonical forms, function words."""
