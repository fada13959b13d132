"""First-order linear-chain CRF over the states NULL, target token 0, target token 1, ...

tests/reference/crf.py holds plain NumPy twins of every kernel; tests compare them.
"""
