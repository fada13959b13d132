"""Greedy averaged-perceptron tagging: kernels and their doors.

score(tag | i) = sum over the features f of token i of W[f, tag]; the best tag wins (ties go to
the lower id) and is a feature of the tokens to its right. Features are hashed into a table of
rows of int16 weights; O(n_tokens * n_features * n_tags).

Collins (2002), Discriminative Training Methods for Hidden Markov Models, EMNLP; the weights are
the average over all training steps (his section 2.3).
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tokalign.english.annotate.forms cimport (
    HAS_LOWER,
    HAS_UPPER,
    QUOTE_OPEN,
    Form,
    Forms,
    both,
    lexicon_value,
    shift_of,
    slot,
)

import numpy as np

from tokalign.errors import ShapeError

cdef enum:
    N_OF_FORM = 9
    N_OF_CONTEXT = 15
    N_OF_TAGS = 10
    N_FEATURES = N_OF_FORM + N_OF_CONTEXT + N_OF_TAGS
    START = 63          # stands for the tag before a sentence


cdef extern from "_rows.h" nogil:
    void fetch_wide_rows(const int16_t* weights, const uint32_t* rows, int n_rows) noexcept
    void add_wide_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept
    void sum_wide_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept
    int largest(const int32_t* scores, int n) noexcept


cdef uint32_t case_of(const Form* forms, Py_ssize_t n) noexcept nogil:
    """Return which letter cases occur in a sentence after its first token's first letter."""
    cdef uint32_t seen = 0
    cdef Py_ssize_t i
    for i in range(n):
        seen |= forms[i].case
    return seen


cdef void look_up(
    const Form* forms, Py_ssize_t n, Lexicon lexicon, uint32_t* classes
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        classes[i] = lexicon_value(lexicon.keys, lexicon.values, lexicon.mask, forms[i].lower)


cdef inline void form_features(const Form* w, int shift, uint32_t* rows) noexcept nogil:
    """Write the rows of what a token's own form says."""
    rows[0] = slot(0, w.form, 0, shift)
    rows[1] = slot(1, w.lower, 0, shift)
    rows[2] = slot(6, w.prefix1, 0, shift)
    rows[3] = slot(7, w.prefix2, 0, shift)
    rows[4] = slot(8, w.prefix3, 0, shift)
    rows[5] = slot(9, w.suffix1, 0, shift)
    rows[6] = slot(10, w.suffix2, 0, shift)
    rows[7] = slot(11, w.suffix3, 0, shift)
    rows[8] = slot(12, w.suffix4, w.shape, shift)


cdef inline void context_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i, uint32_t case,
    int shift, uint32_t* rows,
) noexcept nogil:
    """Write the rows of what the tokens around token i say."""
    cdef const Form* w = &forms[i]
    cdef uint32_t p1 = forms[i - 1].lower if i >= 1 else 0
    cdef uint32_t p2 = forms[i - 2].lower if i >= 2 else 0
    cdef uint32_t n1 = forms[i + 1].lower if i + 1 < n else 0
    cdef uint32_t n2 = forms[i + 2].lower if i + 2 < n else 0
    cdef uint32_t n1_suffix3 = forms[i + 1].suffix3 if i + 1 < n else 0
    cdef uint32_t n1_suffix2 = forms[i + 1].suffix2 if i + 1 < n else 0
    cdef uint32_t n1_shape = forms[i + 1].shape if i + 1 < n else 0
    cdef uint32_t p1_shape = forms[i - 1].shape if i >= 1 else 0
    cdef uint32_t c1 = classes[i + 1] if i + 1 < n else 1
    cdef uint32_t place = case * 2 + (i == 0)
    rows[0] = slot(2, p1, 0, shift)
    rows[1] = slot(3, p2, 0, shift)
    rows[2] = slot(4, n1, 0, shift)
    rows[3] = slot(5, n2, 0, shift)
    rows[4] = slot(13, w.shape, place, shift)
    rows[5] = slot(19, w.lower, n1, shift)
    rows[6] = slot(20, w.lower, p1, shift)
    rows[7] = slot(21, p1, n1, shift)
    rows[8] = slot(22, n1_suffix3, w.suffix2, shift)
    rows[9] = slot(23, n1_suffix2, n1_shape, shift)
    rows[10] = slot(24, p1_shape, w.shape, shift)
    rows[11] = slot(25, n1_shape, w.shape, shift)
    rows[12] = slot(28, classes[i], c1, shift)
    rows[13] = slot(30, c1, w.suffix3, shift)
    rows[14] = slot(32, w.lower, c1, shift)


