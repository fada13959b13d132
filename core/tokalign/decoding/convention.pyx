"""Confidences of posteriors, as a style reads them.

Those of links of one word form are on a piecewise linear map between knots. Those of unlike words
have a map of two numbers, where the style has them (Platt 1999, with the log odds as the score):

    log odds(confidence) = slope * log odds(posterior) + offset
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, uint8_t

import numpy as np

from tokalign.features.pair cimport CLASS_IDENTICAL

from tokalign.model.styles import MAX_KNOTS, MAX_STYLES

assert (MAX_KNOTS, MAX_STYLES) == (<int>MOST_KNOTS, <int>MOST_STYLES)


cdef double _between_knots(const StyleNumbers *numbers, double posterior) noexcept nogil:
    """Return what is on the line between the knots around a posterior."""
    cdef const double *raw = &numbers.raw[0]
    cdef const double *calibrated = &numbers.calibrated[0]
    cdef int last = numbers.n_knots - 1
    cdef int k = 0
    if last < 0:
        return posterior
    if posterior >= raw[last]:
        return calibrated[last]
    if posterior <= raw[0]:
        return calibrated[0]
    while posterior >= raw[k + 1]:
        k += 1
    return calibrated[k] + (calibrated[k + 1] - calibrated[k]) / (raw[k + 1] - raw[k]) * (
        posterior - raw[k]
    )


cdef double confidence_of(
    const StyleNumbers *numbers, double posterior, bint are_unlike
) noexcept nogil:
    """Return the confidence of a link with this posterior, in [0, 1]."""
    if not (are_unlike and numbers.has_unlike):
        return _between_knots(numbers, posterior)
    cdef double odds = (
        log(posterior) - log(1.0 - posterior) if 0.0 < posterior < 1.0
        else INFINITY if posterior >= 1.0
        else -INFINITY
    )
    return 1.0 / (1.0 + exp(-(numbers.slope * odds + numbers.offset)))


cdef Py_ssize_t keep_links(
    const StyleNumbers *numbers, const uint8_t *lexical_class, Py_ssize_t n_target, int32_t *source,
    int32_t *target, double *confidence, Py_ssize_t n_links, double least,
) noexcept nogil:
    """Put confidences in the place of posteriors, without links of less than the least of them;
    return how many there are."""
    cdef Py_ssize_t n_kept = 0
    cdef Py_ssize_t k
    cdef double value
    cdef bint are_unlike
    for k in range(n_links):
        are_unlike = lexical_class[source[k] * n_target + target[k]] != CLASS_IDENTICAL
        value = confidence_of(numbers, confidence[k], are_unlike)
        if value >= least:
            source[n_kept] = source[k]
            target[n_kept] = target[k]
            confidence[n_kept] = value
            n_kept += 1
    return n_kept


cdef class Convention:
    """What a style decides by.

    Parameters
    ----------
    style : StyleHeader
        Its numbers have been checked (tokalign.model.styles.check_styles).
    """

    def __init__(self, style not None):
        self.numbers.threshold = style["threshold"]
        self.numbers.beside = style.get("beside", self.numbers.threshold)
        self.numbers.is_revised = style.get("second_pass", False)
        self.numbers.n_knots = len(style.get("raw", ()))
        for k in range(self.numbers.n_knots):
            self.numbers.raw[k] = style["raw"][k]
            self.numbers.calibrated[k] = style["calibrated"][k]
        self.numbers.has_unlike = "unlike" in style
        if self.numbers.has_unlike:
            self.numbers.slope, self.numbers.offset = style["unlike"]

    @property
    def threshold(self):
        """Mean posterior from which a link is taken, in (0, 1]."""
        return self.numbers.threshold

    @property
    def is_revised(self):
        """Whether a second pass says how likely links are."""
        return self.numbers.is_revised

    def confidence(self, double posterior, bint are_unlike):
        """Return the confidence of one posterior, in [0, 1].

        Parameters
        ----------
        posterior : float
            In [0, 1].
        are_unlike : bool
            Whether the words that it links have different forms.
        """
        return confidence_of(&self.numbers, posterior, are_unlike)

    def confidences(self, posterior, unlike):
        """Return the confidences of posteriors.

        Parameters
        ----------
        posterior : float array, of any shape
            In [0, 1].
        unlike : bool array, of the same shape
            Whether two words have different forms.

        Returns
        -------
        float64 array, of the same shape
            In [0, 1].
        """
        found = np.array(posterior, dtype=np.float64, order="C")
        cdef double[::1] each = found.reshape(-1)
        cdef const uint8_t[::1] is_unlike = np.ascontiguousarray(
            np.broadcast_to(unlike, found.shape), dtype=np.uint8
        ).reshape(-1)
        cdef Py_ssize_t k
        for k in range(each.shape[0]):
            each[k] = confidence_of(&self.numbers, each[k], is_unlike[k])
        return found


cdef class Conventions:
    """What the styles of a model decide by, and how it chooses one of them.

    Parameters
    ----------
    styles : sequence of StyleHeader
        Of one model, at least one.
    second_pass : SecondPass, optional
        That of the styles that have one.

    Attributes
    ----------
    each : tuple of Convention
    second_pass : SecondPass or None
    """

    def __init__(self, styles not None, SecondPass second_pass=None):
        cdef Convention convention
        cdef int style, k
        self.each = tuple(map(Convention, styles))
        self.n_styles = len(self.each)
        self.second_pass = second_pass
        self.chooses = "choice" in styles[0]
        for style in range(self.n_styles):
            convention = self.each[style]
            self.numbers[style] = convention.numbers
            for k, weight in enumerate(styles[style].get("choice", ())):
                self.choice[style * (<int>N_CHOICE_INPUTS + 1) + k] = weight
