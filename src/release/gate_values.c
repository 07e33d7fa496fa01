/*
 * gate_values.c
 *		What the values of tables of cells are besides, where several are
 *		attacked together: cells of other sums, and of other records.
 *
 * A column of 0 and 1 counts the records where it is 1.  Sums of a column that
 * is the same in all records, or in all of the same values of some keys, are
 * counts; where the ratio of two columns is so, the sums of one are those of
 * the other; and what is so much of each of other columns is a sum of so many
 * times these.  Tables of other relations are sums over the units that their
 * records have in common (gate_related.c).
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "release/gate_joint.h"

/* Keys by which the ratio of two sums may differ. */
#define MOST_RATIO_KEYS 8

/* The place of a name in a list, to which it is added. */
static int
place_name(List **names, char *name)
{
	ListCell *item;
	int i = 0;

	foreach (item, *names)
	{
		if (strcmp(lfirst(item), name) == 0)
			return i;
		i++;
	}
	*names = lappend(*names, name);
	return i;
}

/* The columns of labels, and what they are parts of, of cells (c). */
static char *
made_columns(const SdcBeside *beside)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	for (j = 0; j < list_length(beside->keys); j++)
		appendStringInfo(&list, "c.k%d, c.p%d, ", j, j);
	return list.data;
}

/* ----------------------------------------------------------------------
 * Cells of other relations
 * ----------------------------------------------------------------------
 */

/* Adds what tables of a relation have to what is joined of it. */
static void
add_to_side(const SdcJoint *joint, SdcRelatedSide *side)
{
	ListCell *item;
	ListCell *key;

	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);

		if (cells->copy || cells->beside->original->oid != side->relation->oid)
			continue;
		foreach (key, cells->columns)
			(void) place_name(&side->keys, lfirst(key));
		if (cells->beside->value != NULL)
			(void) place_name(&side->values, cells->beside->value);
	}
}

/* The same cells as sums over units. */
static SdcJointCells *
copy_cells(const SdcJointCells *cells, SdcRelatedSide *side, int s,
		   const char *made)
{
	SdcJointCells *copy = palloc(sizeof(SdcJointCells));
	ListCell *key;

	*copy = *cells;
	copy->copy = copy->extra = true;
	copy->records = made;
	copy->columns = NIL;
	foreach (key, cells->columns)
	{
		int place = place_name(&side->keys, lfirst(key));

		copy->columns = lappend(
			copy->columns,
			side->constant[place] ? psprintf("k%d_%d", s, place) : NULL);
		if (side->decides[place])
			copy->always |= 1U << (list_length(copy->columns) - 1);
	}
	copy->value =
		cells->value == NULL
			? psprintf("n%d", s)
			: psprintf("v%d_%d", s,
					   place_name(&side->values, cells->beside->value));
	copy->sum = psprintf("CAST(r.%s AS numeric)", copy->value);
	return copy;
}

/* Adds the cells of both sides as sums over units. */
static void
copy_all(SdcJoint *joint, SdcRelatedSide *side, int count, const char *made)
{
	int i;
	int s;

	for (i = 0; i < count; i++)
	{
		const SdcJointCells *cells = list_nth(joint->cells, i);

		for (s = 0; s < 2; s++)
			if (!cells->copy &&
				cells->beside->original->oid == side[s].relation->oid)
				joint->cells = lappend(joint->cells,
									   copy_cells(cells, &side[s], s, made));
	}
}

/* Does any key of a side say which units the other one has? */
static bool
is_decided(const SdcRelatedSide *side)
{
	int i;

	for (i = 0; i < list_length(side->keys); i++)
		if (side->decides[i])
			return true;
	return false;
}

/* Of copies from one place on, those of a relation are at a label of a key. */
static void
put_at_label(SdcJoint *joint, int from, const SdcRelatedSide *side, int key,
			 const char *label)
{
	int i;
	int j;

	for (i = from; i < list_length(joint->cells); i++)
	{
		SdcJointCells *copy = list_nth(joint->cells, i);

		if (copy->beside->original->oid != side->relation->oid)
			continue;
		for (j = 0; j < list_length(copy->columns); j++)
			if (strcmp(list_nth(copy->beside->keys, j),
					   list_nth(side->keys, key)) == 0)
			{
				list_nth_cell(copy->columns, j)->ptr_value = NULL;
				copy->at_key = j;
				copy->at_label = label;
			}
	}
}

