"""Helpers that several tests share; fixtures are in conftest.py, and slow twins in reference."""
