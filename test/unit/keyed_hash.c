/*
 * keyed_hash.c
 *		SHA-256 and HMAC against the published vectors, and both ways of
 *		compressing a block against each other.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "kernel/base/keyed_hash.h"
#include "kernel/base/random.h"

static int
is_hex(const uint8_t *bytes, const char *hex)
{
	char text[2 * SDC_HASH_BYTES + 1];
	int i;

	for (i = 0; i < SDC_HASH_BYTES; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return strcmp(text, hex) == 0;
}

static void
hash_whole(const void *bytes, size_t length, uint8_t *output)
{
	SdcHash hash;

	sdc_hash_start(&hash);
	sdc_hash_add(&hash, bytes, length);
	sdc_hash_end(&hash, output);
}

/* The examples of FIPS 180-4 (NIST, SHA256.pdf), and of a million letters. */
static void
test_published(const char *way)
{
	static const char two[] =
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	uint8_t output[SDC_HASH_BYTES];
	SdcHash hash;
	int i;

	hash_whole("abc", 3, output);
	unit_check(is_hex(output,
					  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9c"
					  "b410ff61f20015ad"),
			   "%s: published", way);
	hash_whole("", 0, output);
	unit_check(is_hex(output,
					  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934c"
					  "a495991b7852b855"),
			   "%s: published", way);
	hash_whole(two, strlen(two), output);
	unit_check(is_hex(output,
					  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167"
					  "f6ecedd419db06c1"),
			   "%s: published", way);
	sdc_hash_start(&hash);
	for (i = 0; i < 1000000; i++)
		sdc_hash_add(&hash, "a", 1);
	sdc_hash_end(&hash, output);
	unit_check(is_hex(output,
					  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e"
					  "046d39ccc7112cd0"),
			   "%s: published", way);
}

/* Test cases 1, 2 and 4 of RFC 4231. */
static void
test_hmac(const char *way)
{
	uint8_t bytes[50];
	uint8_t output[SDC_HASH_BYTES];
	SdcHmacKey key;
	int i;

	memset(bytes, 0x0b, 20);
	sdc_hmac_key(&key, bytes, 20);
	sdc_hmac(&key, "Hi", 2, " There", 6, output);
	unit_check(is_hex(output,
					  "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da7"
					  "26e9376c2e32cff7"),
			   "%s: published", way);
	sdc_hmac_key(&key, (const uint8_t *) "Jefe", 4);
	sdc_hmac(&key, "what do ya want ", 16, "for nothing?", 12, output);
	unit_check(is_hex(output,
					  "5bdcc146bf60754e6a042426089575c75a003f089d273983"
					  "9dec58b964ec3843"),
			   "%s: published", way);
	for (i = 0; i < 25; i++)
		bytes[i] = (uint8_t) (i + 1);
	sdc_hmac_key(&key, bytes, 25);
	memset(bytes, 0xcd, 50);
	sdc_hmac(&key, bytes, 0, bytes, 50, output);
	unit_check(is_hex(output,
					  "82558a389a443c0ea4cc819899f2083a85f0faa3e578f807"
					  "7a2e3ff46729665b"),
			   "%s: published", way);
}

/* Inputs of each length to some blocks, whole and in two parts, both ways. */
static void
test_ways(void)
{
	uint8_t bytes[300];
	uint8_t whole[SDC_HASH_BYTES];
	uint8_t parts[SDC_HASH_BYTES];
	uint8_t portable[SDC_HASH_BYTES];
	SdcRandom random;
	SdcHash hash;
	size_t length;
	size_t cut;

	sdc_random_seed(&random, 1, 2);
	for (length = 0; length < sizeof(bytes); length++)
		bytes[length] = (uint8_t) sdc_random_below(&random, 256);
	for (length = 0; length <= sizeof(bytes); length++)
	{
		cut = (size_t) sdc_random_below(&random, length + 1);
		sdc_hash_force_portable(0);
		hash_whole(bytes, length, whole);
		sdc_hash_start(&hash);
		sdc_hash_add(&hash, bytes, cut);
		sdc_hash_add(&hash, bytes + cut, length - cut);
		sdc_hash_end(&hash, parts);
		sdc_hash_force_portable(1);
		hash_whole(bytes, length, portable);
		unit_check(memcmp(whole, parts, SDC_HASH_BYTES) == 0,
				   "%d bytes in two parts", (int) length);
		unit_check(memcmp(whole, portable, SDC_HASH_BYTES) == 0,
				   "%d bytes both ways", (int) length);
	}
}

/* Copies a message with nothing but noise behind it. */
static SdcHashMessage
copy_message(SdcRandom *random, uint8_t *room, const uint8_t *bytes,
			 size_t length)
{
	SdcHashMessage message = {room, length};
	size_t i;

	memcpy(room, bytes, length);
	for (i = 0; i < SDC_HASH_SPARE; i++)
		room[length + i] = (uint8_t) sdc_random_below(random, 256);
	return message;
}

/*
 * Two messages behind a key of whole blocks, of all lengths beside some other
 * length, against each of them alone.
 */
static void
test_two(int portable)
{
	uint8_t bytes[300];
	uint8_t room[2][sizeof(bytes) + SDC_HASH_SPARE];
	uint8_t output[2][SDC_HASH_BYTES];
	uint8_t alone[SDC_HASH_BYTES];
	SdcHashMessage message[2];
	SdcRandom random;
	SdcHash key;
	SdcHash hash;
	size_t length;
	int i;

	sdc_hash_force_portable(portable);
	sdc_random_seed(&random, 3, 4);
	for (length = 0; length < sizeof(bytes); length++)
		bytes[length] = (uint8_t) sdc_random_below(&random, 256);
	for (length = 0; length <= sizeof(bytes); length++)
	{
		size_t other = (size_t) sdc_random_below(&random, sizeof(bytes) + 1);

		sdc_hash_start(&key);
		sdc_hash_add(&key, bytes, length % 3 * SDC_HASH_BLOCK);
		message[0] = copy_message(&random, room[0], bytes, length);
		message[1] = copy_message(&random, room[1],
								  bytes + sizeof(bytes) - other, other);
		sdc_hash_two(&key, message, output);
		for (i = 0; i < 2; i++)
		{
			hash = key;
			sdc_hash_add(&hash, message[i].bytes, message[i].length);
			sdc_hash_end(&hash, alone);
			unit_check(memcmp(alone, output[i], SDC_HASH_BYTES) == 0,
					   "%d and %d bytes, message %d", (int) length,
					   (int) other, i);
		}
	}
}

int
main(void)
{
	unit_start("keyed_hash");
	sdc_hash_force_portable(1);
	test_published("portable");
	test_hmac("portable");
	sdc_hash_force_portable(0);
	test_published("as the machine can");
	test_hmac("as the machine can");
	test_ways();
	test_two(1);
	test_two(0);
	return unit_finish();
}
