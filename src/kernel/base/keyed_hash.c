/*
 * keyed_hash.c
 *		SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104) of many short inputs.
 *
 * The library of the server makes a context for every input and hashes the
 * pads of the key again, which is most of the time of a short input.  Here a
 * key is two states that are copied.  Where the processor has instructions
 * for SHA-256 they are used; the bits are the same.
 */
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_SHA_INSTRUCTIONS
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "kernel/base/keyed_hash.h"

#define ROUNDS 64

static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
										0xa54ff53a, 0x510e527f, 0x9b05688c,
										0x1f83d9ab, 0x5be0cd19};

static uint32_t
rotate(uint32_t x, int bits)
{
	return x >> bits | x << (32 - bits);
}

/* The words of a block, and those that follow from them. */
static void
schedule(const uint8_t *block, uint32_t *w)
{
	int i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t) block[4 * i] << 24 |
			   (uint32_t) block[4 * i + 1] << 16 |
			   (uint32_t) block[4 * i + 2] << 8 | block[4 * i + 3];
	for (; i < ROUNDS; i++)
		w[i] =
			w[i - 16] + w[i - 7] +
			(rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
			(rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
}

/* One block into the state, in C. */
static void
compress_portable(uint32_t *state, const uint8_t *block)
{
	uint32_t w[ROUNDS];
	uint32_t s[8];
	int i;

	schedule(block, w);
	memcpy(s, state, sizeof(s));
	for (i = 0; i < ROUNDS; i++)
	{
		uint32_t t1 = s[7] +
					  (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
					  ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
		uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
					  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, sizeof(uint32_t) * 7);
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		state[i] += s[i];
}

#ifdef HAVE_SHA_INSTRUCTIONS

/* Functions that use the instructions. */
#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

/*
 * A state as the instructions take it, the words a, b, e, f and c, d, g, h in
 * a register each, and the last 16 words of the block.
 */
typedef struct Lane
{
	__m128i abef;
	__m128i cdgh;
	__m128i w[4];
} Lane;

SHA_TARGET static inline __attribute__((always_inline)) Lane
load_lane(const uint32_t *state, const uint8_t *block)
{
	const __m128i bytes =
		_mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
	__m128i low = _mm_loadu_si128((const __m128i *) state);
	__m128i high = _mm_loadu_si128((const __m128i *) (state + 4));
	__m128i cdab = _mm_shuffle_epi32(low, 0xb1);
	__m128i efgh = _mm_shuffle_epi32(high, 0x1b);
	Lane lane;
	int i;

	lane.abef = _mm_alignr_epi8(cdab, efgh, 8);
	lane.cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
	for (i = 0; i < 4; i++)
		lane.w[i] = _mm_shuffle_epi8(
			_mm_loadu_si128((const __m128i *) (block + 16 * i)), bytes);
	return lane;
}

/* The step of that number, of four rounds. */
SHA_TARGET static inline __attribute__((always_inline)) void
take_step(Lane *lane, int i)
{
	__m128i *w = lane->w;
	__m128i words = _mm_add_epi32(
		w[i % 4], _mm_loadu_si128((const __m128i *) (constants + 4 * i)));

	lane->cdgh = _mm_sha256rnds2_epu32(lane->cdgh, lane->abef, words);
	lane->abef = _mm_sha256rnds2_epu32(lane->abef, lane->cdgh,
									   _mm_shuffle_epi32(words, 0x0e));
	w[i % 4] = _mm_sha256msg2_epu32(
		_mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]),
					  _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4)),
		w[(i + 3) % 4]);
}

/* Adds what the rounds have made to the state. */
SHA_TARGET static inline __attribute__((always_inline)) void
add_lane(const Lane *lane, uint32_t *state)
{
	__m128i *low = (__m128i *) state;
	__m128i *high = (__m128i *) (state + 4);
	__m128i abef = _mm_shuffle_epi32(lane->abef, 0x1b);
	__m128i cdgh = _mm_shuffle_epi32(lane->cdgh, 0xb1);

	_mm_storeu_si128(low, _mm_add_epi32(_mm_loadu_si128(low),
										_mm_blend_epi16(abef, cdgh, 0xf0)));
	_mm_storeu_si128(high, _mm_add_epi32(_mm_loadu_si128(high),
										 _mm_alignr_epi8(cdgh, abef, 8)));
}

