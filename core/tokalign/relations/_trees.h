/* Splits of a tree, compared for four rows of inputs side by side where the compiler can. */

#ifndef TOKALIGN_TREES_H
#define TOKALIGN_TREES_H

#include "_compiler.h"

#include <stddef.h>

#if defined(TOKALIGN_GNU)
typedef float four_floats __attribute__((vector_size(16), aligned(4)));
typedef uint32_t four_masks __attribute__((vector_size(16), aligned(4)));
#endif

/* Take from each row's leaves the left ones of every split that its input is above. `columns` holds
   four rows' values of each input side by side; `left` bits of leaves. */
TOKALIGN_INLINE void strike_out(
    const int32_t *input, const float *threshold, const uint32_t *left, int n_splits,
    const float *columns, uint32_t *leaves)
{
#if defined(TOKALIGN_GNU)
    four_masks each = *(const four_masks *)leaves;
    for (int k = 0; k < n_splits; k++) {
        four_floats values = *(const four_floats *)(columns + 4 * (ptrdiff_t)input[k]);
        each &= ~((four_masks)(values > threshold[k]) & left[k]);
    }
    *(four_masks *)leaves = each;
#else
    for (int k = 0; k < n_splits; k++)
        for (int row = 0; row < 4; row++)
            if (columns[4 * (ptrdiff_t)input[k] + row] > threshold[k])
                leaves[row] &= ~left[k];
#endif
}

#endif
