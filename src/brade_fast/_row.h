/* A row: the 52 bytes of one output board in one register-friendly value.
 *
 * Rows are added byte by byte. No rule of the game lives here: only the few operations that C
 * has no word for, each in three forms: AVX2, SSE2, and plain C for other processors.
 */
#ifndef BRADE_FAST_ROW_H
#define BRADE_FAST_ROW_H

#include <stdint.h>
#include <string.h>

#if !defined(BRADE_FAST_PLAIN) && (defined(__SSE2__) || defined(_M_X64))
#define BRADE_FAST_SSE2 1
#if defined(__AVX2__)
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif
#else
#define BRADE_FAST_SSE2 0
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#endif

enum { ROW_BYTES = 52 };

#if BRADE_FAST_SSE2

/* The last part overlaps the one before it, so that whole registers make exactly 52 bytes: what is
 * stored is never longer than the row, for rows stand side by side in the output. */

#if defined(__AVX2__)

typedef struct {
    __m256i v[2];               /* bytes 0 to 31 and 20 to 51 */
} Row;

static inline Row row_load(const int8_t *from) {
    Row r;
    r.v[0] = _mm256_loadu_si256((const __m256i *)from);
    r.v[1] = _mm256_loadu_si256((const __m256i *)(from + 20));
    return r;
}

static inline void row_store(int8_t *to, Row r) {
    _mm256_storeu_si256((__m256i *)to, r.v[0]);
    _mm256_storeu_si256((__m256i *)(to + 20), r.v[1]);
}

static inline Row row_add(Row a, Row b) {
    a.v[0] = _mm256_add_epi8(a.v[0], b.v[0]);
    a.v[1] = _mm256_add_epi8(a.v[1], b.v[1]);
    return a;
}

static inline int row_equal(Row a, Row b) {
    return _mm256_movemask_epi8(_mm256_and_si256(_mm256_cmpeq_epi8(a.v[0], b.v[0]),
                                                 _mm256_cmpeq_epi8(a.v[1], b.v[1]))) == -1;
}

#else

typedef struct {
    __m128i v[4];               /* bytes 0 to 15, 16 to 31, 32 to 47 and 36 to 51 */
} Row;

static inline Row row_load(const int8_t *from) {
    Row r;
    r.v[0] = _mm_loadu_si128((const __m128i *)from);
    r.v[1] = _mm_loadu_si128((const __m128i *)(from + 16));
    r.v[2] = _mm_loadu_si128((const __m128i *)(from + 32));
    r.v[3] = _mm_loadu_si128((const __m128i *)(from + 36));
    return r;
}

static inline void row_store(int8_t *to, Row r) {
    _mm_storeu_si128((__m128i *)to, r.v[0]);
    _mm_storeu_si128((__m128i *)(to + 16), r.v[1]);
    _mm_storeu_si128((__m128i *)(to + 32), r.v[2]);
    _mm_storeu_si128((__m128i *)(to + 36), r.v[3]);
}

static inline Row row_add(Row a, Row b) {
    int i;
    for (i = 0; i < 4; i++)
        a.v[i] = _mm_add_epi8(a.v[i], b.v[i]);
    return a;
}

static inline int row_equal(Row a, Row b) {
    __m128i same = _mm_cmpeq_epi8(a.v[0], b.v[0]);
    int i;
    for (i = 1; i < 4; i++)
        same = _mm_and_si128(same, _mm_cmpeq_epi8(a.v[i], b.v[i]));
    return _mm_movemask_epi8(same) == 0xFFFF;
}

#endif

/* The board with its halves of 26 bytes changed over, without a way through memory. */
static inline Row row_flipped(const int8_t *board) {
    Row r;
    __m128i before = _mm_loadu_si128((const __m128i *)(board + 36));
    __m128i behind = _mm_loadu_si128((const __m128i *)board);
    __m128i end = _mm_loadu_si128((const __m128i *)(board + 10));
#if defined(__AVX2__)
    __m128i start = _mm_loadu_si128((const __m128i *)(board + 26));
    r.v[0] = _mm256_set_m128i(_mm_alignr_epi8(behind, before, 6), start);
    r.v[1] = _mm256_set_m128i(end, _mm_alignr_epi8(behind, before, 10));
#else
    r.v[0] = _mm_loadu_si128((const __m128i *)(board + 26));
    r.v[1] = _mm_or_si128(_mm_srli_si128(before, 6), _mm_slli_si128(behind, 10));
    r.v[2] = _mm_loadu_si128((const __m128i *)(board + 6));
    r.v[3] = end;
#endif
    return r;
}

/* A row with `value` in one byte. */
static inline Row row_unit(int byte, int value) {
    int8_t bytes[ROW_BYTES];
    memset(bytes, 0, sizeof bytes);
    bytes[byte] = (int8_t)value;
    return row_load(bytes);
}

