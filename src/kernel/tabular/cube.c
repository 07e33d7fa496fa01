/*
 * cube.c
 *		A table from dimensions: all cells, all equations, all contributions;
 *		several tables as one.
 *
 * An equation between codes of one dimension holds for each combination of
 * codes of the others.  A record belongs to the cells of all combinations of
 * codes above its own.
 */
#include "kernel/tabular/cube.h"

#include <string.h>

#include "kernel/base/random.h"
#include "kernel/base/sort.h"

int64_t
sdc_cube_cells(const SdcCubeDimension *dimension, int dimensions)
{
	int64_t cells = 1;
	int d;

	for (d = 0; d < dimensions; d++)
	{
		cells *= dimension[d].codes;
		if (cells > SDC_CUBE_MAX_CELLS)
			break;
	}
	return cells;
}

/* How far apart cells are that differ by 1 in a dimension. */
static void
find_strides(const SdcCubeDimension *dimension, int dimensions,
			 int32_t *stride)
{
	int d;

	stride[dimensions - 1] = 1;
	for (d = dimensions - 2; d >= 0; d--)
		stride[d] = stride[d + 1] * dimension[d + 1].codes;
}

/* Writes the equations of one dimension; returns how many there are now. */
static int32_t
expand(SdcHost *host, const SdcCubeDimension *dimension, int32_t stride,
	   int32_t cells, int32_t equations, int64_t *start, int32_t *member)
{
	int32_t others = cells / dimension->codes;
	int32_t r;
	int32_t k;
	int32_t e;

	for (r = 0; r < dimension->equations; r++)
	{
		host->poll(host, 0, 0);
		for (k = 0; k < others; k++)
		{
			/* the k-th cell whose code in this dimension is the first one */
			int32_t base = k / stride * stride * dimension->codes + k % stride;
			int64_t at = start[equations];

			for (e = dimension->start[r]; e < dimension->start[r + 1]; e++)
				member[at++] = base + stride * dimension->member[e];
			start[++equations] = at;
		}
	}
	return equations;
}

SdcTabular *
sdc_cube_create(SdcHost *host, const SdcCubeDimension *dimension,
				int dimensions)
{
	int32_t cells = (int32_t) sdc_cube_cells(dimension, dimensions);
	int32_t stride[SDC_CUBE_MAX_DIMENSIONS];
	int64_t equations = 0;
	int64_t entries = 0;
	int32_t count = 0;
	int64_t *start;
	int32_t *member;
	SdcTabular *table;
	int d;

	find_strides(dimension, dimensions, stride);
	for (d = 0; d < dimensions; d++)
	{
		int64_t others = cells / dimension[d].codes;

		equations += others * dimension[d].equations;
		entries += others * dimension[d].start[dimension[d].equations];
	}
	start = sdc_new(host, int64_t, (size_t) equations + 1);
	member = sdc_new(host, int32_t, (size_t) entries + 1);
	start[0] = 0;
	for (d = 0; d < dimensions; d++)
		count = expand(host, &dimension[d], stride[d], cells, count, start,
					   member);
	table = sdc_tabular_create(host, cells, count, start, member);
	table->dimensions = dimensions;
	for (d = 0; d < dimensions; d++)
		table->codes[d] = dimension[d].codes;
	host->release(host, start);
	host->release(host, member);
	return table;
}

/* ----------------------------------------------------------------------
 * Several tables as one
 * ----------------------------------------------------------------------
 */

/* Numbers the cells of all tables; returns how many there are. */
static int32_t
number_cells(SdcHost *host, SdcCubePart *part, int parts)
{
	size_t all = 0;
	size_t used = 0;
	uint64_t *key;
	int32_t *of;
	int32_t *place;
	int32_t cells = 0;
	int p;
	size_t i;

	for (p = 0; p < parts; p++)
		all += (size_t) part[p].table->cells;
	key = sdc_new(host, uint64_t, all + 1);
	of = sdc_new(host, int32_t, all + 1);
	place = sdc_new(host, int32_t, all + 1);
	for (p = 0; p < parts; p++)
	{
		memcpy(key + used, part[p].identity,
			   (size_t) part[p].table->cells * sizeof(uint64_t));
		used += (size_t) part[p].table->cells;
	}
	for (i = 0; i < all; i++)
		of[i] = (int32_t) i;
	sdc_sort_keys(host, key, of, all);
	for (i = 0; i < all; i++)
	{
		cells += i == 0 || key[i] != key[i - 1];
		place[of[i]] = cells - 1;
	}
	for (p = 0, used = 0; p < parts; p++)
	{
		size_t n = (size_t) part[p].table->cells;

		part[p].place = sdc_new(host, int32_t, n + 1);
		memcpy(part[p].place, place + used, n * sizeof(int32_t));
		used += n;
	}
	host->release(host, key);
	host->release(host, of);
	host->release(host, place);
	return cells;
}

