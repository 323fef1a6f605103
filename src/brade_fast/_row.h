/* A row: the 52 bytes of one output board in one register-friendly value, and behind them two
 * tallies that are added with them and not written out (see _state.pxd).
 *
 * Rows are added byte by byte. No rule of the game lives here: only the few operations that C
 * has no word for, each with a plain-C form for compilers and processors without SSE2.
 */
#ifndef BRADE_FAST_ROW_H
#define BRADE_FAST_ROW_H

#include <stdint.h>
#include <string.h>

#if !defined(BRADE_FAST_PLAIN) && (defined(__SSE2__) || defined(_M_X64))
#define BRADE_FAST_SSE2 1
#include <emmintrin.h>
#else
#define BRADE_FAST_SSE2 0
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#endif

enum { ROW_BYTES = 52, JOHN_TALLY = 52, HOME_TALLY = 53 };

#if BRADE_FAST_SSE2

typedef struct {
    __m128i v[4];
} Row;

/* Reads ROW_BYTES bytes, no more. */
static inline Row row_load(const int8_t *from) {
    Row r;
    int32_t tail;
    r.v[0] = _mm_loadu_si128((const __m128i *)from);
    r.v[1] = _mm_loadu_si128((const __m128i *)(from + 16));
    r.v[2] = _mm_loadu_si128((const __m128i *)(from + 32));
    memcpy(&tail, from + 48, 4);
    r.v[3] = _mm_cvtsi32_si128(tail);
    return r;
}

/* The board with its halves of 26 bytes changed over, without a way through memory. */
static inline Row row_flipped(const int8_t *board) {
    Row r;
    int32_t tail;
    r.v[0] = _mm_loadu_si128((const __m128i *)(board + 26));
    r.v[1] = _mm_or_si128(_mm_srli_si128(_mm_loadu_si128((const __m128i *)(board + 36)), 6),
                          _mm_slli_si128(_mm_loadu_si128((const __m128i *)board), 10));
    r.v[2] = _mm_loadu_si128((const __m128i *)(board + 6));
    memcpy(&tail, board + 22, 4);
    r.v[3] = _mm_cvtsi32_si128(tail);
    return r;
}

/* Writes ROW_BYTES bytes, no more: rows stand side by side in the output. */
static inline void row_store(int8_t *to, Row r) {
    int32_t tail = _mm_cvtsi128_si32(r.v[3]);
    _mm_storeu_si128((__m128i *)to, r.v[0]);
    _mm_storeu_si128((__m128i *)(to + 16), r.v[1]);
    _mm_storeu_si128((__m128i *)(to + 32), r.v[2]);
    memcpy(to + 48, &tail, 4);
}

static inline Row row_add(Row a, Row b) {
    int i;
    for (i = 0; i < 4; i++)
        a.v[i] = _mm_add_epi8(a.v[i], b.v[i]);
    return a;
}

static inline Row row_add_john(Row r, int men) {
    r.v[3] = _mm_add_epi8(r.v[3], _mm_slli_si128(_mm_cvtsi32_si128(men), JOHN_TALLY - 48));
    return r;
}

static inline int row_john(Row r) {
    return _mm_cvtsi128_si32(_mm_srli_si128(r.v[3], 4)) & 0xFF;
}

static inline int row_home(Row r) {
    return _mm_cvtsi128_si32(_mm_srli_si128(r.v[3], 5)) & 0xFF;
}

static inline int row_equal(Row a, Row b) {
    __m128i same = _mm_cmpeq_epi8(a.v[0], b.v[0]);
    int i;
    for (i = 1; i < 4; i++)
        same = _mm_and_si128(same, _mm_cmpeq_epi8(a.v[i], b.v[i]));
    return _mm_movemask_epi8(same) == 0xFFFF;
}

/* The sum of 26 bytes, each taken as 0 to 255. */
static inline int bytes_sum(const int8_t *from) {
    __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_loadu_si128((const __m128i *)from);
    __m128i high = _mm_srli_si128(_mm_loadu_si128((const __m128i *)(from + 10)), 6);
    __m128i sums = _mm_add_epi64(_mm_sad_epu8(low, zero), _mm_sad_epu8(high, zero));
    return _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
}

/* Bit i of the answer: byte i of the 26 is greater than `than` (bytes are 0 to 15). */
static inline uint32_t bytes_above(const int8_t *from, int than) {
    __m128i t = _mm_set1_epi8((char)than);
    __m128i low = _mm_loadu_si128((const __m128i *)from);
    __m128i high = _mm_loadu_si128((const __m128i *)(from + 10));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(low, t)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(high, t)) << 10;
}

#else

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

/* Bytes without carries between them: the high bits are added apart. */
static inline Row row_add(Row a, Row b) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    int i;
    for (i = 0; i < 7; i++)
        a.v[i] = ((a.v[i] & low) + (b.v[i] & low)) ^ ((a.v[i] ^ b.v[i]) & ~low);
    return a;
}

static inline Row row_add_john(Row r, int men) {
    int8_t bytes[56];
    memcpy(bytes, r.v, sizeof bytes);
    bytes[JOHN_TALLY] += (int8_t)men;
    memcpy(r.v, bytes, sizeof bytes);
    return r;
}

static inline int row_byte(Row r, int byte) {
    int8_t bytes[56];
    memcpy(bytes, r.v, sizeof bytes);
    return bytes[byte];
}

static inline int row_john(Row r) {
    return row_byte(r, JOHN_TALLY);
}

static inline int row_home(Row r) {
    return row_byte(r, HOME_TALLY);
}

static inline int row_equal(Row a, Row b) {
    return memcmp(a.v, b.v, sizeof a.v) == 0;
}

static inline int bytes_sum(const int8_t *from) {
    int i, sum = 0;
    for (i = 0; i < 26; i++)
        sum += (uint8_t)from[i];
    return sum;
}

static inline uint32_t bytes_above(const int8_t *from, int than) {
    uint32_t bits = 0;
    int i;
    for (i = 0; i < 26; i++)
        bits |= (uint32_t)(from[i] > than) << i;
    return bits;
}

#endif

/* A row with `value` in one byte, which may be a tally. */
static inline Row row_unit(int byte, int value) {
    int8_t bytes[64];
    Row r;
    memset(bytes, 0, sizeof bytes);
    bytes[byte] = (int8_t)value;
    memcpy(&r, bytes, sizeof r);
    return r;
}

/* Plain C: the baseline of x86-64 has no popcnt, and a library call would cost more. */
static inline int popcount(uint32_t x) {
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (int)((((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
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