# More than seven parameters here and below, as in most kernels: each is an array or a number of
# the caller's, and a struct of them would have to be filled for every sentence.
cdef inline void tag_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i, uint32_t tag1,
    uint32_t tag2, int shift, uint32_t* rows,
) noexcept nogil:
    """Write the rows of what tag1 and tag2, the tags of i - 1 and i - 2, say."""
    cdef const Form* w = &forms[i]
    cdef uint32_t n1 = forms[i + 1].lower if i + 1 < n else 0
    cdef uint32_t p1_suffix3 = forms[i - 1].suffix3 if i >= 1 else 0
    cdef uint32_t c0 = classes[i]
    cdef uint32_t c1 = classes[i + 1] if i + 1 < n else 1
    cdef uint32_t c2 = classes[i + 2] if i + 2 < n else 1
    cdef uint32_t tags = tag1 * 64 + tag2
    rows[0] = slot(14, tag1, 0, shift)
    rows[1] = slot(15, tags, 0, shift)
    rows[2] = slot(16, tag1, w.lower, shift)
    rows[3] = slot(17, tag1, n1, shift)
    rows[4] = slot(18, tags, w.suffix3, shift)
    rows[5] = slot(26, p1_suffix3, tag1, shift)
    rows[6] = slot(27, c0, tag1, shift)
    rows[7] = slot(29, both(c1, c2), tag1, shift)
    rows[8] = slot(31, both(c0, c1), tags, shift)
    rows[9] = slot(33, c0, both(tags, w.suffix2), shift)


cdef inline void find_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i,
    uint32_t tag1, uint32_t tag2, uint32_t case, int shift, uint32_t* rows,
) noexcept nogil:
    """Write the rows of all of token i's features."""
    form_features(&forms[i], shift, rows)
    context_features(forms, classes, n, i, case, shift, rows + N_OF_FORM)
    tag_features(forms, classes, n, i, tag1, tag2, shift, rows + N_OF_FORM + N_OF_CONTEXT)


cdef void score_form(
    const Form* form, const int16_t* weights, int shift, int32_t* scores
) noexcept nogil:
    """Write what a token's own form adds to the score of every tag."""
    cdef uint32_t[N_OF_FORM] rows
    form_features(form, shift, rows)
    sum_wide_rows(weights, rows, N_OF_FORM, scores)


cdef void tag_sentence(
    const Form* forms, const int32_t* const* form_scores, uint32_t* classes, Py_ssize_t n,
    Lexicon lexicon, const int16_t* weights, int n_tags, int shift, uint32_t[2] quotes,
    uint8_t* tags,
) noexcept nogil:
    """Tag a sentence from left to right.

    `form_scores` holds what each token's own form adds to its scores, or is NULL; `classes` has
    room for n ambiguity classes.
    """
    # The rows of the token at hand and, fetched while it is summed, of the next one.
    cdef uint32_t[2][N_OF_CONTEXT] around
    cdef uint32_t[N_OF_TAGS] rows
    cdef int32_t[WIDTH] scores
    cdef uint32_t tag1 = START, tag2 = START, case = case_of(forms, n)
    cdef Py_ssize_t i
    cdef int tag
    look_up(forms, n, lexicon, classes)
    if n:
        context_features(forms, classes, n, 0, case, shift, around[0])
        fetch_wide_rows(weights, around[0], N_OF_CONTEXT)
    for i in range(n):
        if i + 1 < n:
            context_features(forms, classes, n, i + 1, case, shift, around[(i + 1) & 1])
            fetch_wide_rows(weights, around[(i + 1) & 1], N_OF_CONTEXT)
        if forms[i].fixed:
            tag = quotes[forms[i].fixed - QUOTE_OPEN]
        else:
            tag_features(forms, classes, n, i, tag1, tag2, shift, rows)
            fetch_wide_rows(weights, rows, N_OF_TAGS)
            if form_scores == NULL:
                score_form(&forms[i], weights, shift, scores)
            else:
                memcpy(scores, form_scores[i], sizeof(scores))
            add_wide_rows(weights, around[i & 1], N_OF_CONTEXT, scores)
            add_wide_rows(weights, rows, N_OF_TAGS, scores)
            tag = largest(scores, n_tags)
        tags[i] = <uint8_t>tag
        tag2, tag1 = tag1, tag


def tag_forms(
    Forms forms,
    const int16_t[:, ::1] weights,
    const uint32_t[::1] lexicon_keys,
    const uint32_t[::1] lexicon_values,
    int n_tags,
    tuple quote_tags,
):
    """Return the tag id of every token.

    Parameters
    ----------
    forms : Forms
    weights : int16 array, shape (2**k, 64), C-contiguous
    lexicon_keys, lexicon_values : uint32 arrays, shape (2**m,)
        Open addressing by `Form.lower`; the value is the word's ambiguity class.
    n_tags : int
        At most 63.
    quote_tags : (int, int)
        Tags of a Penn opening and closing quote.

    Returns
    -------
    tags : uint8 array, shape (n_tokens,)
    """
    cdef Lexicon lexicon = open_lexicon(lexicon_keys, lexicon_values)
    cdef int shift = shift_of(weights.shape[0])
    check_width(weights.shape[1], n_tags)
    tags = np.empty(forms.n_tokens, dtype=np.uint8)
    if forms.n_tokens == 0:
        return tags
    cdef uint8_t[::1] out = tags
    cdef uint32_t[2] quotes = quote_tags
    cdef uint32_t* classes = <uint32_t*>malloc(forms.n_tokens * sizeof(uint32_t))
    cdef Py_ssize_t s, start
    if classes is NULL:
        raise MemoryError
    with nogil:
        for s in range(forms.n_sentences):
            start = forms.offsets[s]
            if forms.offsets[s + 1] > start:
                tag_sentence(
                    forms.items + start, NULL, classes, forms.offsets[s + 1] - start, lexicon,
                    &weights[0, 0], n_tags, shift, quotes, &out[start],
                )
    free(classes)
    return tags


