"""Slow, obvious twins of what is fast in tokalign, written apart from it."""