/*
 * Where units are under several labels of a key, as sales in several windows
 * of 12 months, those of each label are compared by themselves.
 */
static void
join_labels(SdcJoint *joint, const SdcRelatedSide *side, int count, int s,
			int key)
{
	ListCell *item;

	foreach (item, sdcpg_related_labels(&side[s], key))
	{
		SdcRelatedSide of[2] = {side[0], side[1]};
		int from = list_length(joint->cells);
		const char *made;

		of[s].only =
			psprintf("%s = %s", sdcpg_beside_text(list_nth(side[s].keys, key)),
					 quote_literal_cstr(lfirst(item)));
		made = sdcpg_related_join(joint->first, of);
		if (!is_decided(&of[1 - s]))
			return;
		copy_all(joint, of, count, made);
		put_at_label(joint, from, &of[s], key, lfirst(item));
	}
}

/* Tables of another relation become comparable with those of the first one. */
static void
join_relation(SdcJoint *joint, const SdcBeside *other)
{
	const char *respondent[2] = {
		sdcpg_beside_respondent(joint->first->protect),
		sdcpg_beside_respondent(other->protect)};
	int ways = 1;
	int number;

	for (number = 0; number < ways; number++)
	{
		SdcRelatedSide side[2] = {{joint->first->original}, {other->original}};
		int count = list_length(joint->cells);
		const char *made;
		int i;
		int s;

		ways = sdcpg_related_by(side, respondent, number);
		if (number >= ways)
			return;
		for (s = 0; s < 2; s++)
			add_to_side(joint, &side[s]);
		made = sdcpg_related_join(joint->first, side);
		copy_all(joint, side, count, made);
		for (s = 0; s < 2; s++)
			for (i = 0; i < list_length(side[s].keys); i++)
				if (!side[s].constant[i])
					join_labels(joint, side, count, s, i);
	}
}

/* All relations are joined with the first one, each once. */
static void
join_relations(SdcJoint *joint)
{
	List *joined = list_make1_oid(joint->first->original->oid);
	int count = list_length(joint->cells);
	int i;

	for (i = 0; i < count; i++)
	{
		const SdcJointCells *cells = list_nth(joint->cells, i);
		Oid oid = cells->beside->original->oid;

		if (list_member_oid(joined, oid))
			continue;
		joined = lappend_oid(joined, oid);
		join_relation(joint, cells->beside);
	}
}

/* ----------------------------------------------------------------------
 * Cells of parts of a relation
 * ----------------------------------------------------------------------
 */

/* The same cells as sums over some records of what they are a part of. */
static SdcJointCells *
copy_within(const SdcJointCells *cells, const SdcRelation *whole)
{
	SdcJointCells *copy = palloc(sizeof(SdcJointCells));
	ListCell *key;

	*copy = *cells;
	copy->copy = copy->extra = copy->within = true;
	copy->records = whole->sql;
	copy->only = sdcpg_related_records(cells->beside->original->oid);
	copy->columns = NIL;
	foreach (key, cells->columns)
		copy->columns = lappend(
			copy->columns,
			get_attnum(whole->oid, lfirst(key)) > 0 ? lfirst(key) : NULL);
	return copy;
}

/*
 * Finds the keys of other tables of the same records that say which of them
 * are those of a part, as the region of a partition by region does.
 */
static void
find_by(const SdcJoint *joint, SdcJointCells *copy)
{
	List *keys = NIL;
	ListCell *item;
	ListCell *key;

	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);

		if (cells->within || strcmp(cells->records, copy->records) != 0)
			continue;
		foreach (key, cells->columns)
			if (lfirst(key) != NULL)
				(void) place_name(&keys, lfirst(key));
	}
	copy->by = sdcpg_related_deciding(copy->records, keys, copy->only);
}

