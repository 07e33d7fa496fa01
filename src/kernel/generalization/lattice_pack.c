/*
 * lattice_pack.c
 *		The groups of a class, packed into words.
 *
 * The groups lie side by side in a word of 64 bits, or in several when the
 * lowest level of all keys needs more; no group crosses words.  A higher level
 * needs fewer bits, so a step up moves the groups that stay to the right and
 * looks up those that change.
 */
#include "kernel/generalization/lattice_parts.h"

#include <string.h>

void
sdc_lattice_pack_layout(const SdcLattice *lattice, const uint8_t *level,
						SdcLatticeLayout *layout)
{
	int used = 0;
	int j;

	layout->bits = 0;
	for (j = 0; j < lattice->keys; j++)
	{
		int bits = lattice->column[j].level[level[j]].bits;

		if (j > 0 && lattice->word[j] != lattice->word[j - 1])
			used = 0;
		/* a group of no bits may lie behind the last bit */
		layout->shift[j] = bits == 0 ? 0 : used;
		layout->mask[j] = (UINT64_C(1) << bits) - 1;
		used += bits;
		if (lattice->word[j] == 0)
			layout->bits = used;
	}
}

void
sdc_lattice_pack_start(SdcLattice *lattice)
{
	int used = 0;
	int word = 0;
	int j;

	for (j = 0; j < lattice->keys; j++)
	{
		int bits = lattice->column[j].level[0].bits;

		if (used + bits > 64)
		{
			word++;
			used = 0;
		}
		lattice->word[j] = word;
		used += bits;
	}
	lattice->words = word + 1;
}

/* The groups of a level as groups of a higher one. */
static const int32_t *
compose_map(SdcLattice *lattice, int j, int from, int to)
{
	const SdcLatticeColumn *column = &lattice->column[j];
	int32_t *map = lattice->map[j];
	int32_t g;
	int l;

	if (to == from + 1)
		return column->level[from].up;
	for (g = 0; g < column->level[from].groups; g++)
	{
		map[g] = g;
		for (l = from; l < to; l++)
			map[g] = column->level[l].up[map[g]];
	}
	return map;
}

int
sdc_lattice_pack_plan(SdcLattice *lattice, const uint8_t *from,
					  const uint8_t *level, SdcLatticePiece *piece)
{
	SdcLatticeLayout old;
	SdcLatticeLayout new;
	int pieces = 0;
	bool open = false; /* may the last piece be made longer? */
	int j;

	sdc_lattice_pack_layout(lattice, from, &old);
	sdc_lattice_pack_layout(lattice, level, &new);
	for (j = 0; j < lattice->keys; j++)
	{
		bool changes = from[j] != level[j];
		uint64_t mask = old.mask[j] << old.shift[j];

		if (old.mask[j] == 0 || (changes && new.mask[j] == 0))
			continue;
		if (!changes && open && piece[pieces - 1].word == lattice->word[j] &&
			piece[pieces - 1].from - piece[pieces - 1].to ==
				old.shift[j] - new.shift[j])
		{
			piece[pieces - 1].mask |= mask;
			continue;
		}
		piece[pieces].word = lattice->word[j];
		piece[pieces].from = changes ? old.shift[j] : 0;
		piece[pieces].to = changes ? new.shift[j] : 0;
		piece[pieces].mask = changes ? old.mask[j] : mask;
		piece[pieces].map =
			changes ? compose_map(lattice, j, from[j], level[j]) : NULL;
		if (!changes)
			piece[pieces].from = old.shift[j] - new.shift[j];
		pieces++;
		open = !changes;
	}
	return pieces;
}

static inline uint64_t
move_piece(const SdcLatticePiece *piece, uint64_t word)
{
	if (piece->map == NULL)
		return (word & piece->mask) >> piece->from;
	return (uint64_t) piece->map[word >> piece->from & piece->mask]
		   << piece->to;
}

/*
 * One key of a single word changes, or none: the case of nearly all steps.
 * What lies below stays, what lies above moves to the right.
 */
typedef struct Step
{
	SdcLatticePiece low;
	SdcLatticePiece change;
	SdcLatticePiece high;
} Step;

static bool
plan_step(const SdcLatticePiece *piece, int pieces, int words, Step *step)
{
	static const int32_t nothing[1] = {0};
	SdcLatticePiece *place;
	int p;

	memset(step, 0, sizeof(*step));
	step->change.map = nothing;
	for (p = 0; p < pieces && words == 1; p++)
	{
		if (piece[p].map != NULL)
			place = &step->change;
		else
			place = piece[p].from == 0 ? &step->low : &step->high;
		if (place->mask != 0)
			return false;
		*place = piece[p];
	}
	return words == 1;
}

static void
pack_step(const Step *step, const uint64_t *from, int32_t n, uint64_t *to)
{
	const SdcLatticePiece *change = &step->change;
	int32_t i;

	for (i = 0; i < n; i++)
		to[i] = (from[i] & step->low.mask) |
				(uint64_t) change->map[from[i] >> change->from & change->mask]
					<< change->to |
				(from[i] & step->high.mask) >> step->high.from;
}

void
sdc_lattice_pack(const SdcLatticePiece *piece, int pieces, int words,
				 const uint64_t *from, int32_t n, uint64_t *to)
{
	Step step;
	int32_t i;
	int p;

	if (plan_step(piece, pieces, words, &step))
	{
		pack_step(&step, from, n, to);
		return;
	}
	memset(to, 0, sizeof(uint64_t) * (size_t) n * (size_t) words);
	for (p = 0; p < pieces; p++)
	{
		const uint64_t *source = from + piece[p].word;
		uint64_t *target = to + piece[p].word;

		for (i = 0; i < n; i++, source += words, target += words)
			*target |= move_piece(&piece[p], *source);
	}
}

int
sdc_lattice_pack_keep(const SdcLattice *lattice, SdcLatticePiece *piece)
{
	int w;

	for (w = 0; w < lattice->words; w++)
		piece[w] = (SdcLatticePiece){w, 0, 0, ~UINT64_C(0), NULL};
	return lattice->words;
}
