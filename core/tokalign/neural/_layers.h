/* The layers of an encoder on rows of floats: products, attention, normalisation.

   Everything but the tiles of _integers.h is plain C in loops over lanes, which the compiler
   turns into vectors of the width that a processor has. Sums are taken lane by lane and products
   are not fused with sums, so every processor gets the same numbers. */

#ifndef TOKALIGN_LAYERS_H
#define TOKALIGN_LAYERS_H

#include "_integers.h"
#include "_lanes.h"

#include <math.h>

#define WHOLE 12582912.0f /* added to a float, it leaves a whole number in the lowest bits */

/* A layer's weights; see _integers.h. */
typedef struct {
    int n_in, n_out;
    const int8_t *packed;
    const float *scales; /* [n_out] of weights */
    const float *biases; /* [n_out] */
    const int32_t *zeros; /* [n_out] what rows of activations of 0 give */
} Linear;

TOKALIGN_INLINE int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

TOKALIGN_INLINE float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

TOKALIGN_INLINE float larger(float a, float b) { return a > b ? a : b; }

/* Of the bits of floats, whose order without the sign is that of whole numbers. Compilers make
   vectors of that, and of comparisons of floats not always. */
TOKALIGN_INLINE uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* e ** x for x <= 0, to 3 parts in a million: 2 ** n times the series of what is left. */
TOKALIGN_INLINE float power(float x)
{
    x = float_of((int32_t)smaller((uint32_t)bits_of(x), (uint32_t)bits_of(-87.0f)));
    float whole = x * 1.44269504f + WHOLE;
    int32_t n = bits_of(whole) - bits_of(WHOLE);
    float rest = x - (whole - WHOLE) * 0.693147181f;
    float series = 1.0f / 120.0f;
    series = series * rest + 1.0f / 24.0f;
    series = series * rest + 1.0f / 6.0f;
    series = series * rest + 0.5f;
    series = series * rest + 1.0f;
    series = series * rest + 1.0f;
    return series * float_of((n + 127) << 23);
}

/* x times the share of the normal distribution below x, which beyond 4 counts as at 4. The
   polynomial is erf(x / sqrt(2)) / x in x * x, within 1e-5; it was fitted by least squares. */
TOKALIGN_INLINE float gelu(float x)
{
    int32_t sign = bits_of(x) & INT32_MIN;
    uint32_t size = smaller((uint32_t)(bits_of(x) ^ sign), (uint32_t)bits_of(4.0f));
    float near = float_of((int32_t)size | sign), square = near * near;
    float part = 1.612609695873423e-10f;
    part = part * square - 1.4006442662060233e-08f;
    part = part * square + 5.432178571267365e-07f;
    part = part * square - 1.2589805688359798e-05f;
    part = part * square + 1.978145720935693e-04f;
    part = part * square - 2.26783690083994e-03f;
    part = part * square + 1.9754935978695685e-02f;
    part = part * square - 1.3282117107778313e-01f;
    part = part * square + 7.978454132420622e-01f;
    return 0.5f * x * (1.0f + near * part);
}

/* Round rows to uint8 with a scale each. An activation of 0 becomes `middle`, and no scale is finer
   than `finest`. */
TOKALIGN_WIDE_CLONES
static void round_rows(
    const float *rows, int n_rows, int width, int middle, float finest, uint8_t *rounded,
    float *scales)
{
    for (int r = 0; r < n_rows; r++, rows += width, rounded += width) {
        int32_t largest = 0; /* the bits of floats without their sign are ordered as they are */
        for (int k = 0; k < width; k++) {
            int32_t size = bits_of(rows[k]) & INT32_MAX;
            largest = largest > size ? largest : size;
        }
        scales[r] = larger(float_of(largest) * (1.0f / (float)(255 - middle)), finest);
        float parts = 1.0f / scales[r];
        for (int k = 0; k < width; k++)
            rounded[k] = (uint8_t)(bits_of(rows[k] * parts + WHOLE) - bits_of(WHOLE) + middle);
    }
}