/* The same as in C by the instructions. */
SHA_TARGET static void
compress_instructions(uint32_t *state, const uint8_t *block)
{
	Lane lane = load_lane(state, block);
	int i;

#pragma GCC unroll 16
	for (i = 0; i < ROUNDS / 4; i++)
		take_step(&lane, i);
	add_lane(&lane, state);
}

/*
 * Two blocks into a state each.  An instruction waits for the one before of
 * its block only, so two take little longer than one.
 */
SHA_TARGET static void
compress_two_instructions(uint32_t *state, const uint8_t *block,
						  uint32_t *other_state, const uint8_t *other_block)
{
	Lane lane = load_lane(state, block);
	Lane other = load_lane(other_state, other_block);
	int i;

#pragma GCC unroll 16
	for (i = 0; i < ROUNDS / 4; i++)
	{
		take_step(&lane, i);
		take_step(&other, i);
	}
	add_lane(&lane, state);
	add_lane(&other, other_state);
}

/* Has the processor SHA, SSSE3 and SSE4.1? */
static int
has_instructions(void)
{
	unsigned int a;
	unsigned int b;
	unsigned int c;
	unsigned int d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b >> 29 & 1) == 0)
		return 0;
	return __get_cpuid(1, &a, &b, &c, &d) && (c >> 9 & 1) != 0 &&
		   (c >> 19 & 1) != 0;
}

#else

static void
compress_instructions(uint32_t *state, const uint8_t *block)
{
	compress_portable(state, block);
}

static void
compress_two_instructions(uint32_t *state, const uint8_t *block,
						  uint32_t *other_state, const uint8_t *other_block)
{
	compress_portable(state, block);
	compress_portable(other_state, other_block);
}

static int
has_instructions(void)
{
	return 0;
}

#endif

static void compress_first(uint32_t *state, const uint8_t *block);

/* How a block is compressed on this machine. */
static void (*compress)(uint32_t *state,
						const uint8_t *block) = compress_first;

void
sdc_hash_force_portable(int portable)
{
	compress = portable || !has_instructions() ? compress_portable
											   : compress_instructions;
}

static void
compress_first(uint32_t *state, const uint8_t *block)
{
	sdc_hash_force_portable(0);
	compress(state, block);
}

static void
compress_two(uint32_t *state, const uint8_t *block, uint32_t *other_state,
			 const uint8_t *other_block)
{
	if (compress == compress_instructions)
	{
		compress_two_instructions(state, block, other_state, other_block);
		return;
	}
	compress(state, block);
	compress(other_state, other_block);
}

void
sdc_hash_start(SdcHash *hash)
{
	memcpy(hash->state, first_state, sizeof(first_state));
	hash->length = 0;
}

void
sdc_hash_add(SdcHash *hash, const void *bytes, size_t length)
{
	const uint8_t *from = bytes;
	size_t held = hash->length % SDC_HASH_BLOCK;
	size_t room = SDC_HASH_BLOCK - held;

	hash->length += length;
	if (length < room)
	{
		if (length > 0)
			memcpy(hash->room + held, from, length);
		return;
	}
	memcpy(hash->room + held, from, room);
	compress(hash->state, hash->room);
	from += room;
	for (length -= room; length >= SDC_HASH_BLOCK; length -= SDC_HASH_BLOCK)
	{
		compress(hash->state, from);
		from += SDC_HASH_BLOCK;
	}
	if (length > 0)
		memcpy(hash->room, from, length);
}

/* A word as bytes, the high one first; a compiler knows it for one store. */
static inline void
write_word(uint8_t *output, uint32_t word)
{
	output[0] = (uint8_t) (word >> 24);
	output[1] = (uint8_t) (word >> 16);
	output[2] = (uint8_t) (word >> 8);
	output[3] = (uint8_t) word;
}

