/* A run of an encoder: word pieces in, states of the last layer out. */

#ifndef TOKALIGN_RUN_H
#define TOKALIGN_RUN_H

#include "_layers.h"

#define MIDDLE 128    /* what stands for an activation of 0 */
#define LOW_MIDDLE 20 /* the same after GELU, whose values are hardly below 0 */
#define FINEST 1e-12f /* scale of a row of zeros */
#define LOW_FINEST (0.17f / LOW_MIDDLE) /* no value of GELU is below -0.17 */

typedef struct {
    const float *weights, *biases; /* [width] */
} Norm;

typedef struct {
    Linear three, attended, raised, lowered;
    Norm after_attention, after_all;
} Layer;

typedef struct {
    int width, n_heads, n_layers, n_positions, inner;
    float epsilon;
    const int8_t *words;       /* [n_words][width] */
    const float *word_scales;  /* [n_words] */
    const float *positions;    /* [n_positions][width] */
    const float *sides;        /* [2][width], or NULL */
    const float *distances;    /* [n_heads][2 * n_positions - 1], or NULL */
    Norm embedded;
    const Layer *layers;
} Encoder;

/* Scratch for so many rows, but of `rounded` for MOST_ROWS more; scratch of attention for the longest
   sequence. */
typedef struct {
    float *three, *attended, *raised, *scales, *attention;
    uint8_t *rounded;
} Scratch;

/* Fill rows with the embeddings of one sequence; `n_first` pieces belong to the first side. */
TOKALIGN_WIDE_CLONES
static void embed(
    const Encoder *encoder, const int32_t *ids, int n, int n_first, float *places, float *rows)
{
    int width = encoder->width;
    for (int k = 0; k < n; k++) {
        const int8_t *word = encoder->words + (size_t)ids[k] * width;
        const float *position = encoder->positions + (size_t)k * width;
        float scale = encoder->word_scales[ids[k]];
        for (int c = 0; c < width; c++)
            rows[(size_t)k * width + c] = (float)word[c] * scale;
        for (int c = 0; c < width; c++)
            places[c] = position[c];
        if (encoder->sides) {
            const float *side = encoder->sides + (k < n_first ? 0 : width);
            for (int c = 0; c < width; c++)
                places[c] += side[c];
        }
        normalise(
            rows + (size_t)k * width, places, 1, width, encoder->embedded.weights,
            encoder->embedded.biases, encoder->epsilon);
    }
}

/* Replace rows by their states after a layer. Sequence s has the rows bounds[s] to
   bounds[s + 1], counted from bounds[0]. */
static inline void run_layer(
    const Encoder *encoder, const Layer *layer, Tile tile, const int32_t *bounds, int n_sequences,
    const Scratch *scratch, float *rows)
{
    int width = encoder->width, size = width / encoder->n_heads;
    int n_far = encoder->n_positions, n_rows = bounds[n_sequences] - bounds[0];
    uint8_t *rounded = scratch->rounded;
    float *scales = scratch->scales;
    round_rows(rows, n_rows, width, MIDDLE, FINEST, rounded, scales);
    apply(tile, &layer->three, rounded, scales, n_rows, 0, scratch->three);
    for (int s = 0; s < n_sequences; s++) {
        size_t first = (size_t)(bounds[s] - bounds[0]);
        for (int h = 0; h < encoder->n_heads; h++)
            attend(
                tile, scratch->three + first * 3 * width + h * size, bounds[s + 1] - bounds[s],
                width, size,
                encoder->distances ? encoder->distances + (size_t)h * (2 * n_far - 1) : NULL,
                n_far, scratch->attention, scratch->attended + first * width + h * size);
    }
    round_rows(scratch->attended, n_rows, width, MIDDLE, FINEST, rounded, scales);
    apply(tile, &layer->attended, rounded, scales, n_rows, 0, scratch->three);
    normalise(
        rows, scratch->three, n_rows, width, layer->after_attention.weights,
        layer->after_attention.biases, encoder->epsilon);
    round_rows(rows, n_rows, width, MIDDLE, FINEST, rounded, scales);
    apply(tile, &layer->raised, rounded, scales, n_rows, 1, scratch->raised);
    round_rows(
        scratch->raised, n_rows, encoder->inner, LOW_MIDDLE, LOW_FINEST, rounded, scales);
    apply(tile, &layer->lowered, rounded, scales, n_rows, 0, scratch->three);
    normalise(
        rows, scratch->three, n_rows, width, layer->after_all.weights, layer->after_all.biases,
        encoder->epsilon);
}

/* Fill states [n_rows][width] of sequences that are run together. */
static inline void run(
    const Encoder *encoder, Tile tile, const int32_t *ids, const int32_t *bounds,
    const int32_t *n_first, int n_sequences, const Scratch *scratch, float *states)
{
    for (int s = 0; s < n_sequences; s++)
        embed(
            encoder, ids + bounds[s], bounds[s + 1] - bounds[s], n_first[s], scratch->three,
            states + (size_t)(bounds[s] - bounds[0]) * encoder->width);
    begin_tiles(tile);
    for (int l = 0; l < encoder->n_layers; l++)
        run_layer(encoder, encoder->layers + l, tile, bounds, n_sequences, scratch, states);
    end_tiles(tile);
}

#endif
