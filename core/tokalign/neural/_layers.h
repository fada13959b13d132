/* The layers of an encoder on rows of floats: products, attention, normalisation.

   Everything but the tiles of _integers.h is plain C in loops over lanes, which the compiler
   turns into vectors of the width that a processor has. Sums are taken lane by lane and products
   are not fused with sums, so every processor gets the same numbers. */

#ifndef TOKALIGN_LAYERS_H
#define TOKALIGN_LAYERS_H

#include "_integers.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12 /* older ones do not know the name */
#define LAYER_CLONES __attribute__((unused, target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define LAYER_CLONES __attribute__((unused, target_clones("avx2", "default")))
#endif
#else
#define LAYER_CLONES __attribute__((unused))
#endif
#define INLINE static inline __attribute__((always_inline))

#define LANES 8
#define WIDE 16
#define BLOCK 4
#define WHOLE 12582912.0f /* added to a float, it leaves a whole number in the lowest bits */

typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
/* For AVX-512 alone: narrower processors would keep these in memory. */
typedef float WideLanes __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));

/* A layer's weights; see _integers.h. */
typedef struct {
    int n_in, n_out;
    const int8_t *packed;
    const float *scales; /* [n_out] of weights */
    const float *biases; /* [n_out] */
    const int32_t *sums; /* [n_out] of weights, for what stands for an activation of 0 */
} Linear;

INLINE int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

INLINE float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

INLINE float larger(float a, float b) { return a > b ? a : b; }

/* Of the bits of floats, whose order without the sign is that of whole numbers. Compilers make
   vectors of that, and of comparisons of floats not always. */
INLINE uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* e ** x for x <= 0, to 3 parts in a million: 2 ** n times the series of what is left. */
INLINE float power(float x)
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
INLINE float gelu(float x)
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

/* The same order of sums on every processor. */
INLINE float sum_of(Lanes lanes)
{
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6]))
        + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

/* Round rows to uint8 with a scale each. An activation of 0 becomes `middle`, and no scale is finer
   than `finest`. */
LAYER_CLONES
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
LAYER_CLONES
static void finish_tile(
    const int32_t *sums, const Linear *linear, int first, int n_rows, const float *scales,
    int middle, int is_raised, float *out)
{
    const float *of_out = linear->scales + first, *biases = linear->biases + first;
    const int32_t *of_zero = linear->sums + first;
    for (int r = 0; r < n_rows; r++) {
        const int32_t *row = sums + r * PANEL;
        float *to = out + (size_t)r * linear->n_out, scale = scales[r];
        for (int c = 0; c < PANEL; c++)
            to[c] = (float)(row[c] - middle * of_zero[c]) * of_out[c] * scale + biases[c];
        if (is_raised)
            for (int c = 0; c < PANEL; c++)
                to[c] = gelu(to[c]);
    }
}

/* out[n_rows][n_out] of rounded rows. */
static inline void apply(
    Tile tile, const Linear *linear, const uint8_t *rounded, const float *scales, int n_rows,
    int middle, int is_raised, float *out)
{
    int32_t sums[TILE_ROWS * PANEL];
    for (int first = 0; first < linear->n_out; first += PANEL) {
        const int8_t *panel = linear->packed + (size_t)first * linear->n_in;
        for (int r = 0; r < n_rows; r += TILE_ROWS) {
            const uint8_t *rows[TILE_ROWS];
            int n_left = n_rows - r < TILE_ROWS ? n_rows - r : TILE_ROWS;
            for (int k = 0; k < TILE_ROWS; k++) /* rows that are not there are the last once more */
                rows[k] = rounded + (size_t)(r + (k < n_left ? k : n_left - 1)) * linear->n_in;
            tile(rows, panel, linear->n_in / 4, sums);
            finish_tile(
                sums, linear, first, n_left, scales + r, middle, is_raised,
                out + (size_t)r * linear->n_out + first);
        }
    }
}

/* rows = normalised (rows + added). */
LAYER_CLONES
static void normalise(
    float *rows, const float *added, int n_rows, int width, const float *weights,
    const float *biases, float epsilon)
{
    for (int r = 0; r < n_rows; r++, rows += width, added += width) {
        Lanes sums = {0}, squares = {0};
        for (int k = 0; k < width; k += LANES) {
            *(Lanes *)(rows + k) += *(const Lanes *)(added + k);
            sums += *(const Lanes *)(rows + k);
        }
        float mean = sum_of(sums) / (float)width;
        for (int k = 0; k < width; k += LANES) {
            *(Lanes *)(rows + k) -= mean;
            squares += *(const Lanes *)(rows + k) * *(const Lanes *)(rows + k);
        }
        float parts = 1.0f / sqrtf(sum_of(squares) / (float)width + epsilon);
        for (int k = 0; k < width; k++)
            rows[k] = rows[k] * parts * weights[k] + biases[k];
    }
}