/*
 * The first tables that are of a partition become comparable with those of
 * what it is a partition of.
 */
static void
join_parts(SdcJoint *joint, int count)
{
	int i;
	int k;

	for (i = 0; i < count; i++)
	{
		const SdcJointCells *cells = list_nth(joint->cells, i);
		List *joined = NIL;

		for (k = 0; k < count; k++)
		{
			const SdcJointCells *other = list_nth(joint->cells, k);
			const SdcRelation *whole = other->beside->original;
			SdcJointCells *copy;

			if (list_member_oid(joined, whole->oid) ||
				!sdcpg_related_within(cells->beside->original->oid,
									  whole->oid))
				continue;
			joined = lappend_oid(joined, whole->oid);
			copy = copy_within(cells, whole);
			find_by(joint, copy);
			joint->cells = lappend(joint->cells, copy);
		}
	}
}

/* ----------------------------------------------------------------------
 * What else their values are
 * ----------------------------------------------------------------------
 */

/* Sums of 0 and 1 count the records that have 1. */
static void
add_counted(SdcJoint *joint, const SdcJointCells *cells)
{
	const char *column = quote_identifier(cells->value);
	SdcJointCells *counted;

	if (!sdcpg_joint_asks(
			psprintf("SELECT bool_and(r.%s IN (0, 1)) FROM %s AS r", column,
					 cells->records)))
		return;
	counted = palloc(sizeof(SdcJointCells));
	*counted = *cells;
	counted->by = list_make1(unconstify(char *, cells->value));
	counted->value = NULL;
	counted->sum = "1";
	counted->only = psprintf("COALESCE(r.%s = 1, false)", column);
	joint->cells = lappend(joint->cells, counted);
}

/* Some keys of a table as one text of a record (r). */
static char *
text_of_keys(const SdcJointCells *cells, uint32 keys)
{
	StringInfoData list;
	int j;

	initStringInfo(&list);
	appendStringInfoString(&list, "ARRAY['all'");
	for (j = 0; j < list_length(cells->columns); j++)
		if ((keys & (1U << j)) != 0)
			appendStringInfo(&list, ", %s",
							 sdcpg_beside_text(list_nth(cells->columns, j)));
	appendStringInfoChar(&list, ']');
	return list.data;
}

/* The same of its cells (c), of those that have a value of each. */
static char *
cells_of_keys(const SdcBeside *beside, uint32 keys)
{
	StringInfoData list;
	StringInfoData not_total;
	int j;

	initStringInfo(&list);
	initStringInfo(&not_total);
	appendStringInfoString(&list, "w.value = ARRAY['all'");
	for (j = 0; j < list_length(beside->keys); j++)
		if ((keys & (1U << j)) != 0)
		{
			appendStringInfo(&list, ", c.k%d", j);
			appendStringInfo(&not_total, " AND c.p%d IS NOT NULL", j);
		}
	appendStringInfo(&list, "]%s", not_total.data);
	return list.data;
}

/*
 * What a record has of one sum for each unit of another one, by some keys of
 * the table; as SQL: value, ratio (NULL where it tells nothing), same, n.  By
 * Cauchy and Schwarz it is the same in all records of a group when the square
 * of the sum of products is the product of the sums of squares.
 */
static char *
ratios_of(const SdcJointCells *cells, const char *sum, uint32 keys)
{
	return psprintf(
		"(SELECT r.value, CASE WHEN sum(r.x) <> 0 THEN"
		" NULLIF(sum(r.y) / sum(r.x), 0) END AS ratio,"
		" sum(r.x * r.x) * sum(r.y * r.y) - sum(r.x * r.y) * sum(r.x * r.y)"
		" <= 1e-18 * sum(r.x * r.x) * sum(r.y * r.y) AS same, count(*) AS n"
		" FROM (SELECT %s AS value, CAST(%s AS numeric) AS x, %s AS y"
		" FROM %s AS r) AS r GROUP BY 1)",
		text_of_keys(cells, keys), sum, cells->sum, cells->records);
}