/* The last words of a hash as bytes. */
static void
write_state(const uint32_t *state, uint8_t *output)
{
	int i;

	for (i = 0; i < 8; i++)
		write_word(output + 4 * i, state[i]);
}

void
sdc_hash_end(SdcHash *hash, uint8_t *output)
{
	const uint64_t bits = hash->length * 8;
	size_t held = hash->length % SDC_HASH_BLOCK;
	int i;

	hash->room[held++] = 0x80;
	if (held > SDC_HASH_BLOCK - 8)
	{
		memset(hash->room + held, 0, SDC_HASH_BLOCK - held);
		compress(hash->state, hash->room);
		held = 0;
	}
	memset(hash->room + held, 0, SDC_HASH_BLOCK - 8 - held);
	for (i = 0; i < 8; i++)
		hash->room[SDC_HASH_BLOCK - 1 - i] = (uint8_t) (bits >> (8 * i));
	compress(hash->state, hash->room);
	write_state(hash->state, output);
}

/* Puts what ends a hash behind its bytes; returns the blocks they are then. */
static size_t
end_message(SdcHashMessage *message, uint64_t before)
{
	const uint64_t bits = (before + message->length) * 8;
	size_t blocks = (message->length + 8) / SDC_HASH_BLOCK + 1;
	uint8_t *end = message->bytes + blocks * SDC_HASH_BLOCK;
	uint8_t *at = message->bytes + message->length;

	*at++ = 0x80;
	memset(at, 0, (size_t) (end - 8 - at));
	write_word(end - 8, (uint32_t) (bits >> 32));
	write_word(end - 4, (uint32_t) bits);
	return blocks;
}

void
sdc_hash_two(const SdcHash *key, SdcHashMessage *message,
			 uint8_t output[2][SDC_HASH_BYTES])
{
	uint32_t state[2][8];
	size_t blocks[2];
	size_t i;
	int j;

	for (j = 0; j < 2; j++)
	{
		memcpy(state[j], key->state, sizeof(state[j]));
		blocks[j] = end_message(&message[j], key->length);
	}
	for (i = 0; i < blocks[0] && i < blocks[1]; i++)
		compress_two(state[0], message[0].bytes + i * SDC_HASH_BLOCK, state[1],
					 message[1].bytes + i * SDC_HASH_BLOCK);
	j = blocks[1] > blocks[0];
	for (; i < blocks[j]; i++)
		compress(state[j], message[j].bytes + i * SDC_HASH_BLOCK);
	for (j = 0; j < 2; j++)
		write_state(state[j], output[j]);
}

/* The hash of the key, each byte changed by pad. */
static void
add_pad(SdcHash *hash, const uint8_t *bytes, size_t length, uint8_t pad)
{
	uint8_t block[SDC_HASH_BLOCK];
	size_t i;

	memset(block, pad, SDC_HASH_BLOCK);
	for (i = 0; i < length; i++)
		block[i] ^= bytes[i];
	sdc_hash_start(hash);
	sdc_hash_add(hash, block, SDC_HASH_BLOCK);
}

void
sdc_hmac_key(SdcHmacKey *key, const uint8_t *bytes, size_t length)
{
	add_pad(&key->inner, bytes, length, 0x36);
	add_pad(&key->outer, bytes, length, 0x5c);
}

/* A copy without what lies in its room: there is nothing. */
static void
start_from(SdcHash *hash, const SdcHash *state)
{
	memcpy(hash->state, state->state, sizeof(hash->state));
	hash->length = state->length;
}

void
sdc_hmac(const SdcHmacKey *key, const void *first, size_t first_length,
		 const void *second, size_t second_length, uint8_t *output)
{
	uint8_t digest[SDC_HASH_BYTES];
	SdcHash hash;

	start_from(&hash, &key->inner);
	sdc_hash_add(&hash, first, first_length);
	sdc_hash_add(&hash, second, second_length);
	sdc_hash_end(&hash, digest);
	start_from(&hash, &key->outer);
	sdc_hash_add(&hash, digest, SDC_HASH_BYTES);
	sdc_hash_end(&hash, output);
}
