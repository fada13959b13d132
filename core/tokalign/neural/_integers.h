/* Products of uint8 activations and int8 weights, where an encoder spends most of its time.

   Weights lie in panels of 64 outputs, in which the weights of 4 inputs stand together:
   packed[n_out / 64][n_in / 4][64][4]. A tile is some rows of activations times a panel. It exists
   for AMX, for AVX-512 with VNNI, for AVX2, for ARM's dot products and in plain C; which runs is
   chosen by what the processor has. Weights keep to 64 instead of 127, because AVX2 adds two products
   in 16 bits, which then cannot overflow (2 * 255 * 64 < 2 ** 15). So all give the same integers. */

#ifndef TOKALIGN_INTEGERS_H
#define TOKALIGN_INTEGERS_H

#include "../_compiler.h"

#include <stdint.h>
#include <string.h>

#define PANEL 64
#define TILE_ROWS 6
#define MOST_ROWS 16 /* of a tile of AMX */

/* sums[rows of the tile][64] = the products of rows of 4 * n_steps inputs with a panel; n_steps is a
   multiple of 4. There are TILE_ROWS rows; for AMX MOST_ROWS, one behind the other, of which the
   first is used, and n_steps is a multiple of AMX_STEPS. */
typedef void (*Tile)(
    const uint8_t *const rows[TILE_ROWS], const int8_t *panel, int n_steps, int32_t *sums);

static void plain_tile(
    const uint8_t *const rows[TILE_ROWS], const int8_t *panel, int n_steps, int32_t *sums)
{
    memset(sums, 0, TILE_ROWS * PANEL * sizeof(int32_t));
    for (int step = 0; step < n_steps; step++, panel += 4 * PANEL) {
        int16_t planes[4][PANEL]; /* of products of 16 bits compilers make vectors */
        for (int c = 0; c < PANEL; c++)
            for (int k = 0; k < 4; k++)
                planes[k][c] = panel[4 * c + k];
        for (int r = 0; r < TILE_ROWS; r++) {
            const uint8_t *x = rows[r] + 4 * step;
            int16_t a = x[0], b = x[1], d = x[2], e = x[3];
            for (int c = 0; c < PANEL; c++)
                sums[r * PANEL + c] += a * planes[0][c] + b * planes[1][c] + d * planes[2][c]
                    + e * planes[3][c];
        }
    }
}

#if defined(TOKALIGN_X86)
#include <immintrin.h>

/* Four bytes of a row, in every lane. */
static inline int32_t four(const uint8_t *row)
{
    int32_t bytes;
    memcpy(&bytes, row, sizeof(bytes));
    return bytes;
}

TOKALIGN_TARGET("avx2") static void tile_avx2(
    const uint8_t *const rows[TILE_ROWS], const int8_t *panel, int n_steps, int32_t *sums)
{
    const __m256i ones = _mm256_set1_epi16(1);
    for (int first = 0; first < PANEL; first += 16) {
        __m256i found[TILE_ROWS][2];
#pragma GCC unroll 6
        for (int r = 0; r < TILE_ROWS; r++)
            found[r][0] = found[r][1] = _mm256_setzero_si256();
        const int8_t *weights = panel + 4 * first;
        for (int step = 0; step < n_steps; step++, weights += 4 * PANEL) {
            __m256i left = _mm256_loadu_si256((const __m256i *)weights);
            __m256i right = _mm256_loadu_si256((const __m256i *)(weights + 32));
#pragma GCC unroll 6
            for (int r = 0; r < TILE_ROWS; r++) {
                __m256i x = _mm256_set1_epi32(four(rows[r] + 4 * step));
                found[r][0] = _mm256_add_epi32(
                    found[r][0], _mm256_madd_epi16(_mm256_maddubs_epi16(x, left), ones));
                found[r][1] = _mm256_add_epi32(
                    found[r][1], _mm256_madd_epi16(_mm256_maddubs_epi16(x, right), ones));
            }
        }
#pragma GCC unroll 6
        for (int r = 0; r < TILE_ROWS; r++) {
            _mm256_storeu_si256((__m256i *)(sums + r * PANEL + first), found[r][0]);
            _mm256_storeu_si256((__m256i *)(sums + r * PANEL + first + 8), found[r][1]);
        }
    }
}