/*
 * The cells of a table as those of another sum, where of all records that have
 * the same values of some keys (none: of all that there are) the ratio of both
 * is the same, and it is known, as such values have several records.
 */
static bool
add_weighed(SdcJoint *joint, const SdcJointCells *cells,
			const SdcJointCells *base, uint32 keys)
{
	const char *sum = base == NULL ? "1" : base->sum;
	const char *ratios = ratios_of(cells, sum, keys);
	SdcJointCells *weighed;
	int digits;

	if (!sdcpg_joint_asks(
			psprintf("SELECT bool_and(w.same) AND 3 * count(w.ratio) <="
					 " sum(w.n) FILTER (WHERE w.ratio IS NOT NULL)"
					 " FROM %s AS w",
					 ratios)))
		return false;
	digits = base == NULL ? 0 : base->beside->digits;
	weighed = palloc(sizeof(SdcJointCells));
	*weighed = *cells;
	weighed->copy = false;
	weighed->value = base == NULL ? NULL : base->value;
	weighed->sum = sum;
	weighed->made = sdcpg_beside_table(joint->first);
	(void) sdcpg_beside_run(psprintf(
		"CREATE UNLOGGED TABLE %s AS SELECT '%sw%d.' || c.cell AS cell, %s"
		"c.part, round(c.truth / w.ratio, %d) AS truth,"
		" round(c.shown / w.ratio, %d) AS shown,"
		" c.hidden, c.cell AS origin, w.ratio AS scale FROM %s AS c"
		" JOIN %s AS w ON w.ratio IS NOT NULL AND %s",
		weighed->made, cells->extra ? SDC_JOINT_EXTRA : "",
		list_length(joint->cells), made_columns(cells->beside), digits, digits,
		cells->made, ratios, cells_of_keys(cells->beside, keys)));
	sdcpg_joint_put(joint, weighed);
	return true;
}

/* The next larger number that has as many bits. */
static uint32
next_of_size(uint32 set)
{
	uint32 low = set & (~set + 1);
	uint32 up = set + low;

	return up | (((set ^ up) / low) >> 2);
}

/* The keys of a table that its records have, of the first ones. */
static uint32
keys_of_records(const SdcJointCells *cells)
{
	uint32 keys = 0;
	int j;

	for (j = 0; j < Min(list_length(cells->columns), MOST_RATIO_KEYS); j++)
		if (list_nth(cells->columns, j) != NULL)
			keys |= 1U << j;
	return keys;
}

/* How two sums go together. */
typedef enum Ratio
{
	RATIO_NONE,
	RATIO_BY_KEYS,
	RATIO_OF_ALL
} Ratio;

/*
 * The same by as few keys as that takes; by all of them it must be, too, which
 * is asked first.
 */
static Ratio
add_ratio(SdcJoint *joint, const SdcJointCells *cells,
		  const SdcJointCells *base)
{
	uint32 all = keys_of_records(cells);
	int count = pg_popcount32(all);
	List *found = NIL;
	int size;
	uint32 keys;

	if (!sdcpg_joint_asks(
			psprintf("SELECT bool_and(w.same) FROM %s AS w",
					 ratios_of(cells, base == NULL ? "1" : base->sum, all))))
		return RATIO_NONE;
	if (add_weighed(joint, cells, base, 0))
		return RATIO_OF_ALL;
	for (size = 1; size <= count; size++)
		for (keys = (1U << size) - 1; keys <= all; keys = next_of_size(keys))
		{
			ListCell *item;
			bool more = (keys & ~all) != 0;

			foreach (item, found)
				more = more || ((uint32) lfirst_int(item) & ~keys) == 0;
			if (!more && add_weighed(joint, cells, base, keys))
				found = lappend_int(found, (int) keys);
		}
	return found == NIL ? RATIO_NONE : RATIO_BY_KEYS;
}

