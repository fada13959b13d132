/* What one core can do for a pair of sentences: the least that any such aligner computes, plainly.
 *
 * For every pair of words Jaro-Winkler, Levenshtein and shared n-grams, then the dot product of 24
 * weights for each direction; for each direction forward-backward of a chain. No dictionary, no
 * annotation, no memory, no Python: words are bytes and their numbers, answers are one sum.
 *
 * bench/speed/reference.py compiles this as a shared library; `python -m bench.speed limit` calls
 * limit_align beside the aligner in one run, and divides their rates. It is written to be read:
 * nothing is skipped, cached or vectorised by hand, so an aligner may well be faster.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CHARS = 64,  /* of a word; what follows does not count. Bits of a machine word. */
    MAX_STEPS = 1024, /* tokens of a sentence */
    N_WEIGHTS = 24,
    LONGEST_GRAM = 4,
    COMMON_PREFIX = 4, /* characters that Winkler's bonus looks at */
};

typedef struct {
    const char *chars;
    int length;
} Word;

static Word word_of(const char *chars) {
    size_t length = strlen(chars);
    return (Word){chars, length > MAX_CHARS ? MAX_CHARS : (int)length};
}

/* Jaro (1989) with Winkler's prefix (1990), 0 to 1. */
static double jaro_winkler(Word a, Word b) {
    char in_a[MAX_CHARS] = {0}, in_b[MAX_CHARS] = {0};
    int longer = a.length > b.length ? a.length : b.length;
    int window = longer / 2 > 0 ? longer / 2 - 1 : 0;
    int matches = 0;
    for (int i = 0; i < a.length; i++) {
        int first = i > window ? i - window : 0;
        int last = i + window < b.length - 1 ? i + window : b.length - 1;
        for (int j = first; j <= last; j++) {
            if (!in_b[j] && a.chars[i] == b.chars[j]) {
                in_a[i] = in_b[j] = 1;
                matches++;
                break;
            }
        }
    }
    if (matches == 0) return 0.0;
    int out_of_order = 0, prefix = 0;
    for (int i = 0, j = 0; i < a.length; i++) {
        if (!in_a[i]) continue;
        while (!in_b[j]) j++;
        out_of_order += a.chars[i] != b.chars[j++];
    }
    double n = matches;
    double jaro = (n / a.length + n / b.length + (n - out_of_order / 2) / n) / 3;
    while (prefix < COMMON_PREFIX && prefix < a.length && prefix < b.length
           && a.chars[prefix] == b.chars[prefix])
        prefix++;
    return jaro + 0.1 * prefix * (1 - jaro);
}

/* The least number of characters to insert, delete or replace; a column in one machine word
 * (Myers 1999, as Hyyro 2003 writes it). */
static int levenshtein(Word a, Word b) {
    uint64_t places[256]; /* where a character stands in `a`; only what is looked up is set */
    uint64_t up = ~UINT64_C(0), down = 0, last = UINT64_C(1) << (a.length - 1);
    int distance = a.length;
    for (int j = 0; j < b.length; j++) places[(unsigned char)b.chars[j]] = 0;
    for (int i = 0; i < a.length; i++) places[(unsigned char)a.chars[i]] = 0;
    for (int i = 0; i < a.length; i++) places[(unsigned char)a.chars[i]] |= UINT64_C(1) << i;
    for (int j = 0; j < b.length; j++) {
        uint64_t here = places[(unsigned char)b.chars[j]];
        uint64_t diagonal = (((here & up) + up) ^ up) | here | down;
        uint64_t right = down | ~(diagonal | up), left = up & diagonal;
        distance += (right & last) != 0;
        distance -= (left & last) != 0;
        right = right << 1 | 1;
        left <<= 1;
        up = left | ~(diagonal | right);
        down = right & diagonal;
    }
    return distance;
}

/* How many n-grams of `a`, of 1 to 4 characters, stand in `b` too, to the characters of both. */
static double shared_ngrams(Word a, Word b) {
    int shared = 0;
    for (int n = 1; n <= LONGEST_GRAM; n++) {
        for (int i = 0; i + n <= a.length; i++) {
            for (int j = 0; j + n <= b.length; j++) {
                if (a.chars[i] == b.chars[j] && memcmp(a.chars + i, b.chars + j, n) == 0) {
                    shared++;
                    break;
                }
            }
        }
    }
    return shared / (double)(a.length + b.length);
}

/* Forward-backward of a chain in scaled space, after Rabiner (1989).
 *
 * `scores` are potentials in nats, (n_steps, n_states), state 0 is NULL; they are replaced by the
 * posteriors. From token to token a jump by d weighs 1 / (1 + |d|); to and from NULL all weigh 1.
 * `forward` is room for as many numbers. Returns the log of the partition function.
 */