/* Bit i of the answer: byte i of the board is greater than `than` (bytes are 0 to 15). */
static inline uint64_t board_above(const int8_t *board, int than) {
    Row r = row_load(board);
#if defined(__AVX2__)
    __m256i t = _mm256_set1_epi8((char)than);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(r.v[0], t)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(r.v[1], t)) << 20;
#else
    __m128i t = _mm_set1_epi8((char)than);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(r.v[0], t)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(r.v[1], t)) << 16 |
           (uint64_t)(_mm_movemask_epi8(_mm_cmpgt_epi8(r.v[2], t)) |
                      _mm_movemask_epi8(_mm_cmpgt_epi8(r.v[3], t)) << 4) << 32;
#endif
}

/* Whether each half of the board has 15 men, bytes being taken as 0 to 255: none is below 0 then. */
static inline int halves_have_15(const int8_t *board) {
    __m128i zero = _mm_setzero_si128();
    __m128i middle = _mm_loadu_si128((const __m128i *)(board + 16));    /* 10 bytes and 6 */
    __m128i first = _mm_add_epi64(
        _mm_sad_epu8(_mm_loadu_si128((const __m128i *)board), zero),
        _mm_sad_epu8(_mm_slli_si128(middle, 6), zero));
    __m128i second = _mm_add_epi64(
        _mm_sad_epu8(_mm_loadu_si128((const __m128i *)(board + 36)), zero),
        _mm_sad_epu8(_mm_srli_si128(_mm_loadu_si128((const __m128i *)(board + 20)), 6), zero));
    __m128i both = _mm_add_epi64(_mm_unpacklo_epi64(first, second),
                                 _mm_unpackhi_epi64(first, second));
    __m128i wanted = _mm_set_epi32(0, 15, 0, 15);
    return _mm_movemask_epi8(_mm_cmpeq_epi8(both, wanted)) == 0xFFFF;
}

#else

/* Eight bytes to a number: where no byte of a sum falls below 0, adding the numbers adds the bytes,
 * whatever is borrowed on the way. */
typedef struct {
    uint64_t v[7];
} Row;

static inline Row row_load(const int8_t *from) {
    Row r;
    r.v[6] = 0;
    memcpy(r.v, from, ROW_BYTES);
    return r;
}

static inline Row row_flipped(const int8_t *board) {
    int8_t bytes[ROW_BYTES];
    memcpy(bytes, board + 26, 26);
    memcpy(bytes + 26, board, 26);
    return row_load(bytes);
}

static inline void row_store(int8_t *to, Row r) {
    memcpy(to, r.v, ROW_BYTES);
}

static inline Row row_add(Row a, Row b) {
    int i;
    for (i = 0; i < 7; i++)
        a.v[i] += b.v[i];
    return a;
}

static inline int row_equal(Row a, Row b) {
    return memcmp(a.v, b.v, ROW_BYTES) == 0;
}

static inline Row row_unit(int byte, int value) {
    Row r;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    int place = 7 - byte % 8;
#else
    int place = byte % 8;
#endif
    memset(&r, 0, sizeof r);
    r.v[byte / 8] = (uint64_t)(int64_t)value << (8 * place);
    return r;
}

static inline uint64_t board_above(const int8_t *board, int than) {
    uint64_t bits = 0;
    int i;
    for (i = 0; i < ROW_BYTES; i++)
        bits |= (uint64_t)(board[i] > than) << i;
    return bits;
}

static inline int halves_have_15(const int8_t *board) {
    int i, first = 0, second = 0;
    for (i = 0; i < 26; i++) {
        first += (uint8_t)board[i];
        second += (uint8_t)board[26 + i];
    }
    return first == 15 && second == 15;
}

#endif

static inline int popcount(uint32_t x) {
#if defined(__POPCNT__)
    return __builtin_popcount(x);
#else
    /* Plain C: the baseline of x86-64 has no popcnt, and a library call would cost more. */
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (int)((((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
#endif
}

/* The number of the lowest bit; x is not 0. */
static inline int lowest(uint32_t x) {
#if defined(_MSC_VER)
    unsigned long n;
    _BitScanForward(&n, x);
    return (int)n;
#else
    return __builtin_ctz(x);
#endif
}

#if defined(__clang__)
#define BRADE_FAST_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define BRADE_FAST_COMPILER "gcc " __VERSION__
#elif defined(_MSC_VER)
#define BRADE_FAST_COMPILER "msvc"
#else
#define BRADE_FAST_COMPILER "unknown"
#endif

#if defined(__AVX512BW__)
#define BRADE_FAST_CPU "x86-64-v4"
#elif defined(__AVX2__) && defined(__BMI2__)
#define BRADE_FAST_CPU "x86-64-v3"
#elif BRADE_FAST_SSE2
#define BRADE_FAST_CPU "x86-64 baseline (SSE2)"
#else
#define BRADE_FAST_CPU "plain C"
#endif

#ifndef BRADE_FAST_FLAGS
#define BRADE_FAST_FLAGS "unknown"
#endif

#endif