# As many parameters as there are arrays in the state of a training, which its caller keeps. Half of
# the lines say and check what they hold; the rest is one loop over the tokens.
def train_epoch(
    Forms forms,
    const uint8_t[::1] gold,
    const int32_t[::1] order,
    int32_t[:, ::1] weights,
    int64_t[:, ::1] totals,
    const uint32_t[::1] lexicon_keys,
    const uint32_t[::1] lexicon_values,
    int n_tags,
    int64_t step,
    int margin,
):
    """Update `weights` in place over the sentences in `order` and return (step, n_wrong).

    `totals` gathers step * change, so that the average of the weights over all steps is
    ``weights - totals / step``.

    Parameters
    ----------
    forms : Forms
    gold : uint8 array, shape (n_tokens,)
    order : int32 array
        Indices of sentences.
    weights : int32 array, shape (2**k, 64)
    totals : int64 array, shape (2**k, 64)
    lexicon_keys, lexicon_values : uint32 arrays
    n_tags : int
    step : int
        Tokens seen so far, plus one.
    margin : int
        The gold tag is promoted unless it beats every other tag by more than this.

    Raises
    ------
    ShapeError
        If an array is of another shape, or holds a tag or a sentence that there is none of.
    """
    cdef Lexicon lexicon = open_lexicon(lexicon_keys, lexicon_values)
    cdef int shift = shift_of(weights.shape[0])
    check_width(weights.shape[1], n_tags)
    if gold.shape[0] != forms.n_tokens or totals.shape[0] != weights.shape[0]:
        raise ShapeError("one gold tag per token and one total per weight are wanted")
    check_range("gold", gold, n_tags)
    check_range("order", order, forms.n_sentences)
    cdef uint32_t[N_FEATURES] rows
    cdef int32_t[WIDTH] scores
    cdef uint32_t* classes = <uint32_t*>malloc((forms.n_tokens + 1) * sizeof(uint32_t))
    cdef Py_ssize_t o, i, n, start
    cdef const Form* items
    cdef uint32_t tag1, tag2, case
    cdef int k, tag, right, wrong, n_wrong = 0
    cdef int32_t* row
    if classes is NULL:
        raise MemoryError
    with nogil:
        for o in range(order.shape[0]):
            start = forms.offsets[order[o]]
            n = forms.offsets[order[o] + 1] - start
            items = forms.items + start
            tag1 = tag2 = START
            case = case_of(items, n)
            look_up(items, n, lexicon, classes)
            for i in range(n):
                right = gold[start + i]
                tag = right
                if not items[i].fixed:
                    find_features(items, classes, n, i, tag1, tag2, case, shift, rows)
                    memset(scores, 0, sizeof(scores))
                    for k in range(N_FEATURES):
                        row = &weights[rows[k], 0]
                        for tag in range(WIDTH):
                            scores[tag] += row[tag]
                    tag = largest(scores, n_tags)
                    n_wrong += tag != right
                    scores[right] -= margin + 1
                    wrong = largest(scores, n_tags)
                    if wrong != right:
                        for k in range(N_FEATURES):
                            weights[rows[k], wrong] -= 1
                            weights[rows[k], right] += 1
                            totals[rows[k], wrong] -= step
                            totals[rows[k], right] += step
                    step += 1
                tag2, tag1 = tag1, tag
    free(classes)
    return step, n_wrong


cdef int check_range(str name, values, Py_ssize_t n) except -1:
    if values.shape[0] and not 0 <= np.min(values) <= np.max(values) < n:
        raise ShapeError(
            f"{name} holds {np.min(values)} to {np.max(values)}; wanted 0 to {n - 1}"
        )
    return 0


cdef Lexicon open_lexicon(const uint32_t[::1] keys, const uint32_t[::1] values) except *:
    cdef Lexicon lexicon
    cdef Py_ssize_t size = keys.shape[0]
    if size != values.shape[0] or size & (size - 1) or size == 0:
        raise ShapeError(f"lexicon of {size} keys and {values.shape[0]} values; wanted a power of two")
    lexicon.keys = &keys[0]
    lexicon.values = &values[0]
    lexicon.mask = <uint32_t>(size - 1)
    return lexicon


cdef int check_width(Py_ssize_t width, int n_tags) except -1:
    if width != WIDTH or not 0 < n_tags <= START:
        raise ShapeError(
            f"{n_tags} tags with rows of {width} weights; wanted at most {START} and {WIDTH}"
        )
    return 0
