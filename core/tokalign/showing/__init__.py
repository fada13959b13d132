"""Helpers that renderers share: escaped text, wrapped lines, self-contained pages."""
