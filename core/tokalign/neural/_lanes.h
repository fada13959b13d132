/* Vectors of floats: what compilers have of them, or arrays. */

#ifndef TOKALIGN_LANES_H
#define TOKALIGN_LANES_H

#include "../_compiler.h"

#define LANES 8
#define WIDE 16
#define BLOCK 4
static const float ONES[BLOCK] = {1.0f, 1.0f, 1.0f, 1.0f};

#if defined(TOKALIGN_GNU)
typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
/* For AVX-512 alone: narrower processors would keep these in memory. */
typedef float WideLanes __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));

/* A macro, for a function that takes or returns a vector has another ABI with AVX. */
#define LANE(lanes, k) ((lanes)[k])
/* sums += numbers[8] */
#define ADD_LANES(sums, numbers) ((sums) += *(const Lanes *)(numbers))
/* sums += numbers[8] squared */
#define ADD_SQUARES(sums, numbers) ((sums) += *(const Lanes *)(numbers) * *(const Lanes *)(numbers))

/* out[r][n_out] = four rows of n_in floats times a matrix [n_in][stride], times a factor each, by
   vectors of a width that divides n_out. Rows may be the same. */
#define DEFINE_MULTIPLY(name, Vector, SIZE)                                                       \
    TOKALIGN_INLINE void name(                                                                    \
        const float *const rows[BLOCK], const float *matrix, int n_in, int stride, int n_out,     \
        const float factors[BLOCK], float *const out[BLOCK])                                      \
    {                                                                                             \
        int c = 0;                                                                                \
        for (; c + 2 * SIZE <= n_out; c += 2 * SIZE) {                                            \
            const float *from = matrix + c;                                                       \
            Vector left[BLOCK] = {{0}}, right[BLOCK] = {{0}};                                     \
            for (int k = 0; k < n_in; k++, from += stride) {                                      \
                Vector a = *(const Vector *)from, b = *(const Vector *)(from + SIZE);             \
                TOKALIGN_UNROLL for (int r = 0; r < BLOCK; r++)                                   \
                    left[r] += rows[r][k] * a, right[r] += rows[r][k] * b;                        \
            }                                                                                     \
            TOKALIGN_UNROLL for (int r = 0; r < BLOCK; r++)                                       \
                *(Vector *)(out[r] + c) = left[r] * factors[r],                                   \
                *(Vector *)(out[r] + c + SIZE) = right[r] * factors[r];                           \
        }                                                                                         \
        if (c < n_out) {                                                                          \
            const float *from = matrix + c;                                                       \
            Vector left[BLOCK] = {{0}};                                                           \
            for (int k = 0; k < n_in; k++, from += stride)                                        \
                TOKALIGN_UNROLL for (int r = 0; r < BLOCK; r++)                                   \
                    left[r] += rows[r][k] * *(const Vector *)from;                                \
            TOKALIGN_UNROLL for (int r = 0; r < BLOCK; r++)                                       \
                *(Vector *)(out[r] + c) = left[r] * factors[r];                                   \
        }                                                                                         \
    }
DEFINE_MULTIPLY(multiply, Lanes, LANES)
DEFINE_MULTIPLY(multiply_wide, WideLanes, WIDE)

#else

typedef struct {
    float lane[LANES];
} Lanes;

#define LANE(lanes, k) ((lanes).lane[k])
#define ADD_LANES(sums, numbers)            \
    do {                                    \
        for (int l = 0; l < LANES; l++)     \
            (sums).lane[l] += (numbers)[l]; \
    } while (0)
#define ADD_SQUARES(sums, numbers)                           \
    do {                                                     \
        for (int l = 0; l < LANES; l++)                      \
            (sums).lane[l] += (numbers)[l] * (numbers)[l];   \
    } while (0)

/* As above, with the same order of sums. */
TOKALIGN_INLINE void multiply(
    const float *const rows[BLOCK], const float *matrix, int n_in, int stride, int n_out,
    const float factors[BLOCK], float *const out[BLOCK])
{
    for (int c = 0; c < n_out; c += LANES) {
        float sums[BLOCK][LANES] = {{0}};
        for (int k = 0; k < n_in; k++)
            for (int r = 0; r < BLOCK; r++)
                for (int l = 0; l < LANES; l++)
                    sums[r][l] += rows[r][k] * matrix[(size_t)k * stride + c + l];
        for (int r = 0; r < BLOCK; r++)
            for (int l = 0; l < LANES; l++)
                out[r][c + l] = sums[r][l] * factors[r];
    }
}
#define multiply_wide multiply

#endif

/* The same order of sums on every processor. */
#define SUM_OF(lanes)                                                                     \
    (((LANE(lanes, 0) + LANE(lanes, 4)) + (LANE(lanes, 2) + LANE(lanes, 6)))              \
     + ((LANE(lanes, 1) + LANE(lanes, 5)) + (LANE(lanes, 3) + LANE(lanes, 7))))

#endif
