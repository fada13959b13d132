"""Figures of attacks."""
