/*
 * item_similarity.c
 *		The difference of two matrices of cosines against whole matrices.
 */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "kernel/base/random.h"
#include "kernel/transaction/item_sets.h"

#define CUSTOMERS 15
#define ITEMS     12

typedef struct File
{
	double matrix[CUSTOMERS][ITEMS];
	int32_t customer[CUSTOMERS * ITEMS];
	int32_t item[CUSTOMERS * ITEMS];
	double quantity[CUSTOMERS * ITEMS];
	SdcItemQuantities quantities;
} File;

static void
draw(File *file, SdcRandom *random, double rate)
{
	int32_t n = 0;
	int i;
	int j;

	memset(file->matrix, 0, sizeof(file->matrix));
	for (i = 0; i < CUSTOMERS; i++)
		for (j = 0; j < ITEMS; j++)
		{
			if (sdc_random_unit(random) >= rate)
				continue;
			file->matrix[i][j] = 1 + (double) sdc_random_below(random, 20);
			file->customer[n] = i;
			file->item[n] = j;
			file->quantity[n++] = file->matrix[i][j];
		}
	file->quantities.entries = n;
	file->quantities.customers = CUSTOMERS;
	file->quantities.items = ITEMS;
	file->quantities.customer = file->customer;
	file->quantities.item = file->item;
	file->quantities.quantity = file->quantity;
}

static double
cosine(const File *file, int a, int b, double most)
{
	double product = 0;
	double first = 0;
	double second = 0;
	int i;

	for (i = 0; i < CUSTOMERS; i++)
	{
		double x = file->matrix[i][a] <= most ? file->matrix[i][a] : 0;
		double y = file->matrix[i][b] <= most ? file->matrix[i][b] : 0;

		product += x * y;
		first += x * x;
		second += y * y;
	}
	return product == 0 ? 0 : product / sqrt(first) / sqrt(second);
}

static void
check_matrices(int round)
{
	double most = round % 2 == 0 ? 11 : INFINITY;
	bool chosen[ITEMS];
	File original;
	File masked;
	SdcRandom random;
	double differ = 0;
	double whole = 0;
	double found;
	int a;
	int b;

	sdc_random_seed(&random, 2, (uint64_t) round);
	draw(&original, &random, 0.5);
	draw(&masked, &random, 0.4);
	for (a = 0; a < ITEMS; a++)
		chosen[a] = round % 3 == 0 || sdc_random_below(&random, 4) > 0;
	for (a = 0; a < ITEMS; a++)
		for (b = 0; b < ITEMS; b++)
			if (a != b && chosen[a] && chosen[b])
			{
				whole += cosine(&original, a, b, most);
				differ += fabs(cosine(&original, a, b, most) -
							   cosine(&masked, a, b, most));
			}
	found = sdc_item_similarity_error(unit_host(), &original.quantities,
									  &masked.quantities,
									  round % 3 == 0 ? NULL : chosen, most);
	unit_check(fabs(found - fmin(1, differ / whole)) < 1e-12,
			   "round %d: %.6f as of whole matrices", round, found);
	unit_check(sdc_item_similarity_error(unit_host(), &original.quantities,
										 &original.quantities, NULL,
										 most) == 0,
			   "round %d: the same file", round);
}

static void
check_top(void)
{
	const int32_t customer[] = {0, 0, 1, 1, 2};
	const int32_t item[] = {1, 2, 2, 3, 3};
	const double quantity[] = {1, 1, 1, 1, 1};
	SdcItemQuantities quantities = {5, 3, 5, customer, item, quantity};
	bool chosen[5];

	unit_check(sdc_item_similarity_top(unit_host(), &quantities, 1, chosen) ==
					   1 &&
				   chosen[2],
			   "of items with equally many customers the first");
	unit_check(sdc_item_similarity_top(unit_host(), &quantities, 9, chosen) ==
					   3 &&
				   !chosen[0] && !chosen[4],
			   "items without customers are none");
}

int
main(void)
{
	int round;

	unit_start("item_similarity");
	for (round = 0; round < 12; round++)
		check_matrices(round);
	check_top();
	return unit_finish();
}
