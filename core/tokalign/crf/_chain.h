/* The inner loops of forward-backward.

   On x86-64 with glibc an AVX2 version is chosen when the module is loaded; all versions add in the
   same order and give the same numbers. */

#ifndef TOKALIGN_CHAIN_H
#define TOKALIGN_CHAIN_H

#include "../_compiler.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CHAIN_REACH = 25,    /* jumps from here on weigh alike; see jump_bin */
    CHAIN_LONG = 64,     /* states from which on windows cost less than all steps */
    CHAIN_ARRAYS = 6,    /* of n_states + 2 * CHAIN_REACH numbers, which add_long_steps needs */
};

/* exp(x - shift), for x that are at most shift, -inf among them: within two units in the last place;
   0 below the least normal number.

   x = n log 2 + r, |r| <= log(2) / 2; exp(r) by its series, 2^n by the exponent's bits. Adding 1.5 *
   2^52 rounds to an integer that stands in the lowest bits. No loop branches, so that several numbers
   go at once: -800 stands for what is less than -708, and 2^-1023 for 0. */
TOKALIGN_WIDE_CLONES
static void exponentials(const double *scores, ptrdiff_t n, double shift, double *out)
{
    const double rounding = 6755399441055744.0;
    for (ptrdiff_t k = 0; k < n; k++) {
        double x = scores[k] - shift;
        out[k] = x > -708.0 ? x : -800.0;
    }
    for (ptrdiff_t k = 0; k < n; k++) {
        double shifted = out[k] * 1.4426950408889634 + rounding;
        double whole = shifted - rounding;
        double r = (out[k] - whole * 6.93147180369123816490e-01) - whole * 1.90821492927058770002e-10;
        double sum = 1.0 / 6227020800.0;
        sum = sum * r + 1.0 / 479001600.0;
        sum = sum * r + 1.0 / 39916800.0;
        sum = sum * r + 1.0 / 3628800.0;
        sum = sum * r + 1.0 / 362880.0;
        sum = sum * r + 1.0 / 40320.0;
        sum = sum * r + 1.0 / 5040.0;
        sum = sum * r + 1.0 / 720.0;
        sum = sum * r + 1.0 / 120.0;
        sum = sum * r + 1.0 / 24.0;
        sum = sum * r + 1.0 / 6.0;
        sum = sum * r + 0.5;
        sum = sum * r + 1.0;
        sum = sum * r + 1.0;
        shifted = shifted > rounding - 1023.0 ? shifted : rounding - 1023.0;
        uint64_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        bits = (bits + 1023) << 52;
        double power;
        memcpy(&power, &bits, sizeof power);
        out[k] = sum * power;
    }
}

/* Add to row[b] the sum over a of weight[a] * jump[b - a + n_states - 1], NULL left out.

   Four at a time, so that the row is read and written a quarter as often; in the order of a. */
TOKALIGN_WIDE_CLONES
static void add_short_steps(double *row, const double *weight, const double *jump, ptrdiff_t n_states)
{
    ptrdiff_t a = 1;
    for (; a + 3 < n_states; a += 4) {
        const double *factor = jump + n_states - 1 - a;
        double first = weight[a], second = weight[a + 1], third = weight[a + 2], fourth = weight[a + 3];
        for (ptrdiff_t b = 1; b < n_states; b++)
            row[b] = row[b] + first * factor[b] + second * factor[b - 1] + third * factor[b - 2]
                     + fourth * factor[b - 3];
    }
    for (; a < n_states; a++) {
        const double *factor = jump + n_states - 1 - a;
        double first = weight[a];
        for (ptrdiff_t b = 1; b < n_states; b++) row[b] += first * factor[b];
    }
}

/* The same for long sentences in time that grows as their length: jumps of 7 to 9, 10 to 14, 15 to
   24, and 25 or more weigh alike, so sums over windows of 3, 5 and 10 states and over all beyond are
   made once. Nothing is subtracted, so small sums keep all their digits. `room` is CHAIN_ARRAYS
   arrays. */
TOKALIGN_WIDE_CLONES
static void add_long_steps(
    double *row, const double *weight, const double *jump, ptrdiff_t n_states, double *room)
{
    const double *by = jump + n_states - 1; /* by[d], the weight of a jump by d */
    ptrdiff_t width = n_states + 2 * CHAIN_REACH;
    double *state = room + CHAIN_REACH; /* those outside are 0 */
    double *three = state + width, *five = three + width, *ten = five + width;
    double *before = ten + width; /* the sum of all up to a state */
    double *after = before + width;
    ptrdiff_t first = -CHAIN_REACH, last = n_states + CHAIN_REACH;
    memset(room, 0, CHAIN_ARRAYS * width * sizeof(double));
    memcpy(state + 1, weight + 1, (n_states - 1) * sizeof(double));
    for (ptrdiff_t k = first; k < last - 2; k++) three[k] = state[k] + state[k + 1] + state[k + 2];
    for (ptrdiff_t k = first; k < last - 4; k++) five[k] = three[k] + state[k + 3] + state[k + 4];
    for (ptrdiff_t k = first; k < last - 9; k++) ten[k] = five[k] + five[k + 5];
    for (ptrdiff_t k = 1; k < n_states; k++) before[k] = before[k - 1] + state[k];
    for (ptrdiff_t k = n_states - 1; k > 0; k--) after[k] = after[k + 1] + state[k];
    for (ptrdiff_t b = 1; b < n_states; b++) {
        double sum = by[0] * state[b];
        for (ptrdiff_t d = 1; d <= 6; d++) sum += by[d] * state[b - d] + by[-d] * state[b + d];
        sum += by[7] * three[b - 9] + by[-7] * three[b + 7];
        sum += by[10] * five[b - 14] + by[-10] * five[b + 10];
        sum += by[15] * ten[b - 24] + by[-15] * ten[b + 15];
        row[b] += sum + by[25] * before[b - 25] + by[-25] * after[b + 25];
    }
}

#endif
