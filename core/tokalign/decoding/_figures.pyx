"""Scores of a pair: covered shares, from the posteriors of both directions, lowered by conflicts.

    covered[j]     = min(1, sum over i of min(s2t[i, j + 1], t2s[j, i + 1]))
    target_covered = sum over j of v[j] * covered[j] / sum of v

v is 1 of content words, 0.1 of others: it is the expected share of the target's content that has
a partner which both directions support. On TrecQA's development questions that ranks answers
better than the mean or the product of their posteriors.

    mean[i, j]  = (s2t[i, j + 1] + t2s[j, i + 1]) / 2
    share(side) = sum over tokens of w * min(1, sum of the token's mean[i, j]) / sum of w
    covered     = the smaller of both sides' shares

A token weighs its idf, numbers twice as much, marks nothing; where no token of a side weighs
anything, all of that side weigh alike. So 0.8 says: of what either sentence holds, counted by how
rare its words are, at least 80% is expected to have a counterpart in the other.

These are what is *covered*. What the sentences say of it may differ; both are lowered by that:

    lowered(share) = share * (1 - FALL * share ** 4 * (1 - agreement))

Of sentences that share little, a conflict says little more; the fall and the power were chosen on
our own contrasts, so that STS 2012 and MSRP do not lose by them (lab/experiments.md).
"""

import numpy as np

from tokalign.decoding.joint cimport check_posteriors, mean_posterior

from tokalign.errors import ShapeError

cdef double FALL = 0.4


cdef double lowered(double share, double agreement) noexcept nogil:
    """Return what remains of a share where both sentences agree so far."""
    cdef double square = share * share
    return share * (1.0 - FALL * square * square * (1.0 - agreement))


cdef void figures(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, const TokenWeights *weights, double *target_covered, double *covered,
) noexcept nogil:
    """Write both figures, each in [0, 1]."""
    target_covered[0] = _score(
        s2t_posterior, t2s_posterior, n_source, n_target, weights.score_target
    )
    covered[0] = min(
        _share(s2t_posterior, t2s_posterior, n_source, n_target, True, weights.source),
        _share(s2t_posterior, t2s_posterior, n_source, n_target, False, weights.target),
        1.0,
    )


cdef double _score(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, const double *weights,
) noexcept nogil:
    cdef double total = 0.0
    cdef double summed = 0.0
    cdef double covered
    cdef Py_ssize_t i, j
    for j in range(n_target):
        covered = 0.0
        for i in range(n_source):
            covered += min(
                s2t_posterior[i * (n_target + 1) + j + 1], t2s_posterior[j * (n_source + 1) + i + 1]
            )
        total += weights[j]
        summed += weights[j] * min(covered, 1.0)
    return summed / total


cdef double _share(
    const double *s2t_posterior, const double *t2s_posterior, Py_ssize_t n_source,
    Py_ssize_t n_target, bint of_source, const double *weights,
) noexcept nogil:
    """Return the weighted share of a side's tokens that have a partner."""
    cdef Py_ssize_t n_tokens = n_source if of_source else n_target
    cdef Py_ssize_t n_others = n_target if of_source else n_source
    cdef double total = 0.0
    cdef double shared = 0.0
    cdef double plain = 0.0
    cdef double expected
    cdef Py_ssize_t t, o
    for t in range(n_tokens):
        expected = 0.0
        for o in range(n_others):
            expected += mean_posterior(
                s2t_posterior, t2s_posterior, n_source, n_target,
                t if of_source else o, o if of_source else t,
            )
        expected = min(expected, 1.0)
        total += weights[t]
        shared += weights[t] * expected
        plain += expected
    return shared / total if total > 0 else plain / n_tokens


def lowered_shares(const double[::1] shares, const double[::1] agreements):
    """Return what remains of each share where both sentences agree so far.

    Parameters
    ----------
    shares, agreements : float64 array, shape (n_pairs,)
        In [0, 1].

    Returns
    -------
    float64 array, shape (n_pairs,)

    Raises
    ------
    ShapeError
        If there is not one agreement for each share.

    Examples
    --------
    >>> lowered_shares(np.array([1.0, 0.5]), np.array([0.5, 1.0])).tolist()
    [0.8, 0.5]
    """
    cdef Py_ssize_t n_pairs = shares.shape[0]
    cdef Py_ssize_t k
    if agreements.shape[0] != n_pairs:
        raise ShapeError(
            f"{agreements.shape[0]} agreements for {n_pairs} shares; wanted one of each per pair"
        )
    found = np.empty(n_pairs)
    cdef double[::1] values = found
    for k in range(n_pairs):
        values[k] = lowered(shares[k], agreements[k])
    return found


def pair_figures(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior, score_weights,
    source_weights, target_weights,
):
    """Return what is covered of the target, and of both sides, of a pair.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels; column 0 is NULL. In [0, 1].
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    score_weights : sequence of float, length n_target
        More than 0.
    source_weights : sequence of float, length n_source
        At least 0.
    target_weights : sequence of float, length n_target

    Returns
    -------
    target_covered, covered : float
        In [0, 1].

    Raises
    ------
    ShapeError
        If the shapes do not belong to one pair, a side is empty, or there is not one weight per
        token.

    Examples
    --------
    >>> both = np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]])
    >>> pair_figures(*both, [1.0], [1.0], [1.0])
    (0.5, 0.75)
    """
    check_posteriors(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_source = s2t_posterior.shape[0]
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    sizes = len(source_weights), len(target_weights), len(score_weights)
    if sizes != (n_source, n_target, n_target) or not n_source or not n_target:
        raise ShapeError(
            f"{sizes[0]}, {sizes[1]} and {sizes[2]} weights for {n_source} and {n_target} tokens; "
            "wanted tokens on both sides and one weight per token"
        )
    cdef const double[::1] of_score = np.array(score_weights, dtype=np.float64)
    cdef const double[::1] of_source = np.array(source_weights, dtype=np.float64)
    cdef const double[::1] of_target = np.array(target_weights, dtype=np.float64)
    cdef TokenWeights weights
    cdef double target_covered, covered
    weights.score_target = &of_score[0]
    weights.source = &of_source[0]
    weights.target = &of_target[0]
    figures(
        &s2t_posterior[0, 0], &t2s_posterior[0, 0], n_source, n_target, &weights, &target_covered,
        &covered,
    )
    return target_covered, covered