/* Equations of all tables: those that several have are written once. */
typedef struct Links
{
	int64_t *start;
	int32_t *member;
	uint64_t *name; /* of each equation: equal for the same cells */
	int32_t count;
} Links;

/* A number that two equations share when they are the same, but for chance. */
static uint64_t
name_equation(const int32_t *member, int64_t count)
{
	uint64_t name = sdc_random_mix(~(uint64_t) member[0]);
	int64_t e;

	for (e = 1; e < count; e++)
		name += sdc_random_mix((uint64_t) member[e] + 1);
	return name;
}

/* All equations of one table, by the numbers of its cells among all. */
static void
take_equations(const SdcCubePart *part, Links *links)
{
	const SdcTabular *table = part->table;
	int32_t r;
	int64_t e;

	for (r = 0; r < table->equations; r++)
	{
		int64_t at = links->start[links->count];
		int64_t first = at;

		for (e = table->start[r]; e < table->start[r + 1]; e++)
			links->member[at++] = part->place[table->member[e]];
		/* the total of one part that is the same cell says nothing */
		if (at - first == 2 &&
			links->member[first] == links->member[first + 1])
			continue;
		links->name[links->count] =
			name_equation(links->member + first, at - first);
		links->start[++links->count] = at;
	}
}

/* Leaves the first of equal equations. */
static void
leave_different(SdcHost *host, Links *links)
{
	size_t n = (size_t) links->count;
	uint64_t *name = sdc_new(host, uint64_t, n + 1);
	int32_t *order = sdc_new(host, int32_t, n + 1);
	bool *twice = sdc_new(host, bool, n + 1);
	int32_t kept = 0;
	int64_t used = 0;
	int32_t r;
	int64_t e;

	memcpy(name, links->name, n * sizeof(uint64_t));
	for (r = 0; r < links->count; r++)
		order[r] = r;
	sdc_sort_keys(host, name, order, n);
	for (r = 0; r < links->count; r++)
		twice[order[r]] = r > 0 && name[r] == name[r - 1];
	for (r = 0; r < links->count; r++)
	{
		int64_t first = links->start[r];
		int64_t last = links->start[r + 1];

		if (twice[r])
			continue;
		for (e = first; e < last; e++)
			links->member[used++] = links->member[e];
		/* the end of this one, read before, is where the next one starts */
		links->name[kept++] = (uint64_t) used;
	}
	for (r = 0; r < kept; r++)
		links->start[r + 1] = (int64_t) links->name[r];
	links->count = kept;
	host->release(host, name);
	host->release(host, order);
	host->release(host, twice);
}

SdcTabular *
sdc_cube_link(SdcHost *host, SdcCubePart *part, int parts)
{
	int32_t cells = number_cells(host, part, parts);
	size_t equations = 0;
	size_t members = 0;
	Links links;
	SdcTabular *table;
	int p;

	for (p = 0; p < parts; p++)
	{
		equations += (size_t) part[p].table->equations;
		members += (size_t) part[p].table->start[part[p].table->equations];
	}
	links.start = sdc_new(host, int64_t, equations + 1);
	links.member = sdc_new(host, int32_t, members + 1);
	links.name = sdc_new(host, uint64_t, equations + 1);
	links.start[0] = links.count = 0;
	for (p = 0; p < parts; p++)
		take_equations(&part[p], &links);
	leave_different(host, &links);
	table = sdc_tabular_create(host, cells, links.count, links.start,
							   links.member);
	host->release(host, links.start);
	host->release(host, links.member);
	host->release(host, links.name);
	return table;
}

/* ----------------------------------------------------------------------
 * Contributions
 * ----------------------------------------------------------------------
 */

/* The codes that contain each code, itself the first. */
typedef struct Above
{
	int32_t *start;
	int32_t *code;
} Above;

/* The total of each part, by part: start and total of code's equations. */
static Above
find_totals(SdcHost *host, const SdcCubeDimension *dimension)
{
	Above totals;
	int32_t *next;
	int32_t r;
	int32_t e;
	int32_t i;

	totals.start = sdc_new(host, int32_t, (size_t) dimension->codes + 2);
	totals.code = sdc_new(host, int32_t,
						  (size_t) dimension->start[dimension->equations] + 1);
	memset(totals.start, 0, ((size_t) dimension->codes + 2) * sizeof(int32_t));
	/* one place further, so that next ends as start */
	next = totals.start + 1;
	for (r = 0; r < dimension->equations; r++)
		for (e = dimension->start[r] + 1; e < dimension->start[r + 1]; e++)
			next[dimension->member[e] + 1]++;
	for (i = 0; i < dimension->codes; i++)
		next[i + 1] += next[i];
	for (r = 0; r < dimension->equations; r++)
		for (e = dimension->start[r] + 1; e < dimension->start[r + 1]; e++)
			totals.code[next[dimension->member[e]]++] =
				dimension->member[dimension->start[r]];
	return totals;
}

