/* Sums of weighted features, for many models at once.

   On x86-64 with glibc an AVX2 version is chosen when the module is loaded; all versions give the
   same numbers, for the sums of each column are taken in the same order. */

#ifndef TOKALIGN_WEIGHING_H
#define TOKALIGN_WEIGHING_H

#include "_compiler.h"

#include <stddef.h>

#define TOKALIGN_LANES 4

/* scores[width] = sum over k of value[k] * weights[slot[k], width]; width is a multiple of four. */
TOKALIGN_CLONES
static void weigh_rows(
    const float *weights, ptrdiff_t width, const int32_t *slot, const float *value, int n,
    float *scores)
{
    for (ptrdiff_t first = 0; first < width; first += TOKALIGN_LANES) {
        double sums[TOKALIGN_LANES] = {0.0};
        for (int k = 0; k < n; k++) {
            const float *row = weights + slot[k] * width + first;
            for (int c = 0; c < TOKALIGN_LANES; c++)
                sums[c] += row[c] * value[k];
        }
        for (int c = 0; c < TOKALIGN_LANES; c++)
            scores[first + c] = (float)sums[c];
    }
}

#endif
