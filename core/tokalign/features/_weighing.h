/* Sums of weighted features: for both directions, or for all styles at once.

   On x86-64 with glibc an AVX2 version is chosen when the module is loaded; all versions give the
   same numbers, for the sums of each column are taken in the same order. */

#ifndef TOKALIGN_WEIGHING_H
#define TOKALIGN_WEIGHING_H

#include "_compiler.h"

#include <stddef.h>

#if defined(TOKALIGN_X86)
#include <emmintrin.h>
#endif

#define TOKALIGN_LANES 4

/* Sums for both directions, added side by side where the compiler can. */
#if defined(TOKALIGN_X86) /* GCC's own vectors become single numbers here */
typedef __m128d two_sums;

TOKALIGN_INLINE two_sums sums_from(const float *scores)
{
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)scores)));
}

TOKALIGN_INLINE void add_weight(two_sums *sums, const float *weight)
{
    *sums = _mm_add_pd(*sums, sums_from(weight));
}

TOKALIGN_INLINE void add_weighted(two_sums *sums, const float *weight, float value)
{
    __m128 both = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)weight));
    *sums = _mm_add_pd(*sums, _mm_cvtps_pd(_mm_mul_ps(both, _mm_set1_ps(value))));
}

TOKALIGN_INLINE double sum_of(two_sums sums, int direction)
{
    return direction ? _mm_cvtsd_f64(_mm_unpackhi_pd(sums, sums)) : _mm_cvtsd_f64(sums);
}
#else
typedef struct {
    double of[2];
} two_sums;

TOKALIGN_INLINE two_sums sums_from(const float *scores)
{
    two_sums sums = {{scores[0], scores[1]}};
    return sums;
}

TOKALIGN_INLINE void add_weight(two_sums *sums, const float *weight)
{
    sums->of[0] += weight[0];
    sums->of[1] += weight[1];
}

TOKALIGN_INLINE void add_weighted(two_sums *sums, const float *weight, float value)
{
    sums->of[0] += weight[0] * value;
    sums->of[1] += weight[1] * value;
}

TOKALIGN_INLINE double sum_of(two_sums sums, int direction)
{
    return sums.of[direction];
}
#endif

/* The same for some columns. Always inlined, so that their number is a constant and the sums are
   registers. */
TOKALIGN_INLINE void weigh_columns(
    const float *weights, ptrdiff_t width, const int32_t *slot, const float *value, int n,
    float *scores, int n_columns)
{
    double sums[3 * TOKALIGN_LANES] = {0.0};
    for (int k = 0; k < n; k++) {
        const float *row = weights + slot[k] * width;
        for (int c = 0; c < n_columns; c++)
            sums[c] += row[c] * value[k];
    }
    for (int c = 0; c < n_columns; c++)
        scores[c] = (float)sums[c];
}

/* scores[width] = sum over k of value[k] * weights[slot[k], width]; width is a multiple of four. */
TOKALIGN_WIDE_CLONES
static void weigh_rows(
    const float *weights, ptrdiff_t width, const int32_t *slot, const float *value, int n,
    float *scores)
{
    ptrdiff_t first = 0;
    for (; first + 3 * TOKALIGN_LANES <= width; first += 3 * TOKALIGN_LANES)
        weigh_columns(weights + first, width, slot, value, n, scores + first, 3 * TOKALIGN_LANES);
    for (; first < width; first += TOKALIGN_LANES)
        weigh_columns(weights + first, width, slot, value, n, scores + first, TOKALIGN_LANES);
}

#endif
