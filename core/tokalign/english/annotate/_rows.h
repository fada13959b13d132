/* Sums of table rows, the inner loop of tagging and parsing.

   Rows are fetched ahead of their use, because tables are larger than the caches. On x86-64 with
   glibc an AVX2 version is chosen when the module is loaded; all versions give the same integers. */

#ifndef TOKALIGN_ROWS_H
#define TOKALIGN_ROWS_H

#include "_compiler.h"

#include <stdint.h>
#include <string.h>

#define TOKALIGN_WIDE 64
#define TOKALIGN_NARROW 4

/* Have the processor fetch rows that are to be summed later. */
static inline void fetch_wide_rows(const int16_t *weights, const uint32_t *rows, int n_rows)
{
    for (int k = 0; k < n_rows; k++) {
        const int16_t *row = weights + (size_t)rows[k] * TOKALIGN_WIDE;
        TOKALIGN_PREFETCH(row);
        TOKALIGN_PREFETCH(row + TOKALIGN_WIDE / 2);
    }
}

/* scores[64] += sum over k of weights[rows[k], 64]. The sums stay in registers; two loops keep GCC
   from adding rows in pairs, one column after another. */
TOKALIGN_WIDE_CLONES
static void add_wide_rows(
    const int16_t *weights, const uint32_t *rows, int n_rows, int32_t *scores)
{
    for (int k = 0; k < n_rows; k++) {
        const int16_t *row = weights + (size_t)rows[k] * TOKALIGN_WIDE;
        for (int c = 0; c < TOKALIGN_WIDE / 2; c++)
            scores[c] += row[c];
        for (int c = TOKALIGN_WIDE / 2; c < TOKALIGN_WIDE; c++)
            scores[c] += row[c];
    }
}

/* scores[64] = sum over k of weights[rows[k], 64] */
static inline void sum_wide_rows(
    const int16_t *weights, const uint32_t *rows, int n_rows, int32_t *scores)
{
    fetch_wide_rows(weights, rows, n_rows);
    memset(scores, 0, TOKALIGN_WIDE * sizeof(int32_t));
    add_wide_rows(weights, rows, n_rows, scores);
}

/* Place of the largest of n <= 64 scores, the first of them where there are several. */
TOKALIGN_WIDE_CLONES
static int largest(const int32_t *scores, int n)
{
    int32_t most = scores[0];
    int place = 0;
    for (int c = 1; c < n; c++)
        most = scores[c] > most ? scores[c] : most;
    while (scores[place] != most)
        place++;
    return place;
}

/* scores[4] = sum over k of weights[rows[k], 4] */
static inline void sum_narrow_rows(
    const int16_t *weights, const uint32_t *rows, int n_rows, int32_t *scores)
{
    int32_t sums[TOKALIGN_NARROW] = {0};
    for (int k = 0; k < n_rows; k++)
        TOKALIGN_PREFETCH(weights + (size_t)rows[k] * TOKALIGN_NARROW);
    for (int k = 0; k < n_rows; k++) {
        const int16_t *row = weights + (size_t)rows[k] * TOKALIGN_NARROW;
        for (int c = 0; c < TOKALIGN_NARROW; c++)
            sums[c] += row[c];
    }
    memcpy(scores, sums, sizeof(sums));
}

#endif