/* Lists the codes above one, in list; seen[] holds who saw a code last. */
static int32_t
climb(const Above *totals, int32_t code, int32_t *list, int32_t *seen)
{
	int32_t count = 0;
	int32_t head;
	int32_t k;

	list[count++] = code;
	seen[code] = code;
	for (head = 0; head < count; head++)
		for (k = totals->start[list[head]]; k < totals->start[list[head] + 1];
			 k++)
		{
			int32_t total = totals->code[k];

			if (seen[total] == code)
				continue;
			seen[total] = code;
			list[count++] = total;
		}
	return count;
}

static Above
find_above(SdcHost *host, const SdcCubeDimension *dimension)
{
	Above above;
	Above totals = find_totals(host, dimension);
	size_t codes = (size_t) dimension->codes;
	int32_t *list = sdc_new(host, int32_t, codes + 1);
	int32_t *seen = sdc_new(host, int32_t, codes + 1);
	int32_t used = 0;
	int32_t room = 0;
	int32_t i;
	int pass;

	above.start = sdc_new(host, int32_t, codes + 1);
	above.code = NULL;
	/* counted first, then written */
	for (pass = 0; pass < 2; pass++)
	{
		memset(seen, -1, codes * sizeof(int32_t));
		above.start[0] = used = 0;
		for (i = 0; i < dimension->codes; i++)
		{
			int32_t count = climb(&totals, i, list, seen);

			if (pass == 1)
				memcpy(above.code + used, list,
					   (size_t) count * sizeof(int32_t));
			used += count;
			above.start[i + 1] = used;
			host->poll(host, 0, 0);
		}
		room = used;
		if (pass == 0)
			above.code = sdc_new(host, int32_t, (size_t) room + 1);
	}
	host->release(host, totals.start);
	host->release(host, totals.code);
	host->release(host, list);
	host->release(host, seen);
	return above;
}

/* The cells that contain a record, in list; returns how many. */
static int32_t
find_cells(const Above *above, int dimensions, const int32_t *stride,
		   const int32_t *const *code, int32_t i, int32_t *list)
{
	int32_t count = 1;
	int d;

	list[0] = 0;
	for (d = 0; d < dimensions; d++)
	{
		int32_t first = above[d].start[code[d][i]];
		int32_t last = above[d].start[code[d][i] + 1];
		int32_t k;
		int32_t c;

		/* from the end, so that what is still to be read stays */
		for (k = count - 1; k >= 0; k--)
		{
			int32_t base = list[k];

			for (c = first; c < last; c++)
				list[k * (last - first) + c - first] =
					base + stride[d] * above[d].code[c];
		}
		count *= last - first;
	}
	return count;
}

/* Adds what a respondent contributes to a cell. */
static void
contribute(SdcCubeCell *cell, double value, int32_t respondent, uint64_t key)
{
	int k;

	cell->sum += value;
	cell->key += key;
	cell->holder = cell->count == 0 ? respondent : SDC_NO_HOLDER;
	if (cell->count == 0 || value > cell->top[0])
	{
		cell->second = cell->leader;
		cell->leader = respondent;
	}
	else if (cell->count == 1 || value > cell->top[1])
		cell->second = respondent;
	cell->count++;
	if (value <= cell->top[SDC_CUBE_TOP - 1])
		return;
	for (k = SDC_CUBE_TOP - 1; k > 0 && cell->top[k - 1] < value; k--)
		cell->top[k] = cell->top[k - 1];
	cell->top[k] = value;
}

/* The sums of the present respondent in each cell, and which these are. */
typedef struct Own
{
	double *sum;
	bool *has;
	int32_t *cell;
	int32_t cells;
} Own;

static bool
hand_in(Own *own, int32_t respondent, uint64_t key, SdcCubeCell *cell)
{
	bool fits = true;
	int32_t k;

	for (k = 0; k < own->cells; k++)
	{
		int32_t c = own->cell[k];

		contribute(&cell[c], own->sum[c], respondent, key);
		fits = fits && cell[c].sum <= SDC_TABULAR_LARGEST;
		own->sum[c] = 0;
		own->has[c] = false;
	}
	own->cells = 0;
	return fits;
}