TOKALIGN_TARGET("avx512f,avx512bw,avx512vnni") static void tile_avx512(
    const uint8_t *const rows[TILE_ROWS], const int8_t *panel, int n_steps, int32_t *sums)
{
    __m512i found[TILE_ROWS][4];
#pragma GCC unroll 6
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++)
            found[r][c] = _mm512_setzero_si512();
    for (int step = 0; step < n_steps; step++, panel += 4 * PANEL) {
        __m512i weights[4];
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++)
            weights[c] = _mm512_loadu_si512(panel + 64 * c);
#pragma GCC unroll 6
        for (int r = 0; r < TILE_ROWS; r++) {
            __m512i x = _mm512_set1_epi32(four(rows[r] + 4 * step));
#pragma GCC unroll 4
            for (int c = 0; c < 4; c++)
                found[r][c] = _mm512_dpbusd_epi32(found[r][c], x, weights[c]);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < TILE_ROWS; r++)
#pragma GCC unroll 4
        for (int c = 0; c < 4; c++)
            _mm512_storeu_si512(sums + r * PANEL + 16 * c, found[r][c]);
}
#endif

#if defined(TOKALIGN_AMX)
#include <sys/syscall.h>
#include <unistd.h>

#define AMX_STEPS 16 /* of four inputs, in a tile register */

/* Whether the system lets this process use AMX; it keeps room for its registers from then on. */
static inline int may_use_amx(void)
{
    return !syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18 /* XFEATURE_XTILE_DATA */);
}

/* Eight registers of 16 rows of 64 bytes. GCC 12 takes ldtilecfg to read 8 bytes alone, so it may
   leave out the rest of what is on the stack. */
static const struct {
    uint8_t palette, first, reserved[14];
    uint16_t n_bytes[16];
    uint8_t n_rows[16];
} AMX_SHAPES = {
    1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16},
};

TOKALIGN_TARGET("amx-tile") static void begin_amx(void) { _tile_loadconfig(&AMX_SHAPES); }

TOKALIGN_TARGET("amx-tile") static void end_amx(void) { _tile_release(); }

TOKALIGN_TARGET("amx-tile,amx-int8") static void tile_amx(
    const uint8_t *const rows[TILE_ROWS], const int8_t *panel, int n_steps, int32_t *sums)
{
    const uint8_t *x = rows[0];
    TOKALIGN_MEMORY_CHANGED(); /* GCC 12 does not know that tiles are loaded from there */
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int step = 0; step < n_steps; step += AMX_STEPS, panel += 4 * PANEL * AMX_STEPS) {
        _tile_loadd(4, x + 4 * step, 4 * n_steps);
        _tile_loadd(5, panel, 4 * PANEL);
        _tile_dpbusd(0, 4, 5);
        _tile_loadd(6, panel + 64, 4 * PANEL);
        _tile_dpbusd(1, 4, 6);
        _tile_loadd(7, panel + 128, 4 * PANEL);
        _tile_dpbusd(2, 4, 7);
        _tile_loadd(5, panel + 192, 4 * PANEL);
        _tile_dpbusd(3, 4, 5);
    }
    _tile_stored(0, sums, 4 * PANEL);
    _tile_stored(1, sums + 16, 4 * PANEL);
    _tile_stored(2, sums + 32, 4 * PANEL);
    _tile_stored(3, sums + 48, 4 * PANEL);
}
#endif

#if defined(TOKALIGN_ARM)
#include <arm_neon.h>

