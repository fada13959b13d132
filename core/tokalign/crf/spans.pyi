from numpy.typing import ArrayLike

def probability_within(
    emission_ts: ArrayLike,
    transition_weights: ArrayLike,
    steps: tuple[int, int],
    states: tuple[int, int],
) -> float: ...