/* Arrays for the cells of one respondent, all empty. */
static Own
start_own(SdcHost *host, size_t cells)
{
	Own own;

	own.sum = sdc_new(host, double, cells + 1);
	own.has = sdc_new(host, bool, cells + 1);
	own.cell = sdc_new(host, int32_t, cells + 1);
	own.cells = 0;
	memset(own.sum, 0, cells * sizeof(double));
	memset(own.has, 0, cells * sizeof(bool));
	return own;
}

/* Cells without a record. */
static void
empty_cells(SdcCubeCell *cell, size_t cells)
{
	size_t i;

	memset(cell, 0, cells * sizeof(SdcCubeCell));
	for (i = 0; i < cells; i++)
		cell[i].holder = cell[i].leader = cell[i].second = SDC_NO_HOLDER;
}

/* Records, and what they are counted in. */
typedef struct Records
{
	const SdcCubeDimension *dimension;
	int dimensions;
	int32_t n;
	const int32_t *const *code;
	const double *value;
	const int32_t *respondent;
	const uint64_t *key;
	/* NULL: cells; or equations of the table, by their hidden parts */
	const SdcTabular *table;
	const bool *hidden;
} Records;

static void
add_own(Own *own, int32_t c, double value)
{
	if (!own->has[c])
		own->cell[own->cells++] = c;
	own->has[c] = true;
	own->sum[c] += value;
}

/* Adds what a record contributes to the equations that a cell is part of. */
static void
add_to_unions(const Records *records, int32_t c, double value, Own *own)
{
	const SdcTabular *table = records->table;
	int64_t e;

	if (!records->hidden[c])
		return;
	for (e = table->cell_start[c]; e < table->cell_start[c + 1]; e++)
	{
		int32_t r = table->of_cell[e];
		int32_t total = table->member[table->start[r]];

		if (total != c && !records->hidden[total])
			add_own(own, r, value);
	}
}

/* Fills the cells, or unions, so many; false when a sum is too large. */
static bool
count_records(SdcHost *host, const Records *records, size_t targets,
			  SdcCubeCell *cell)
{
	size_t cells =
		(size_t) sdc_cube_cells(records->dimension, records->dimensions);
	const int32_t *respondent = records->respondent;
	int32_t stride[SDC_CUBE_MAX_DIMENSIONS];
	Above above[SDC_CUBE_MAX_DIMENSIONS];
	Own own = start_own(host, targets);
	int32_t *list = sdc_new(host, int32_t, cells + 1);
	bool fits = true;
	int32_t i;
	int d;

	find_strides(records->dimension, records->dimensions, stride);
	for (d = 0; d < records->dimensions; d++)
		above[d] = find_above(host, &records->dimension[d]);
	empty_cells(cell, targets);
	for (i = 0; i < records->n && fits; i++)
	{
		int32_t count = find_cells(above, records->dimensions, stride,
								   records->code, i, list);
		int32_t k;

		if (i % 1024 == 0)
			host->poll(host, (uint64_t) i, (uint64_t) records->n);
		for (k = 0; k < count; k++)
			if (records->table == NULL)
				add_own(&own, list[k], records->value[i]);
			else
				add_to_unions(records, list[k], records->value[i], &own);
		if (i + 1 == records->n || respondent[i + 1] != respondent[i])
			fits = hand_in(
				&own, respondent[i],
				records->key == NULL ? 0 : records->key[respondent[i]], cell);
	}
	for (d = 0; d < records->dimensions; d++)
	{
		host->release(host, above[d].start);
		host->release(host, above[d].code);
	}
	host->release(host, own.sum);
	host->release(host, own.has);
	host->release(host, own.cell);
	host->release(host, list);
	return fits;
}

bool
sdc_cube_fill(SdcHost *host, const SdcCubeDimension *dimension, int dimensions,
			  int32_t n, const int32_t *const *code, const double *value,
			  const int32_t *respondent, const uint64_t *key,
			  SdcCubeCell *cell)
{
	Records records = {dimension,  dimensions, n,    code, value,
					   respondent, key,        NULL, NULL};

	return count_records(host, &records,
						 (size_t) sdc_cube_cells(dimension, dimensions), cell);
}

void
sdc_cube_unite(SdcHost *host, const SdcCubeDimension *dimension,
			   int dimensions, int32_t n, const int32_t *const *code,
			   const double *value, const int32_t *respondent,
			   const SdcTabular *table, const bool *hidden,
			   SdcCubeCell *of_equation)
{
	Records records = {dimension,  dimensions, n,     code,  value,
					   respondent, NULL,       table, hidden};

	/* parts of a total that fits, so they fit */
	(void) count_records(host, &records, (size_t) table->equations,
						 of_equation);
}