/* The products of four inputs, which are in a lane of each row, with the weights of 8 outputs. */
#define ARM_STEP(lane)                                                                            \
    do {                                                                                          \
        int8x16_t left = vld1q_s8(weights), right = vld1q_s8(weights + 16);                       \
        of_less[0] = vdotq_s32(of_less[0], left, less);                                           \
        of_less[1] = vdotq_s32(of_less[1], right, less);                                          \
        _Pragma("GCC unroll 6") for (int r = 0; r < TILE_ROWS; r++)                               \
        {                                                                                         \
            found[r][0] = vdotq_laneq_s32(found[r][0], left, x[r], lane);                         \
            found[r][1] = vdotq_laneq_s32(found[r][1], right, x[r], lane);                        \
        }                                                                                         \
        weights += 4 * PANEL;                                                                     \
    } while (0)

/* These processors multiply signed bytes by signed ones: 128 less than each activation, whose
   products are added again at the end. */
TOKALIGN_DOT_PRODUCTS static void tile_arm(
    const uint8_t *const rows[TILE_ROWS], const int8_t *panel, int n_steps, int32_t *sums)
{
    const int8x16_t less = vdupq_n_s8(-128);
    for (int first = 0; first < PANEL; first += 8) {
        int32x4_t found[TILE_ROWS][2], of_less[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
#pragma GCC unroll 6
        for (int r = 0; r < TILE_ROWS; r++)
            found[r][0] = found[r][1] = vdupq_n_s32(0);
        const int8_t *weights = panel + 4 * first;
        for (int step = 0; step < n_steps; step += 4) {
            int8x16_t x[TILE_ROWS];
#pragma GCC unroll 6
            for (int r = 0; r < TILE_ROWS; r++)
                x[r] = veorq_s8(vreinterpretq_s8_u8(vld1q_u8(rows[r] + 4 * step)), less);
            ARM_STEP(0);
            ARM_STEP(1);
            ARM_STEP(2);
            ARM_STEP(3);
        }
#pragma GCC unroll 6
        for (int r = 0; r < TILE_ROWS; r++) {
            vst1q_s32(sums + r * PANEL + first, vsubq_s32(found[r][0], of_less[0]));
            vst1q_s32(sums + r * PANEL + first + 4, vsubq_s32(found[r][1], of_less[1]));
        }
    }
}
#endif

/* A tile by its name, or NULL if the processor lacks the instructions. */
static inline Tile tile_named(const char *name)
{
#if defined(TOKALIGN_X86)
    int is_wide = TOKALIGN_HAS("avx512vnni") && TOKALIGN_HAS("avx512bw") && TOKALIGN_HAS("avx512dq")
        && TOKALIGN_HAS("avx512vl");
#if defined(TOKALIGN_AMX)
    if (!strcmp(name, "amx") && is_wide && TOKALIGN_HAS("amx-int8") && may_use_amx())
        return tile_amx;
#endif
    if (!strcmp(name, "avx512") && is_wide)
        return tile_avx512;
    if (!strcmp(name, "avx2") && TOKALIGN_HAS("avx2"))
        return tile_avx2;
#elif defined(TOKALIGN_ARM)
    if (!strcmp(name, "arm") && TOKALIGN_HAS_DOT_PRODUCTS)
        return tile_arm;
#endif
    return strcmp(name, "plain") ? NULL : plain_tile;
}

static inline int rows_of(Tile tile)
{
#if defined(TOKALIGN_AMX)
    if (tile == tile_amx)
        return MOST_ROWS;
#endif
    (void)tile;
    return TILE_ROWS;
}

/* A thread calls these before and after it uses a tile. */
static inline void begin_tiles(Tile tile)
{
#if defined(TOKALIGN_AMX)
    if (tile == tile_amx)
        begin_amx();
#endif
    (void)tile;
}

static inline void end_tiles(Tile tile)
{
#if defined(TOKALIGN_AMX)
    if (tile == tile_amx)
        end_amx();
#endif
    (void)tile;
}

#endif
