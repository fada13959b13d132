"""Hostile peers and faults against a server on loopback, each beside a well-behaved caller.

Every attack is a row (rows.py): a bounded program and what the server promises meanwhile. A row
has a server of its own, a caller and an attacker in processes of their own (trial.py), and breaks
a promise where memory passes its bound, the server ends, or the caller loses a call or gets a
wrong answer. Times are shown, and only their ratios are ever judged.
"""
