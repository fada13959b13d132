"""Exports the enumeration of feature templates to Python."""
