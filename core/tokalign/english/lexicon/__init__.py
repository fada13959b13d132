"""Lexical knowledge: WordNet relations, stems, canonical forms, function words."""
