"""Slow, obvious NumPy twins of the lattice kernels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from tokalign.crf.chains import TRANSITION_NAMES

Array = NDArray[np.float64]


def transition_features(n_states: int) -> tuple[Array, Array, Array]:
    """Return indicator features of all starts, transitions and ends.

    Returns
    -------
    start : float64 array, shape (n_states, 34)
    transition : float64 array, shape (n_states, n_states, 34)
        Axes: previous state, state, feature.
    end : float64 array, shape (n_states, 34)
    """
    index = {name: k for k, name in enumerate(TRANSITION_NAMES)}
    one_hot = np.eye(len(TRANSITION_NAMES))

    def edge(distance: int) -> str:
        return str(distance) if distance < 2 else "2-4" if distance < 5 else "5+"

    def jump_name(jump: int) -> str:
        size = abs(jump)
        label = (
            str(size)
            if size <= 6
            else "7-9"
            if size <= 9
            else "10-14"
            if size <= 14
            else "15-24"
            if size <= 24
            else "25+"
        )
        return "jump:0" if jump == 0 else f"jump:{'+' if jump > 0 else '-'}{label}"

    def transition_name(previous: int, state: int) -> str:
        if previous == 0:
            return "null-null" if state == 0 else "null-token"
        return "token-null" if state == 0 else jump_name(state - previous)

    states = range(n_states)
    start = ["start:null" if s == 0 else f"start:{edge(s - 1)}" for s in states]
    end = ["end:null" if s == 0 else f"end:{edge(n_states - 1 - s)}" for s in states]
    return (
        np.array([one_hot[index[name]] for name in start]),
        np.array([[one_hot[index[transition_name(a, b)]] for b in states] for a in states]),
        np.array([one_hot[index[name]] for name in end]),
    )


def path_score(emission_ts: Array, transition_weights: Array, states: Iterable[int]) -> float:
    """Return the sum of the potentials of one state sequence, in nats."""
    path = list(states)
    start, transition, end = transition_features(emission_ts.shape[1])
    score = float(start[path[0]] @ transition_weights + end[path[-1]] @ transition_weights)
    score += sum(float(emission_ts[t, s]) for t, s in enumerate(path))
    score += sum(float(transition[a, b] @ transition_weights) for a, b in itertools.pairwise(path))
    return score


def decode(emission_ts: Array, transition_weights: Array) -> tuple[NDArray[np.int32], float]:
    """Twin of lab.kernels.doors.Lattice.best_labels."""
    n_steps, n_states = emission_ts.shape
    start, transition, end = (
        features @ transition_weights for features in transition_features(n_states)
    )
    best = start + emission_ts[0]
    back = np.zeros((n_steps, n_states), dtype=np.int32)
    for t in range(1, n_steps):
        candidates = best[:, None] + transition
        back[t] = candidates.argmax(axis=0)
        best = candidates.max(axis=0) + emission_ts[t]
    states = np.empty(n_steps, dtype=np.int32)
    states[-1] = (best + end).argmax()
    for t in range(n_steps - 1, 0, -1):
        states[t - 1] = back[t, states[t]]
    return states, float((best + end).max())


def forward_backward(emission_ts: Array, transition_weights: Array) -> tuple[Array, Array, float]:
    """Twin of lab.kernels.doors.Lattice.posteriors, in the log domain."""
    n_steps, n_states = emission_ts.shape
    features = transition_features(n_states)
    start, transition, end = (feature @ transition_weights for feature in features)
    forward = np.empty((n_steps, n_states))
    backward = np.empty((n_steps, n_states))
    with np.errstate(divide="ignore"):
        forward[0] = start + emission_ts[0]
        for t in range(1, n_steps):
            forward[t] = _logsumexp(forward[t - 1][:, None] + transition, 0) + emission_ts[t]
        backward[-1] = end
        for t in range(n_steps - 2, -1, -1):
            backward[t] = _logsumexp(transition + (emission_ts[t + 1] + backward[t + 1]), 1)
        log_partition = float(_logsumexp(forward[-1] + end, 0))
    posterior_ts = np.exp(forward + backward - log_partition)
    counts = posterior_ts[0] @ features[0] + posterior_ts[-1] @ features[2]
    for t in range(1, n_steps):
        pair = np.exp(
            forward[t - 1][:, None] + transition + emission_ts[t] + backward[t] - log_partition
        )
        counts = counts + np.einsum("ab,abf->f", pair, features[1])
    return posterior_ts, counts, log_partition


def _logsumexp(values: Array, axis: int) -> Array:
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)  # type: ignore[no-any-return]
