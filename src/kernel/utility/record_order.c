/*
 * record_order.c
 *		Records of mixed columns in an order that only their values decide.
 *
 * The order itself means nothing, so instead of sorting by one column after
 * the other, rows are sorted once by a digest of all of them.
 */
#include "kernel/utility/record_order.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"

/* An odd number that makes the digest depend on the order of columns. */
#define TURN UINT64_C(0x9e3779b97f4a7c15)

void
sdc_record_order_mix(SdcHost *host, const double *number, const int32_t *code,
					 size_t rows, uint64_t *digest)
{
	size_t i;

	for (i = 0; i < rows; i++)
	{
		uint64_t bits;

		if (i % SDC_POLL_STEPS == 0)
			host->poll(host, 0, 0);
		if (number == NULL)
			bits = (uint64_t) (int64_t) code[i];
		else
			bits = isnan(number[i]) ? TURN : sdc_sort_key(number[i]);
		digest[i] = sdc_random_mix(digest[i] * TURN + bits + 1);
	}
}

int32_t *
sdc_record_order_sort(SdcHost *host, const uint64_t *digest,
					  const uint64_t *second, size_t rows)
{
	uint64_t *key = sdc_new(host, uint64_t, rows);
	int32_t *order = sdc_new(host, int32_t, rows);
	size_t i;

	for (i = 0; i < rows; i++)
		order[i] = (int32_t) i;
	if (second != NULL)
	{
		memcpy(key, second, sizeof(uint64_t) * rows);
		sdc_sort_keys(host, key, order, rows);
	}
	/* the sort is stable, so what was sorted first decides among equals */
	for (i = 0; i < rows; i++)
		key[i] = digest[order[i]];
	sdc_sort_keys(host, key, order, rows);
	host->release(host, key);
	return order;
}
