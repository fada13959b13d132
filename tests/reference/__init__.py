"""Slow, obvious twins of the fast parts of tokalign: the judges of the tests.

They share no code, and no table, with what they judge: their edges, offsets and formulas are
written out a second time on purpose.
"""
