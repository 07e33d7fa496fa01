/*
 * lattice_tags.c
 *		What is known of nodes from checks of others.
 *
 * A tag spreads over all nodes above, or below, and stops at those that have
 * it, so all of the spreading together is O(nodes * keys).
 */
#include "kernel/generalization/lattice_parts.h"

#include <string.h>

void
sdc_lattice_tags_under(const SdcLattice *lattice, uint8_t *tag,
					   const uint8_t *level, int64_t number)
{
	uint8_t at[SDC_LATTICE_MAX_KEYS];
	int j;

	if (tag[number] & SDC_LATTICE_UNDER)
		return;
	tag[number] |= SDC_LATTICE_UNDER;
	memcpy(at, level, sizeof(at));
	for (j = 0; j < lattice->keys; j++)
	{
		if (at[j] + 1 == lattice->column[j].levels)
			continue;
		at[j]++;
		sdc_lattice_tags_under(lattice, tag, at, number + lattice->stride[j]);
		at[j]--;
	}
}

void
sdc_lattice_tags_over(const SdcLattice *lattice, uint8_t *tag,
					  const uint8_t *level, int64_t number)
{
	uint8_t at[SDC_LATTICE_MAX_KEYS];
	int j;

	if (tag[number] & SDC_LATTICE_OVER)
		return;
	tag[number] |= SDC_LATTICE_OVER;
	memcpy(at, level, sizeof(at));
	for (j = 0; j < lattice->keys; j++)
	{
		if (at[j] == 0)
			continue;
		at[j]--;
		sdc_lattice_tags_over(lattice, tag, at, number - lattice->stride[j]);
		at[j]++;
	}
}

int64_t
sdc_lattice_tags_number(const SdcLattice *lattice, const uint8_t *level)
{
	int64_t number = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
		number += lattice->stride[j] * level[j];
	return number;
}
