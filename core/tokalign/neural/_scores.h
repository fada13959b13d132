/* What is made of states: means of tokens, products with a matrix, logarithms of shares. */

#ifndef TOKALIGN_SCORES_H
#define TOKALIGN_SCORES_H

#include "_layers.h"

/* means[n][width] = the mean state of each token's pieces, which are starts[k] to starts[k + 1]. */
TOKALIGN_WIDE_CLONES
static void mean_states(
    const float *states, const int64_t *starts, int n, int width, float *means)
{
    for (int k = 0; k < n; k++, means += width) {
        memset(means, 0, width * sizeof(float));
        for (int64_t piece = starts[k]; piece < starts[k + 1]; piece++)
            for (int c = 0; c < width; c++)
                means[c] += states[piece * width + c];
        float parts = 1.0f / (float)(starts[k + 1] - starts[k]);
        for (int c = 0; c < width; c++)
            means[c] *= parts;
    }
}

/* out[n_rows][n_out] = rows[n_rows], `stride` apart, of n_in floats, times a matrix [n_in][n_out];
   n_out is a multiple of LANES. */
TOKALIGN_WIDE_CLONES
static void multiply_rows(
    const float *rows, int n_rows, int stride, const float *matrix, int n_in, int n_out, float *out)
{
    const float *of_rows[BLOCK];
    float *of_out[BLOCK];
    for (int i = 0; i < n_rows; i += BLOCK) {
        for (int r = 0; r < BLOCK; r++) {
            int own = i + r < n_rows ? i + r : n_rows - 1;
            of_rows[r] = rows + (size_t)own * stride;
            of_out[r] = out + (size_t)own * n_out;
        }
        multiply(of_rows, matrix, n_in, n_out, n_out, ONES, of_out);
    }
}

/* Turn rows of n scores into logarithms of their shares; `scratch` has room for a padded row. */
TOKALIGN_WIDE_CLONES
static void log_shares(float *rows, int n_rows, int n, float *scratch)
{
    float largest;
    for (int r = 0; r < n_rows; r++, rows += n) {
        memcpy(scratch, rows, n * sizeof(float));
        float parts = powers(scratch, n, padded(n), &largest), less = logf(parts) - largest;
        for (int j = 0; j < n; j++)
            rows[j] += less;
    }
}

#endif