/* The sums of a tile as floats, with biases; and through GELU where asked for. */
TOKALIGN_WIDE_CLONES
static void finish_tile(
    const int32_t *sums, const Linear *linear, int first, int n_rows, const float *scales,
    int is_raised, float *out)
{
    const float *of_out = linear->scales + first, *biases = linear->biases + first;
    const int32_t *zeros = linear->zeros + first;
    for (int r = 0; r < n_rows; r++, sums += PANEL, out += linear->n_out) {
        float scale = scales[r];
        if (is_raised)
            for (int c = 0; c < PANEL; c++)
                out[c] = gelu((float)(sums[c] - zeros[c]) * of_out[c] * scale + biases[c]);
        else
            for (int c = 0; c < PANEL; c++)
                out[c] = (float)(sums[c] - zeros[c]) * of_out[c] * scale + biases[c];
    }
}

/* out[n_rows][n_out] of rounded rows, behind which MOST_ROWS more can be read. */
static inline void apply(
    Tile tile, const Linear *linear, const uint8_t *rounded, const float *scales, int n_rows,
    int is_raised, float *out)
{
    TOKALIGN_OWN_LINE int32_t sums[MOST_ROWS * PANEL];
    int n_at_once = rows_of(tile);
    for (int first = 0; first < linear->n_out; first += PANEL) {
        const int8_t *panel = linear->packed + (size_t)first * linear->n_in;
        for (int r = 0; r < n_rows; r += n_at_once) {
            const uint8_t *rows[TILE_ROWS];
            int n_left = n_rows - r < n_at_once ? n_rows - r : n_at_once;
            for (int k = 0; k < TILE_ROWS; k++) /* rows that are not there are the last once more */
                rows[k] = rounded + (size_t)(r + (k < n_left ? k : n_left - 1)) * linear->n_in;
            tile(rows, panel, linear->n_in / 4, sums);
            finish_tile(
                sums, linear, first, n_left, scales + r, is_raised,
                out + (size_t)r * linear->n_out + first);
        }
    }
}

/* rows = normalised (rows + added). */
TOKALIGN_WIDE_CLONES
static void normalise(
    float *rows, const float *added, int n_rows, int width, const float *weights,
    const float *biases, float epsilon)
{
    for (int r = 0; r < n_rows; r++, rows += width, added += width) {
        Lanes sums = {0}, squares = {0};
        for (int k = 0; k < width; k++)
            rows[k] += added[k];
        for (int k = 0; k < width; k += LANES)
            ADD_LANES(sums, rows + k);
        float mean = SUM_OF(sums) / (float)width;
        for (int k = 0; k < width; k++)
            rows[k] -= mean;
        for (int k = 0; k < width; k += LANES)
            ADD_SQUARES(squares, rows + k);
        float parts = 1.0f / sqrtf(SUM_OF(squares) / (float)width + epsilon);
        for (int k = 0; k < width; k++)
            rows[k] = rows[k] * parts * weights[k] + biases[k];
    }
}

TOKALIGN_INLINE int padded(int n) { return (n + WIDE - 1) / WIDE * WIDE; }

/* What `attend` needs of scratch for a sequence, in floats. */
static inline size_t attend_scratch(int n, int size)
{
    return (size_t)(size + BLOCK) * padded(n);
}

/* Turn a row of scores into powers of what they are less than the largest; from n to n_wide they
   are 0. Return 1 by their sum. */
