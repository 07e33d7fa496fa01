/*
 * class_data.h
 *		A random class and a random table that holds it.
 */
#ifndef SDC_TEST_UNIT_CLASS_DATA_H
#define SDC_TEST_UNIT_CLASS_DATA_H

#include <stdbool.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/risk/class_measures.h"
#include "kernel/table/frequency.h"

#define CLASS_VALUES 12

/* By slot: values, then NULL. */
typedef struct ClassData
{
	int64_t held[CLASS_VALUES + 1];
	int64_t total[CLASS_VALUES + 1];
	int32_t code[CLASS_VALUES + 1];
	int64_t count[CLASS_VALUES + 1];
	SdcTotals totals;
	SdcHistogram histogram;
} ClassData;

/* Fills totals and histogram from held and total. */
static inline void
class_data_index(ClassData *data, int32_t values)
{
	int32_t slot;

	memset(&data->totals, 0, sizeof(data->totals));
	memset(&data->histogram, 0, sizeof(data->histogram));
	data->totals.values = values;
	data->totals.total = data->total;
	data->histogram.code = data->code;
	data->histogram.count = data->count;
	for (slot = 0; slot <= values; slot++)
	{
		int32_t cell = data->histogram.cells;

		data->totals.records += data->total[slot];
		data->totals.occurring += data->total[slot] > 0;
		if (data->held[slot] == 0)
			continue;
		data->code[cell] = slot < values ? slot : SDC_CODE_NULL;
		data->count[cell] = data->held[slot];
		data->histogram.records += data->held[slot];
		data->histogram.cells++;
	}
}

/*
 * At most values values, some of which do not occur, sometimes NULL; counts
 * up to top.  The class has at least one record.
 */
static inline void
class_data_draw(ClassData *data, SdcRandom *random, int32_t most, int64_t top)
{
	int32_t values = 1 + (int32_t) sdc_random_below(random, (uint64_t) most);
	int32_t slot;

	do
	{
		for (slot = 0; slot <= values; slot++)
		{
			uint64_t kind = sdc_random_below(random, 6);
			uint64_t room = (uint64_t) top + 1;

			data->held[slot] =
				kind < 2 ? (int64_t) sdc_random_below(random, room) : 0;
			data->total[slot] =
				data->held[slot] +
				(kind < 5 ? (int64_t) sdc_random_below(random, room) : 0);
			if (slot == values && kind % 2 == 0)
				data->held[slot] = data->total[slot] = 0;
		}
		class_data_index(data, values);
	} while (data->histogram.records == 0);
}

#endif
