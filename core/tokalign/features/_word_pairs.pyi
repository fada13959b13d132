class PairMemory:
    n_asked: int
    n_compared: int