TOKALIGN_INLINE float powers(float *row, int n, int n_wide, float *largest_score)
{
    int32_t largest = INT32_MIN; /* with those below 0 turned round, bits are ordered as floats */
    for (int j = 0; j < n; j++) {
        int32_t bits = bits_of(row[j]), order = bits ^ ((bits >> 31) & INT32_MAX);
        largest = largest > order ? largest : order;
    }
    float most = *largest_score = float_of(largest ^ ((largest >> 31) & INT32_MAX));
    for (int j = n; j < n_wide; j++)
        row[j] = most;
    for (int j = 0; j < n_wide; j++)
        row[j] = power(row[j] - most);
    for (int j = n; j < n_wide; j++)
        row[j] = 0.0f;
    Lanes sums = {0};
    for (int j = 0; j < n_wide; j += LANES)
        ADD_LANES(sums, row + j);
    return 1.0f / SUM_OF(sums);
}

/* One head of one sequence. `three` is [n][3 * width], queries, keys and values of all heads beside
   each other, at this head's first; `out` [n][width] likewise. `biases` are those of distances
   from -(n_far - 1) to n_far - 1, or NULL. */
TOKALIGN_INLINE void attend_by(
    int is_wide, const float *three, int n, int width, int size, const float *biases, int n_far,
    float *scratch, float *out)
{
    int n_wide = padded(n), stride = 3 * width;
    float *keys = scratch, *scores = keys + (size_t)size * n_wide;
    float scale = 1.0f / sqrtf((float)size);
    for (int k = 0; k < size; k++) {
        for (int j = 0; j < n; j++)
            keys[(size_t)k * n_wide + j] = three[(size_t)j * stride + width + k] * scale;
        for (int j = n; j < n_wide; j++)
            keys[(size_t)k * n_wide + j] = 0.0f;
    }
    const float *rows[BLOCK];
    float *found[BLOCK], parts[BLOCK], largest;
    for (int i = 0; i < n; i += BLOCK) {
        int n_left = n - i < BLOCK ? n - i : BLOCK;
        for (int r = 0; r < BLOCK; r++) {
            rows[r] = three + (size_t)(i + (r < n_left ? r : n_left - 1)) * stride;
            found[r] = scores + (size_t)r * n_wide;
        }
        if (is_wide)
            multiply_wide(rows, keys, size, n_wide, n_wide, ONES, found);
        else
            multiply(rows, keys, size, n_wide, n_wide, ONES, found);
        for (int r = 0; r < n_left; r++) {
            if (biases)
                for (int j = 0; j < n; j++)
                    found[r][j] += biases[n_far - 1 - (i + r) + j];
            parts[r] = powers(found[r], n, n_wide, &largest);
        }
        for (int r = 0; r < BLOCK; r++) {
            int own = r < n_left ? r : n_left - 1;
            rows[r] = scores + (size_t)own * n_wide;
            parts[r] = parts[own];
            found[r] = out + (size_t)(i + own) * width;
        }
        if (is_wide)
            multiply_wide(rows, three + 2 * width, n, stride, size, parts, found);
        else
            multiply(rows, three + 2 * width, n, stride, size, parts, found);
    }
}

TOKALIGN_WIDE_CLONES
static void attend_narrow(
    const float *three, int n, int width, int size, const float *biases, int n_far,
    float *scratch, float *out)
{
    attend_by(0, three, n, width, size, biases, n_far, scratch, out);
}

#if defined(TOKALIGN_X86)
TOKALIGN_TARGET("avx512f,avx512bw,avx512dq,avx512vl") static void attend_avx512(
    const float *three, int n, int width, int size, const float *biases, int n_far,
    float *scratch, float *out)
{
    attend_by(1, three, n, width, size, biases, n_far, scratch, out);
}
#endif

/* `attend_by` with the instructions that a tile has; the numbers are the same. */
static inline void attend(
    Tile tile, const float *three, int n, int width, int size, const float *biases, int n_far,
    float *scratch, float *out)
{
#if defined(TOKALIGN_X86)
    if (tile == tile_avx512 || rows_of(tile) == MOST_ROWS) { /* AMX stands beside AVX-512 */
        attend_avx512(three, n, width, size, biases, n_far, scratch, out);
        return;
    }
#endif
    attend_narrow(three, n, width, size, biases, n_far, scratch, out);
}

#endif
