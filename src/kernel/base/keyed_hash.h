/*
 * keyed_hash.h
 *		SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104) of many short inputs.
 *
 * A key is hashed once; what it leaves is kept and goes before every input.
 */
#ifndef SDC_KERNEL_KEYED_HASH_H
#define SDC_KERNEL_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a hash, and of a block: a key has at most so many. */
#define SDC_HASH_BYTES 32
#define SDC_HASH_BLOCK 64

/* A hash of what came so far; room holds what does not fill a block. */
typedef struct SdcHash
{
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t room[SDC_HASH_BLOCK];
} SdcHash;

/* A SHA-256 (FIPS 180-4) of nothing yet. */
extern void sdc_hash_start(SdcHash *hash);

/* Adds length bytes; O(length). */
extern void sdc_hash_add(SdcHash *hash, const void *bytes, size_t length);

/* Writes the SDC_HASH_BYTES of the hash; it takes nothing more then. */
extern void sdc_hash_end(SdcHash *hash, uint8_t *output);

/* Bytes that are free behind a message that is hashed where it lies. */
#define SDC_HASH_SPARE (SDC_HASH_BLOCK + 8)

/* So many bytes, with SDC_HASH_SPARE behind them that may be written to. */
typedef struct SdcHashMessage
{
	uint8_t *bytes;
	size_t length;
} SdcHashMessage;

/*
 * The hashes of what was added to key and then each of two messages, in less
 * time than one after the other.  What was added is whole blocks.  O(length).
 */
extern void sdc_hash_two(const SdcHash *key, SdcHashMessage *message,
						 uint8_t output[2][SDC_HASH_BYTES]);

/* A key of HMAC: what both of its pads leave. */
typedef struct SdcHmacKey
{
	SdcHash inner;
	SdcHash outer;
} SdcHmacKey;

/* Makes a key of at most SDC_HASH_BLOCK bytes. */
extern void sdc_hmac_key(SdcHmacKey *key, const uint8_t *bytes, size_t length);

/* HMAC of two inputs, one after the other, into SDC_HASH_BYTES. */
extern void sdc_hmac(const SdcHmacKey *key, const void *first,
					 size_t first_length, const void *second,
					 size_t second_length, uint8_t *output);

/* For tests: take the portable way on every machine. */
extern void sdc_hash_force_portable(int portable);

#endif