static double forward_backward(double *scores, double *forward, int n_steps, int n_states) {
    static double jump[2 * MAX_STEPS + 1];
    static double backward[MAX_STEPS + 1], inner[MAX_STEPS + 1];
    const double *by = jump + MAX_STEPS;
    double log_partition = 0;
    if (jump[MAX_STEPS] == 0)
        for (int d = -MAX_STEPS; d <= MAX_STEPS; d++) jump[d + MAX_STEPS] = 1.0 / (1 + abs(d));

    for (int t = 0; t < n_steps; t++) {
        double *now = forward + t * n_states, *score = scores + t * n_states, sum = 0;
        const double *before = now - n_states;
        for (int s = 0; s < n_states; s++) {
            double in = t ? before[0] : 1.0;
            if (t && s)
                for (int from = 1; from < n_states; from++) in += before[from] * by[s - from];
            else if (t)
                for (int from = 1; from < n_states; from++) in += before[from];
            score[s] = exp(score[s]);
            sum += now[s] = in * score[s];
        }
        for (int s = 0; s < n_states; s++) now[s] /= sum;
        log_partition += log(sum);
    }
    for (int s = 0; s < n_states; s++) backward[s] = 1.0;
    for (int t = n_steps - 1; t >= 0; t--) {
        double *score = scores + t * n_states, *now = forward + t * n_states, sum = 0;
        for (int s = 0; s < n_states; s++) {
            inner[s] = score[s] * backward[s]; /* for the step before */
            sum += now[s] * backward[s];
        }
        for (int s = 0; s < n_states; s++) score[s] = now[s] * backward[s] / sum;
        double largest = 0;
        for (int s = 0; s < n_states && t; s++) {
            double out = inner[0];
            if (s)
                for (int to = 1; to < n_states; to++) out += inner[to] * by[to - s];
            else
                for (int to = 1; to < n_states; to++) out += inner[to];
            backward[s] = out;
            if (out > largest) largest = out;
        }
        for (int s = 0; s < n_states && t; s++) backward[s] /= largest;
    }
    return log_partition;
}

/* Both directions of one pair; returns the sum of both log partitions. */
static double align(const Word *source, int n, const Word *target, int m, double *room) {
    double weights[2][N_WEIGHTS];
    double *s2t = room, *t2s = s2t + n * (m + 1), *forward = t2s + m * (n + 1);
    for (int k = 0; k < N_WEIGHTS; k++) {
        weights[0][k] = 0.01 * k - 0.2;
        weights[1][k] = 0.01 * k + 0.04;
    }
    for (int i = 0; i < n; i++) s2t[i * (m + 1)] = -1.0;
    for (int j = 0; j < m; j++) t2s[j * (n + 1)] = -1.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double values[3] = {
                jaro_winkler(source[i], target[j]),
                levenshtein(source[i], target[j]),
                shared_ngrams(source[i], target[j]),
            };
            double there = 0, back = 0;
            for (int k = 0; k < N_WEIGHTS; k++) {
                there += weights[0][k] * values[k % 3];
                back += weights[1][k] * values[k % 3];
            }
            s2t[i * (m + 1) + j + 1] = there;
            t2s[j * (n + 1) + i + 1] = back;
        }
    }
    return forward_backward(s2t, forward, n, m + 1) + forward_backward(t2s, forward, m, n + 1);
}

/* Align `n_pairs` pairs, whose words stand one after another in `words`, those of a source before
 * those of its target; `lengths` are (n_pairs, 2), each 1 to MAX_STEPS. Returns the sum of all log
 * partitions, or NAN where memory is short or a length is out of range. */
double limit_align(const char *const *words, const int32_t *lengths, int n_pairs) {
    Word *table = malloc(sizeof(Word) * 2 * MAX_STEPS);
    double *room = NULL, sum = 0;
    size_t has = 0;
    for (int pair = 0; pair < n_pairs && table; pair++) {
        int n = lengths[2 * pair], m = lengths[2 * pair + 1];
        size_t wanted = 3 * (size_t)(n + 1) * (m + 1);
        if (n < 1 || m < 1 || n > MAX_STEPS || m > MAX_STEPS) {
            sum = NAN;
            break;
        }
        if (wanted > has) {
            free(room);
            room = malloc(sizeof(double) * wanted);
            has = wanted;
        }
        if (!room) {
            sum = NAN;
            break;
        }
        for (int k = 0; k < n + m; k++) table[k] = word_of(*words++);
        sum += align(table, n, table + n, m, room);
    }
    if (!table) sum = NAN;
    free(room);
    free(table);
    return sum;
}