/* The first table of the sum of a table. */
static int
first_of_sum(const SdcJoint *joint, int i)
{
	const SdcJointCells *cells = list_nth(joint->cells, i);
	int first = 0;

	while (!sdcpg_joint_same_sum(list_nth(joint->cells, first), cells))
		first++;
	return first;
}

/*
 * Sums of a table as those of tables before it, and the other way round where
 * it has not the keys that this takes.  What is the same for all is so for
 * what is compared with that.
 */
static void
add_ratios(SdcJoint *joint, int i)
{
	const SdcJointCells *cells = list_nth(joint->cells, i);
	Ratio ratio = add_ratio(joint, cells, NULL);
	int first = first_of_sum(joint, i);
	int other;

	for (other = 0; other < i && ratio != RATIO_OF_ALL; other++)
	{
		const SdcJointCells *base = list_nth(joint->cells, other);

		if (base->value == NULL || other == first ||
			strcmp(base->records, cells->records) != 0 ||
			first_of_sum(joint, other) < other)
			continue;
		ratio = add_ratio(joint, cells, base);
		if (ratio == RATIO_NONE)
			(void) add_ratio(joint, base, cells);
	}
}

/* Adds the cells of a sum, so many times each. */
static void
add_times(SdcJoint *joint, const char *records, const char *sum, int factor)
{
	int count = list_length(joint->cells);
	int i;

	for (i = 0; i < count; i++)
	{
		const SdcJointCells *cells = list_nth(joint->cells, i);
		SdcJointCells *times;

		if (strcmp(cells->records, records) != 0 || cells->only != NULL ||
			strcmp(cells->sum, sum) != 0)
			continue;
		times = palloc(sizeof(SdcJointCells));
		*times = *cells;
		times->copy = false;
		times->extra = true;
		times->sum = psprintf("%d * %s", factor, sum);
		times->made = sdcpg_beside_table(joint->first);
		(void) sdcpg_beside_run(psprintf(
			"CREATE UNLOGGED TABLE %s AS SELECT '" SDC_JOINT_EXTRA "t%d.'"
			" || c.cell AS cell, %s"
			"c.part, %d * c.truth AS truth, %d * c.shown AS shown, c.hidden,"
			" c.cell AS origin, c.scale / %d AS scale FROM %s AS c",
			times->made, list_length(joint->cells),
			made_columns(cells->beside), factor, factor, factor, cells->made));
		sdcpg_joint_put(joint, times);
	}
}

/* Sums that are made of others, so much of each, are compared as that. */
static void
add_made(SdcJoint *joint, const char *records)
{
	List *sums = NIL;
	List *added = NIL;
	ListCell *item;
	int i;

	foreach (item, joint->cells)
	{
		const SdcJointCells *cells = lfirst(item);

		if (strcmp(cells->records, records) == 0 && cells->only == NULL)
			(void) place_name(&sums, unconstify(char *, cells->sum));
	}
	foreach (item, sdcpg_related_sums(records, sums))
	{
		const SdcRelatedSums *of = lfirst(item);

		for (i = 0; i < of->count; i++)
		{
			const char *sum = list_nth(sums, of->sum[i]);
			char *times = psprintf("%d * %s", of->factor[i], sum);

			if (of->factor[i] == 1 || sdcpg_params_is_listed(added, times))
				continue;
			added = lappend(added, times);
			add_times(joint, records, sum, of->factor[i]);
		}
	}
}

/* What the values of tables are besides: counts, and other sums. */
static void
add_others(SdcJoint *joint)
{
	List *records = NIL;
	int count = list_length(joint->cells);
	int i;

	for (i = 0; i < count; i++)
	{
		const SdcJointCells *cells = list_nth(joint->cells, i);

		if (cells->value == NULL)
			continue;
		add_counted(joint, cells);
		add_ratios(joint, i);
		(void) place_name(&records, unconstify(char *, cells->records));
	}
	for (i = 0; i < list_length(records); i++)
		add_made(joint, list_nth(records, i));
}

void
sdcpg_joint_others(SdcJoint *joint)
{
	int count = list_length(joint->cells);

	join_relations(joint);
	add_others(joint);
	join_parts(joint, count);
}
