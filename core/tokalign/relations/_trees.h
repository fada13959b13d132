/* Splits of a tree, compared for four rows of inputs side by side. */

#ifndef TOKALIGN_TREES_H
#define TOKALIGN_TREES_H

#include "_compiler.h"

#include <stddef.h>

#if defined(TOKALIGN_X86)
#include <emmintrin.h>
#endif

/* Take from each row's leaves the left ones of every split that its input is above. `columns` holds
   four rows' values of each input side by side; `left` bits of leaves. */
TOKALIGN_INLINE void strike_out(
    const int32_t *input, const float *threshold, const uint32_t *left, int n_splits,
    const float *columns, uint32_t *leaves)
{
#if defined(TOKALIGN_X86) /* GCC compares numbers one by one here */
    __m128i each = _mm_loadu_si128((const __m128i *)leaves);
    for (int k = 0; k < n_splits; k++) {
        __m128 values = _mm_loadu_ps(columns + 4 * (ptrdiff_t)input[k]);
        __m128 is_above = _mm_cmplt_ps(_mm_set1_ps(threshold[k]), values);
        __m128i struck = _mm_and_si128(_mm_castps_si128(is_above), _mm_set1_epi32((int)left[k]));
        each = _mm_andnot_si128(struck, each);
    }
    _mm_storeu_si128((__m128i *)leaves, each);
#else
    for (int k = 0; k < n_splits; k++)
        for (int row = 0; row < 4; row++)
            if (columns[4 * (ptrdiff_t)input[k] + row] > threshold[k])
                leaves[row] &= ~left[k];
#endif
}

#endif