/* out[r][n_out] = four rows of n_in floats times a matrix [n_in][stride], by vectors of a width
   that divides n_out. Rows may be the same. */
#define DEFINE_MULTIPLY(name, Vector, SIZE)                                                       \
    INLINE void name(                                                                             \
        const float *const rows[BLOCK], const float *matrix, int n_in, int stride, int n_out,     \
        float *const out[BLOCK])                                                                  \
    {                                                                                             \
        int c = 0;                                                                                \
        for (; c + 2 * SIZE <= n_out; c += 2 * SIZE) {                                            \
            const float *from = matrix + c;                                                       \
            Vector left[BLOCK] = {{0}}, right[BLOCK] = {{0}};                                     \
            for (int k = 0; k < n_in; k++, from += stride) {                                      \
                Vector a = *(const Vector *)from, b = *(const Vector *)(from + SIZE);             \
                _Pragma("GCC unroll 4") for (int r = 0; r < BLOCK; r++)                           \
                    left[r] += rows[r][k] * a, right[r] += rows[r][k] * b;                        \
            }                                                                                     \
            _Pragma("GCC unroll 4") for (int r = 0; r < BLOCK; r++)                               \
                *(Vector *)(out[r] + c) = left[r], *(Vector *)(out[r] + c + SIZE) = right[r];     \
        }                                                                                         \
        if (c < n_out) {                                                                          \
            const float *from = matrix + c;                                                       \
            Vector left[BLOCK] = {{0}};                                                           \
            for (int k = 0; k < n_in; k++, from += stride)                                        \
                _Pragma("GCC unroll 4") for (int r = 0; r < BLOCK; r++)                           \
                    left[r] += rows[r][k] * *(const Vector *)from;                                \
            _Pragma("GCC unroll 4") for (int r = 0; r < BLOCK; r++)                               \
                *(Vector *)(out[r] + c) = left[r];                                                \
        }                                                                                         \
    }
DEFINE_MULTIPLY(multiply, Lanes, LANES)
DEFINE_MULTIPLY(multiply_wide, WideLanes, WIDE)

INLINE int padded(int n) { return (n + WIDE - 1) / WIDE * WIDE; }

/* What `attend` needs of scratch for a sequence, in floats. */
static inline size_t attend_scratch(int n, int size)
{
    return (size_t)(size + BLOCK) * padded(n);
}

/* Turn a row of scores into powers of what they are less than the largest; from n to n_wide they
   are 0. Return 1 by their sum. */
INLINE float powers(float *row, int n, int n_wide, float *largest_score)
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
        sums += *(const Lanes *)(row + j);
    return 1.0f / sum_of(sums);
}

/* One head of one sequence. `three` is [n][3 * width], queries, keys and values of all heads beside
   each other, at this head's first; `out` [n][width] likewise. `biases` are those of distances
   from -(n_far - 1) to n_far - 1, or NULL. */
INLINE void attend_by(
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
            multiply_wide(rows, keys, size, n_wide, n_wide, found);
        else
            multiply(rows, keys, size, n_wide, n_wide, found);
        for (int r = 0; r < n_left; r++) {
            if (biases)
                for (int j = 0; j < n; j++)
                    found[r][j] += biases[n_far - 1 - (i + r) + j];
            parts[r] = powers(found[r], n, n_wide, &largest);
        }
        for (int r = 0; r < BLOCK; r++) {
            int own = r < n_left ? r : n_left - 1;
            rows[r] = scores + (size_t)own * n_wide;
            found[r] = out + (size_t)(i + own) * width;
        }
        if (is_wide)
            multiply_wide(rows, three + 2 * width, n, stride, size, found);
        else
            multiply(rows, three + 2 * width, n, stride, size, found);
        for (int r = 0; r < n_left; r++)
            for (int k = 0; k < size; k += LANES)
                *(Lanes *)(found[r] + k) *= parts[r];
    }
}

LAYER_CLONES
static void attend_narrow(
    const float *three, int n, int width, int size, const float *biases, int n_far,
    float *scratch, float *out)
{
    attend_by(0, three, n, width, size, biases, n_far, scratch, out);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void attend_avx512(
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
#if defined(__x86_64__) && defined(__GNUC__)
    if (tile == tile_avx512) {
        attend_avx512(three, n, width, size, biases, n_far, scratch, out);
        return;
    }
#endif
    attend_narrow(three, n, width, size, biases, n_far, scratch, out);
}

#endif
