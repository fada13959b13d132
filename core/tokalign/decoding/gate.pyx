"""Inputs of the gate: signs of faults in a model's decision on a pair.

A cell's doubt is p (1 - p), where p is the mean posterior of both directions. If posteriors are
right, a decision misses the sum of p over cells without a link, and the sum of 1 - p over its
links is wrong. `tokalign.decoding.cascade` predicts from this where an encoder is worth asking.
"""

from libc.math cimport fabs, log
from libc.stdint cimport uint8_t

import numpy as np

from tokalign.decoding._jobs cimport Job, PairScratch
from tokalign.decoding.joint cimport mean_posterior
from tokalign.features.pair cimport *

INPUTS = (
    "expected loss",             # 1 - F1 that the posteriors expect of the decision
    "doubt",                     # sums over cells
    "doubt of unlike words",
    "missed",
    "missed of unlike words",
    "wrong",
    "wrong of unlike words",
    "surprise",                  # -log of how likely all cells are right, as if independent
    "largest doubt",
    "disagreement",              # of the two directions
    "open cells",                # whose posterior is neither below 0.1 nor above 0.9
    "doubt a token",
    "source length",             # logarithms
    "target length",
    "links",
    "unlike links",
    "links beside others",       # tokens of more than one link
    "free source content",       # content words without a link
    "free target content",
    "free content on both",      # the fewer of these
    "other free tokens",
    "pull",                      # largest posteriors of free content words, summed
    "covered",
    "agreement",
    "score",
    "style",                     # its number
)
"""What each input says of a decision."""

assert len(INPUTS) == <int>N_GATE_INPUTS

LEAST = 0.1
MOST_SURPRISE = 5.0
cdef double _LEAST = LEAST
cdef double _MOST_SURPRISE = MOST_SURPRISE


cdef void _count_tokens(
    const PairState *pair, const PairScratch *decided, const uint8_t *is_link, bint of_source,
    double *content, double *others, double *pull, double *beside,
) noexcept nogil:
    """Add what the tokens of a side say."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t at, other, i, j
    cdef double most
    cdef int n_links
    for at in range(n_source if of_source else n_target):
        n_links = 0
        most = 0.0
        for other in range(n_target if of_source else n_source):
            i = at if of_source else other
            j = other if of_source else at
            n_links += is_link[i * n_target + j]
            most = max(most, mean_posterior(
                decided.s2t_posterior, decided.t2s_posterior, n_source, n_target, i, j
            ))
        beside[0] += n_links > 1
        if n_links:
            continue
        if (pair.source.kind if of_source else pair.target.kind)[at] == KIND_CONTENT:
            content[0] += 1.0
            pull[0] += most
        else:
            others[0] += 1.0


# Long, for it declares and writes each of the sums once, in the order of INPUTS.
cdef void _gate_inputs(
    const PairState *pair, const Job *job, const PairScratch *decided, const uint8_t *is_link,
    float *inputs,
) noexcept nogil:
    """Write the inputs of a pair that is decided, [N_GATE_INPUTS]."""
    cdef Py_ssize_t n_source = pair.source.n
    cdef Py_ssize_t n_target = pair.target.n
    cdef Py_ssize_t i, j
    cdef double n_links = 0.0
    cdef double n_unlike = 0.0
    cdef double doubt = 0.0
    cdef double doubt_unlike = 0.0
    cdef double missed = 0.0
    cdef double missed_unlike = 0.0
    cdef double wrong = 0.0
    cdef double wrong_unlike = 0.0
    cdef double surprise = 0.0
    cdef double largest = 0.0
    cdef double disagreement = 0.0
    cdef double n_open = 0.0
    cdef double of_source = 0.0
    cdef double of_target = 0.0
    cdef double others = 0.0
    cdef double pull = 0.0
    cdef double beside = 0.0
    cdef double p, fault, own
    cdef bint is_unlike
    for i in range(n_source):
        for j in range(n_target):
            p = mean_posterior(
                decided.s2t_posterior, decided.t2s_posterior, n_source, n_target, i, j
            )
            is_unlike = pair.lexical_class[i * n_target + j] != CLASS_IDENTICAL
            fault = p
            if is_link[i * n_target + j]:
                fault = 1.0 - p
                n_links += 1.0
                n_unlike += is_unlike
                wrong += fault
                wrong_unlike += is_unlike * fault
            else:
                missed += fault
                missed_unlike += is_unlike * fault
            own = p * (1.0 - p)
            doubt += own
            doubt_unlike += is_unlike * own
            largest = max(largest, own)
            n_open += _LEAST < p < 1.0 - _LEAST
            surprise += min(-log(1.0 - fault), _MOST_SURPRISE) if fault < 1.0 else _MOST_SURPRISE
            disagreement += fabs(
                decided.s2t_posterior[i * (n_target + 1) + j + 1]
                - decided.t2s_posterior[j * (n_source + 1) + i + 1]
            )
    _count_tokens(pair, decided, is_link, True, &of_source, &others, &pull, &beside)
    _count_tokens(pair, decided, is_link, False, &of_target, &others, &pull, &beside)
    # All that is expected to be linked is what is right of the links, and what is missed.
    own = 2.0 * n_links - wrong + missed
    inputs[0] = <float>(1.0 - 2.0 * (n_links - wrong) / own) if own > 0.0 else 0.0
    inputs[1] = <float>doubt
    inputs[2] = <float>doubt_unlike
    inputs[3] = <float>missed
    inputs[4] = <float>missed_unlike
    inputs[5] = <float>wrong
    inputs[6] = <float>wrong_unlike
    inputs[7] = <float>surprise
    inputs[8] = <float>largest
    inputs[9] = <float>disagreement
    inputs[10] = <float>n_open
    inputs[11] = <float>(doubt / (n_source + n_target))
    inputs[12] = <float>log(<double>n_source)
    inputs[13] = <float>log(<double>n_target)
    inputs[14] = <float>n_links
    inputs[15] = <float>n_unlike
    inputs[16] = <float>beside
    inputs[17] = <float>of_source
    inputs[18] = <float>of_target
    inputs[19] = <float>min(of_source, of_target)
    inputs[20] = <float>others
    inputs[21] = <float>pull
    inputs[22] = <float>job.covered
    inputs[23] = <float>job.agreement
    inputs[24] = <float>job.score
    inputs[25] = <float>job.style


cdef class GateRows:
    """The gate's inputs of the pairs of a batch, found while the decoder holds each pair.

    Parameters
    ----------
    n_pairs : int

    Attributes
    ----------
    values : float32 array, shape (n_pairs, n_inputs)
        Columns as INPUTS names them; zeros until the batch is decided, and of a pair that failed.
    """

    def __cinit__(self, Py_ssize_t n_pairs):
        self.values = np.zeros((n_pairs, <int>N_GATE_INPUTS), dtype=np.float32)
        self._values = self.values

    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const Job *job, const PairScratch *scratch
    ) noexcept nogil:
        """Fill the row of the pair that is decoded."""
        _gate_inputs(pair, job, scratch, scratch.taken, &self._values[number, 0])
