/*
 * alternatives.c
 *		The attack minimality on methods that lose as little as they can: what
 *		they passed over for the release.
 *
 * The original is counted as for a search; which class of the release each
 * record is in is read from the masked relation.  Then the alternatives are
 * listed: better nodes of the lattice, splits of classes that were not made,
 * values that were suppressed though they need not have been.  What the kernel
 * makes of them are the beliefs.
 *
 * Better nodes all fail, which the search has proven.  Other methods may stop
 * earlier: alternatives that satisfy the models as the values are cannot be
 * ones that an intruder may rely on, and are left out and counted.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/dictionary.h"
#include "host/data/frequency.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/base/sort.h"
#include "kernel/generalization/alternatives.h"
#include "kernel/generalization/suppress_models.h"
#include "kernel/risk/class_measures.h"
#include "topic/attack/attack_rows.h"
#include "topic/generalization/generalization.h"
#include "topic/registry/roles.h"

/* Nodes of a lattice that are all looked at, at the most. */
#define MOST_NODES 1000000

/* Values looked at in draws, about: some seconds. */
#define WORK 3e8

/* Units of a class that is split unit by unit; recode_locally does no more. */
#define MOST_SPLIT 512

static const char *const params_keys[] = {SDC_GENERALIZATION_PARAMS, NULL};

typedef struct Search
{
	ReturnSetInfo *result;
	SdcPgHost *host;
	SdcMinimalityVariant variant;
	const SdcRelation *masked;
	SdcRelationColumn id;
	SdcGeneralization *problem;
	SdcClasses *tuples;     /* of the keys of the original */
	SdcFrequencyTable *of;  /* of the original; its rows are the records */
	SdcFrequencyTable copy; /* of the keys of the masked relation */
	int32 records;
	int32 *class_of;      /* of each record: its class in the release */
	int32 *tuple_of;      /* of each record: its class in the original */
	int32 *value_of;      /* of each record: its cell in values */
	SdcFrequency *values; /* of the sensitive columns */
	SdcUnion *joined;     /* to judge groups */
	/* units, see the kernel */
	SdcAlternatives kernel;
	int32 *order;        /* records by unit, then by id */
	int32 *unit_of;      /* of each record */
	int32 *tuple;        /* of each unit */
	int32 *first;        /* unit of each class; one more */
	int32 *first_record; /* of each unit, in order */
	int32 room;          /* of the lists of groups and alternatives */
	int64 passing;       /* alternatives that the table satisfies */
} Search;

/* ----------------------------------------------------------------------
 * Both relations are read, and joined by the id.
 * ----------------------------------------------------------------------
 */

static int
compare_ids(int32_t a, int32_t b, void *arg)
{
	char *const *id = arg;

	return strcmp(id[a], id[b]);
}

/* The rows of a table by their id; stops where that tells none apart. */
static int32 *
sort_ids(const Search *search, const SdcRelation *relation,
		 const SdcFrequencyTable *table)
{
	int32 *order = sdc_new(&search->host->kernel, int32, table->rows);
	int32 i;

	for (i = 0; i < table->rows; i++)
	{
		if (table->id[i] == NULL)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("column \"%s\" of relation \"%s\" contains "
								   "NULL",
								   search->id.name, relation->name)));
		order[i] = i;
	}
	sdc_sort_rows(&search->host->kernel, order, table->rows, compare_ids,
				  table->id);
	for (i = 1; i < table->rows; i++)
		if (strcmp(table->id[order[i - 1]], table->id[order[i]]) == 0)
			ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
							errmsg("column \"%s\" of relation \"%s\" is not "
								   "unique",
								   search->id.name, relation->name)));
	return order;
}

/* The cell of the masked relation that each record is in. */
static void
join_copy(Search *search)
{
	SdcHost *host = &search->host->kernel;
	const SdcFrequencyTable *of = search->of;
	const SdcFrequencyTable *copy = &search->copy;
	int32 *order = sort_ids(search, search->problem->relation, of);
	int32 *other = sort_ids(search, search->masked, copy);
	int32 i;

	for (i = 0; i < of->rows && i < copy->rows; i++)
		if (strcmp(of->id[order[i]], copy->id[other[i]]) != 0)
			break;
	if (i < of->rows || i < copy->rows)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" does not have the records of \"%s\"",
						search->masked->name, search->problem->relation->name),
				 errdetail("The attack needs each record of the original in "
						   "the release, by column \"%s\".",
						   search->id.name)));
	search->records = of->rows;
	search->class_of = sdc_new(host, int32, of->rows);
	for (i = 0; i < of->rows; i++)
		search->class_of[order[i]] = copy->cell[other[i]];
	host->release(host, order);
	host->release(host, other);
}

static void
load_copy(Search *search)
{
	SdcFrequencyRequest request = {0};
	SdcRelationColumn id =
		sdcpg_relation_column(search->masked, search->id.name);
	int j;

	request.relation = search->masked;
	request.id = &id;
	for (j = 0; j < search->problem->keys; j++)
		sdcpg_frequency_want_one(
			&request,
			sdcpg_relation_column(search->masked,
								  search->problem->key[j].column.name));
	sdcpg_frequency_load(search->host, &request, 1, &search->copy);
	join_copy(search);
}

/* The class of the keys, and the sensitive values, of each record. */
static void
read_records(Search *search)
{
	SdcHost *host = &search->host->kernel;
	const SdcFrequency *frequency = search->problem->frequency;
	int keys = search->problem->keys;
	int sensitive = search->problem->sensitive.count;
	int *column = sdc_new(host, int, sensitive);
	int32 *tuple = sdc_new(host, int32, frequency->cells);
	int32 *place;
	int32 c;
	int32 i;

	for (i = 0; i < sensitive; i++)
		column[i] = keys + i;
	search->values =
		sdc_frequency_project(host, frequency, column, sensitive, &place);
	search->tuples = sdc_frequency_classes(host, frequency, keys);
	for (c = 0; c < search->tuples->classes; c++)
		for (i = search->tuples->first[c]; i < search->tuples->first[c + 1];
			 i++)
			tuple[i] = c;
	search->tuple_of = sdc_new(host, int32, search->records);
	search->value_of = sdc_new(host, int32, search->records);
	for (i = 0; i < search->records; i++)
	{
		search->tuple_of[i] = tuple[search->of->cell[i]];
		search->value_of[i] = place[search->of->cell[i]];
	}
	host->release(host, column);
	host->release(host, tuple);
	host->release(host, place);
}

static int
compare_records(int32_t a, int32_t b, void *arg)
{
	const Search *search = arg;

	if (search->class_of[a] != search->class_of[b])
		return search->class_of[a] < search->class_of[b] ? -1 : 1;
	if (search->tuple_of[a] != search->tuple_of[b])
		return search->tuple_of[a] < search->tuple_of[b] ? -1 : 1;
	return strcmp(search->of->id[a], search->of->id[b]);
}

static int
compare_values(int32_t a, int32_t b, void *arg)
{
	return a < b ? -1 : a > b;
}

/* The values of each class, ascending. */
static void
list_values(Search *search)
{
	SdcHost *host = &search->host->kernel;
	SdcLists *values = &search->kernel.values;
	int32 i;

	values->lists = search->kernel.classes;
	values->first = sdc_new(host, int32, values->lists + 1);
	values->item = sdc_new(host, int32, search->records);
	for (i = 0; i < search->records; i++)
	{
		int32 record = search->order[i];
		int32 class = search->class_of[record];

		values->item[i] = search->value_of[record];
		if (i == 0 || class != search->class_of[search->order[i - 1]])
			values->first[class] = i;
	}
	values->first[values->lists] = search->records;
	for (i = 0; i < values->lists; i++)
		sdc_sort_rows(host, values->item + values->first[i],
					  values->first[i + 1] - values->first[i], compare_values,
					  NULL);
}

/* Records of one class and equal keys become a unit. */
static void
make_units(Search *search)
{
	SdcHost *host = &search->host->kernel;
	SdcAlternatives *kernel = &search->kernel;
	int32 *size = sdc_new(host, int32, search->records);
	int32 *class_of = sdc_new(host, int32, search->records);
	int32 i;

	for (i = 0; i < search->records; i++)
	{
		int32 record = search->order[i];
		int32 class = search->class_of[record];
		int32 unit = kernel->units - 1;

		if (unit < 0 || class_of[unit] != class ||
			search->tuple[unit] != search->tuple_of[record])
		{
			unit = kernel->units++;
			if (unit == 0 || class_of[unit - 1] != class)
				search->first[class] = unit;
			size[unit] = 0;
			class_of[unit] = class;
			search->tuple[unit] = search->tuple_of[record];
			search->first_record[unit] = i;
		}
		size[unit]++;
		search->unit_of[record] = unit;
	}
	search->first[kernel->classes] = kernel->units;
	kernel->size = size;
	kernel->class_of = class_of;
}

static void
sort_records(Search *search)
{
	SdcHost *host = &search->host->kernel;
	int32 i;

	search->order = sdc_new(host, int32, search->records);
	search->unit_of = sdc_new(host, int32, search->records);
	search->tuple = sdc_new(host, int32, search->records);
	search->first_record = sdc_new(host, int32, search->records);
	search->kernel.classes = search->copy.frequency->cells;
	search->kernel.kinds = search->values->cells;
	search->first = sdc_new(host, int32, search->kernel.classes + 1);
	for (i = 0; i < search->records; i++)
		search->order[i] = i;
	sdc_sort_rows(host, search->order, search->records, compare_records,
				  search);
	make_units(search);
	list_values(search);
}

/* ----------------------------------------------------------------------
 * Groups, and whether they pass.
 * ----------------------------------------------------------------------
 */

static bool
passes(void *argument, const int32_t *value, int32_t records)
{
	const Search *search = argument;
	int32 i;

	sdc_union_clear(search->joined);
	for (i = 0; i < records; i++)
		sdc_union_add_records(search->joined, value[i], 1);
	return sdc_union_passes(search->joined, search->problem->k);
}

static void
prepare_judge(Search *search)
{
	SdcHost *host = &search->host->kernel;
	int sensitive = search->problem->sensitive.count;
	SdcClassRequest *request = sdc_new(host, SdcClassRequest, sensitive);
	int s;

	for (s = 0; s < sensitive; s++)
		request[s] = search->problem->model[s].request;
	search->joined = sdc_union_new(
		host, search->values,
		sdc_frequency_classes(host, search->values, sensitive), 0, request);
	search->kernel.passes = passes;
	search->kernel.argument = search;
	search->kernel.work = WORK;
}

/* Room for one more alternative of so many units. */
static void
grow_lists(Search *search, int32 units)
{
	SdcHost *host = &search->host->kernel;
	SdcLists *group = &search->kernel.group;
	SdcLists *alternative = &search->kernel.alternative;
	bool fresh = search->room == 0;
	int64 items = fresh ? 0 : group->first[group->lists];
	int32 room = Max(search->room, 1024);

	if (items + units > PG_INT32_MAX / 4)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many alternatives to look at")));
	while (room < items + units)
		room *= 2;
	if (room == search->room)
		return;
	/* no list is empty, so there are no more lists than items */
	group->item = sdc_grow(host, group->item, items, room, sizeof(int32));
	group->first = sdc_grow(host, group->first, fresh ? 0 : group->lists + 1,
							room + 1, sizeof(int32));
	alternative->item =
		sdc_grow(host, alternative->item, group->lists, room, sizeof(int32));
	alternative->first =
		sdc_grow(host, alternative->first, fresh ? 0 : alternative->lists + 1,
				 room + 1, sizeof(int32));
	if (fresh)
		group->first[0] = alternative->first[0] = 0;
	search->room = room;
}

/* Do all groups from this one on pass as the values are? */
static bool
truly_pass(Search *search, int32 first_group)
{
	const SdcLists *group = &search->kernel.group;
	int32 g;
	int32 i;
	int32 r;

	for (g = first_group; g < group->lists; g++)
	{
		sdc_union_clear(search->joined);
		for (i = group->first[g]; i < group->first[g + 1]; i++)
		{
			int32 unit = group->item[i];
			const int32 *record = search->order + search->first_record[unit];

			for (r = 0; r < search->kernel.size[unit]; r++)
				sdc_union_add_records(search->joined,
									  search->value_of[record[r]], 1);
		}
		if (!sdc_union_passes(search->joined, search->problem->k))
			return false;
	}
	return true;
}

/* An alternative that is being made. */
typedef struct Draft
{
	int32 count;
	int32 *unit;
	int32 *group_of; /* of each of them: 0 .. groups - 1 */
	int32 groups;
} Draft;

static Draft
draft_new(Search *search, int32 room)
{
	Draft draft = {0};

	draft.unit = sdc_new(&search->host->kernel, int32, room);
	draft.group_of = sdc_new(&search->host->kernel, int32, room);
	return draft;
}

static void
draft_release(Search *search, Draft *draft)
{
	search->host->kernel.release(&search->host->kernel, draft->unit);
	search->host->kernel.release(&search->host->kernel, draft->group_of);
}

static void
draft_add(Draft *draft, int32 unit, int32 group)
{
	draft->unit[draft->count] = unit;
	draft->group_of[draft->count++] = group;
	draft->groups = Max(draft->groups, group + 1);
}

/* Writes the groups of a draft behind the lists; end has room for them. */
static void
list_groups(Search *search, const Draft *draft, int32 *end)
{
	SdcLists *group = &search->kernel.group;
	int32 base = group->first[group->lists];
	int32 i;

	memset(end, 0, sizeof(int32) * (draft->groups + 1));
	for (i = 0; i < draft->count; i++)
		end[draft->group_of[i] + 1]++;
	for (i = 0; i < draft->groups; i++)
	{
		end[i + 1] += end[i];
		group->first[group->lists + i + 1] = base + end[i + 1];
		search->kernel.alternative.item[group->lists + i] = group->lists + i;
	}
	for (i = 0; i < draft->count; i++)
		group->item[base + end[draft->group_of[i]]++] = draft->unit[i];
	group->lists += draft->groups;
}

/* Has each group of a draft enough records for k? */
static bool
has_records(Search *search, const Draft *draft)
{
	int64 *size = sdc_new(&search->host->kernel, int64, draft->groups);
	bool enough = true;
	int32 i;

	memset(size, 0, sizeof(int64) * draft->groups);
	for (i = 0; i < draft->count; i++)
		size[draft->group_of[i]] += search->kernel.size[draft->unit[i]];
	for (i = 0; i < draft->groups; i++)
		enough = enough && size[i] >= search->problem->k;
	search->host->kernel.release(&search->host->kernel, size);
	return enough;
}

/*
 * Adds an alternative.  One with too few records in a group fails whoever has
 * which value, and is not added; nor is one that passes as the values are.
 */
static void
add_alternative(Search *search, const Draft *draft)
{
	SdcHost *host = &search->host->kernel;
	SdcLists *group = &search->kernel.group;
	SdcLists *alternative = &search->kernel.alternative;
	int32 first_group = group->lists;
	int32 *end;

	if (draft->count == 0 || !has_records(search, draft))
		return;
	grow_lists(search, draft->count);
	end = sdc_new(host, int32, draft->groups + 1);
	list_groups(search, draft, end);
	host->release(host, end);
	if (truly_pass(search, first_group))
	{
		group->lists = first_group;
		search->passing++;
	}
	else
		alternative->first[++alternative->lists] = group->lists;
}

/* ----------------------------------------------------------------------
 * Better nodes of the lattice.
 * ----------------------------------------------------------------------
 */

/* Nodes with a better score that only the sensitive values can rule out. */
typedef struct Better
{
	Search *search;
	double score; /* of the node that was taken */
	int count;
	int room;
	SdcLatticeNode *node;
} Better;

static bool
see_node(void *argument, const SdcLatticeNode *node)
{
	Better *better = argument;

	if (!node->feasible ||
		!(node->score < better->score - SDC_LATTICE_TIE * fabs(better->score)))
		return true;
	if (better->count == better->room)
	{
		better->room = Max(64, 2 * better->room);
		better->node =
			sdc_grow(&better->search->host->kernel, better->node,
					 better->count, better->room, sizeof(SdcLatticeNode));
	}
	better->node[better->count++] = *node;
	return true;
}

/* Is a class that passes still one when more records come that pass? */
static bool
models_grow(const Search *search)
{
	int s;
	int m;

	for (s = 0; s < search->problem->sensitive.count; s++)
		for (m = 0; m < SDC_CLASS_MEASURES; m++)
			if ((search->problem->model[s].request.wanted &
				 SDC_CLASS_WANT(m)) != 0 &&
				sdc_class_measures_growth((SdcClassMeasure) m) ==
					SDC_GROWS_NEVER)
				return false;
	return true;
}

static bool
is_finer(const Search *search, const uint8 *a, const uint8 *b)
{
	int j;

	for (j = 0; j < search->problem->keys; j++)
		if (a[j] > b[j])
			return false;
	return true;
}

/* Where a coarser node fails, does this one, too? */
static bool
is_implied(const Better *better, int i)
{
	int o;

	for (o = 0; o < better->count; o++)
		if (o != i && is_finer(better->search, better->node[i].level,
							   better->node[o].level))
			return true;
	return false;
}

/* Dearer nodes first: they are the closest to the one that was taken. */
static int
compare_nodes(int32_t a, int32_t b, void *arg)
{
	const SdcLatticeNode *node = arg;

	if (node[a].score != node[b].score)
		return node[a].score > node[b].score ? -1 : 1;
	return node[a].number < node[b].number ? -1
										   : node[a].number > node[b].number;
}

/* All nodes that the models would allow, were it not for the values. */
static void
find_better(Search *search, Better *better)
{
	SdcLatticeProblem problem = search->problem->problem;
	SdcLattice *lattice;
	int key;

	if (sdc_lattice_nodes(search->problem->lattice) > MOST_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the lattice has more than %d nodes", MOST_NODES),
				 errhint("Give keys a range of levels in key \"levels\" of "
						 "argument \"params\".")));
	problem.sensitives = 0;
	if (sdc_lattice_start(&search->host->kernel, &problem, &lattice, &key) !=
		SDC_LATTICE_OK)
		elog(ERROR, "a lattice cannot be searched without its models");
	sdc_lattice_visit(lattice, see_node, better);
	sdc_lattice_release(lattice);
}

/* Stops unless the classes of a node are those of the release. */
static void
check_release(Search *search, const int32 *number, int32 classes)
{
	SdcHost *host = &search->host->kernel;
	int32 *released = sdc_new(host, int32, classes);
	bool same = classes == search->kernel.classes;
	int32 u;

	memset(released, -1, sizeof(int32) * classes);
	for (u = 0; u < search->kernel.units && same; u++)
	{
		int32 *of_node = &released[number[search->tuple[u]]];

		same = *of_node < 0 || *of_node == search->kernel.class_of[u];
		*of_node = search->kernel.class_of[u];
	}
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("relation \"%s\" is not what the search makes of "
						"\"%s\"",
						search->masked->name, search->problem->relation->name),
				 errdetail("The best node of the lattice has other classes."),
				 errhint("Say the keys, models and params that anonymize was "
						 "called with.")));
	host->release(host, released);
}

/* The node that the release was made at; number[tuple]: its class there. */
static double
find_taken(Search *search, int32 *number)
{
	SdcLatticeResult found;
	int32 classes;

	sdcpg_generalization_search(search->problem, false, &found);
	if (!found.proven)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the best node is not proven"),
						errhint("Leave out or raise \"max_checks\" in "
								"argument \"params\".")));
	classes = sdcpg_generalization_classes(search->problem, found.best.level,
										   search->tuples, number);
	check_release(search, number, classes);
	return found.best.score;
}

static void
list_nodes(Search *search)
{
	SdcHost *host = &search->host->kernel;
	int32 units = search->kernel.units;
	int32 *number = sdc_new(host, int32, search->tuples->classes);
	Draft draft = draft_new(search, units);
	Better better = {search, find_taken(search, number)};
	bool grow = models_grow(search);
	int32 *order;
	int32 i;
	int32 u;

	find_better(search, &better);
	order = sdc_new(host, int32, better.count + 1);
	for (i = 0; i < better.count; i++)
		order[i] = i;
	sdc_sort_rows(host, order, better.count, compare_nodes, better.node);
	for (i = 0; i < better.count; i++)
	{
		host->poll(host, i, better.count);
		if (grow && is_implied(&better, order[i]))
			continue;
		sdcpg_generalization_classes(search->problem,
									 better.node[order[i]].level,
									 search->tuples, number);
		draft.count = draft.groups = 0;
		for (u = 0; u < units; u++)
			draft_add(&draft, u, number[search->tuple[u]]);
		add_alternative(search, &draft);
	}
	draft_release(search, &draft);
	host->release(host, number);
	host->release(host, order);
}

/* ----------------------------------------------------------------------
 * Splits of a class that were not made.
 * ----------------------------------------------------------------------
 */

/* Each combination of keys by itself, and the rest of its class. */
static void
list_single(Search *search, int32 class)
{
	int32 first = search->first[class];
	int32 end = search->first[class + 1];
	Draft draft = draft_new(search, end - first);
	int64 size = 0;
	int32 u;

	for (u = first; u < end; u++)
	{
		size += search->kernel.size[u];
		draft_add(&draft, u, 0);
	}
	draft.groups = 2;
	for (u = first; u < end && end - first <= MOST_SPLIT; u++)
	{
		int64 alone = search->kernel.size[u];

		if (Min(alone, size - alone) < search->problem->k)
			continue;
		draft.group_of[u - first] = 1;
		add_alternative(search, &draft);
		draft.group_of[u - first] = 0;
	}
	draft_release(search, &draft);
}

/* The code of a key of a unit in the original; NULL comes first. */
static int32
code_of(const Search *search, int32 unit, int key)
{
	return search->problem->frequency
		->code[key][search->tuples->first[search->tuple[unit]]];
}

/* What units are sorted by. */
typedef struct ByCode
{
	const Search *search;
	int key;
} ByCode;

static int
compare_codes(int32_t a, int32_t b, void *arg)
{
	const ByCode *by = arg;
	int32 one = code_of(by->search, a, by->key);
	int32 other = code_of(by->search, b, by->key);

	return one < other ? -1 : one > other;
}

/*
 * The median of a key among the units of a class, which are sorted by it; less
 * where no value is above it.
 */
static int32
find_median(const Search *search, const int32 *unit, int32 count, int key)
{
	int64 size = 0;
	int64 below = 0;
	int32 median;
	int32 i;

	for (i = 0; i < count; i++)
		size += search->kernel.size[unit[i]];
	for (i = 0; 2 * (below + search->kernel.size[unit[i]]) < size; i++)
		below += search->kernel.size[unit[i]];
	median = code_of(search, unit[i], key);
	return median == code_of(search, unit[count - 1], key) ? median - 1
														   : median;
}

/* The cut of a class at the median of a key. */
static void
list_cut(Search *search, int32 class, int key)
{
	int32 first = search->first[class];
	int32 count = search->first[class + 1] - first;
	Draft draft = draft_new(search, count);
	ByCode by = {search, key};
	int32 median;
	int32 i;

	for (i = 0; i < count; i++)
		draft_add(&draft, first + i, 0);
	sdc_sort_rows(&search->host->kernel, draft.unit, count, compare_codes,
				  &by);
	median = find_median(search, draft.unit, count, key);
	if (median >= code_of(search, draft.unit[0], key))
	{
		for (i = 0; i < count; i++)
			draft.group_of[i] = code_of(search, draft.unit[i], key) > median;
		draft.groups = 2;
		add_alternative(search, &draft);
	}
	draft_release(search, &draft);
}

/* ----------------------------------------------------------------------
 * Values that were suppressed, put back.
 * ----------------------------------------------------------------------
 */

/* Does a class of the release look like another but for a key? */
static bool
is_like(const Search *search, int32 a, int32 b, int key)
{
	int32 *const *code = search->copy.frequency->code;
	int j;

	for (j = 0; j < search->problem->keys; j++)
		if (j != key && code[j][a] != code[j][b])
			return false;
	return true;
}

/* Is a key of a class suppressed that all its records had? */
static bool
is_suppressed(const Search *search, int32 class, int key)
{
	int32 u;

	if (search->copy.frequency->code[key][class] != SDC_CODE_NULL)
		return false;
	for (u = search->first[class]; u < search->first[class + 1]; u++)
		if (code_of(search, u, key) == SDC_CODE_NULL)
			return false;
	return true;
}

/*
 * The records of a class with a key put back, each with the class that it
 * would then be in, if there is one.  O(classes).
 */
static void
list_restored(Search *search, int32 class, int key)
{
	SdcHost *host = &search->host->kernel;
	int32 values = search->problem->frequency->values[key];
	int32 *number = sdc_new(host, int32, values);
	Draft draft = draft_new(search, search->kernel.units);
	int32 other;
	int32 u;

	memset(number, -1, sizeof(int32) * values);
	for (u = search->first[class]; u < search->first[class + 1]; u++)
	{
		int32 *group = &number[code_of(search, u, key)];

		if (*group < 0)
			*group = draft.groups;
		draft_add(&draft, u, *group);
	}
	for (other = 0; other < search->kernel.classes; other++)
	{
		int32 code = code_of(search, search->first[other], key);

		/* a class that shows the key has it as it was */
		if (search->copy.frequency->code[key][other] == SDC_CODE_NULL ||
			code == SDC_CODE_NULL || number[code] < 0 ||
			!is_like(search, class, other, key))
			continue;
		for (u = search->first[other]; u < search->first[other + 1]; u++)
			draft_add(&draft, u, number[code]);
	}
	add_alternative(search, &draft);
	draft_release(search, &draft);
	host->release(host, number);
}

static void
list_class(Search *search, int32 class)
{
	int j;

	switch (search->variant)
	{
		case SDC_MINIMALITY_LOCAL:
			list_single(search, class);
			return;
		case SDC_MINIMALITY_MONDRIAN:
			for (j = 0; j < search->problem->keys; j++)
				list_cut(search, class, j);
			return;
		default:
			for (j = 0; j < search->problem->keys; j++)
				if (is_suppressed(search, class, j))
					list_restored(search, class, j);
			return;
	}
}

static void
list_alternatives(Search *search)
{
	SdcHost *host = &search->host->kernel;
	int32 c;

	grow_lists(search, 1);
	host->stage(host, "listing alternatives");
	if (search->variant == SDC_MINIMALITY_LATTICE)
		list_nodes(search);
	else
		for (c = 0; c < search->kernel.classes; c++)
		{
			host->poll(host, c, search->kernel.classes);
			list_class(search, c);
		}
}

/* ----------------------------------------------------------------------
 * The beliefs.
 * ----------------------------------------------------------------------
 */

static Datum
value_text(Search *search, int32 value, const char **names, StringInfo text,
		   bool *isnull)
{
	SdcDictionary **dictionary =
		search->of->dictionary + search->problem->keys;
	const char *shown;

	if (search->problem->sensitive.count == 1)
		shown = sdcpg_dictionary_text(dictionary[0],
									  search->values->code[0][value]);
	else
	{
		sdcpg_subject_write(text, search->problem->sensitive.count, names,
							dictionary, search->values, value);
		shown = text->data;
	}
	*isnull = shown == NULL;
	return shown == NULL ? (Datum) 0 : CStringGetTextDatum(shown);
}

static void
put_record(Search *search, const SdcAlternativesBelief *found, int32 record,
		   const char **names, const char *together, StringInfo text)
{
	const SdcLists *values = &search->kernel.values;
	int32 unit = search->unit_of[record];
	int32 first = values->first[search->class_of[record]];
	int32 end = values->first[search->class_of[record] + 1];
	Size place = found->offset[unit];
	int32 i = first;

	while (i < end)
	{
		Datum row[SDC_BELIEF_COLUMNS];
		bool isnull[SDC_BELIEF_COLUMNS] = {false};
		int32 value = values->item[i];
		int32 since = i;
		double posterior = found->belief[place++];

		while (i < end && values->item[i] == value)
			i++;
		row[0] = CStringGetTextDatum(search->of->id[record]);
		row[1] = value_text(search, value, names, text, &isnull[1]);
		row[2] = Float8GetDatum((double) (i - since) / (end - first));
		row[3] = Float8GetDatum(posterior);
		isnull[3] = isnan(posterior);
		row[4] = CStringGetTextDatum(together);
		row[5] = Int64GetDatum(i - since);
		row[6] = CStringGetTextDatum(posterior == 1 ? "positive" : "negative");
		/* what was drawn is never certain */
		isnull[6] = !found->exact[unit] || (posterior != 1 && posterior != 0);
		sdcpg_result_put(search->result, row, isnull);
	}
}

/* What the reader must know of the beliefs. */
static void
tell(const Search *search, const SdcAlternativesBelief *found)
{
	int32 alternatives = search->kernel.alternative.lists;

	if (!found->possible)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no arrangement of the sensitive values makes this "
						"release"),
				 errhint("Say the keys, models and params that it was made "
						 "with.")));
	if (search->passing > 0)
		ereport(NOTICE,
				(errmsg(INT64_FORMAT
						" of " INT64_FORMAT
						" alternatives satisfy the models and were not taken",
						search->passing, search->passing + alternatives),
				 errdetail("They are left out: the method did more than it "
						   "had to, and who relies on them errs.")));
	if (found->spared > 0)
		ereport(NOTICE, (errmsg("%d of %d alternatives were not looked at",
								found->spared, alternatives),
						 errdetail("With them an intruder may know more.")));
	if (found->unknown > 0)
		ereport(WARNING,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too few of the arrangements that were drawn are "
						"possible"),
				 errdetail("The posterior of the records of %d combinations "
						   "of keys is null.",
						   found->unknown)));
}

static void
put_beliefs(Search *search)
{
	SdcHost *host = &search->host->kernel;
	const SdcRelationColumns *sensitive = &search->problem->sensitive;
	const char **names = sdcpg_attributes_names(sensitive);
	const char *together = sdcpg_relation_list(sensitive);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "sdc belief", ALLOCSET_SMALL_SIZES);
	SdcAlternativesBelief found;
	StringInfoData text;
	int32 i;

	initStringInfo(&text);
	host->stage(host, "attacking");
	sdc_alternatives_solve(host, &search->kernel, &found);
	tell(search, &found);
	for (i = 0; i < search->records; i++)
	{
		MemoryContext caller = MemoryContextSwitchTo(scratch);

		host->poll(host, i, search->records);
		put_record(search, &found, search->order[i], names, together, &text);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
	sdc_alternatives_release(host, &found);
}

static void
check_problem(const SdcGeneralization *problem)
{
	if (problem->sensitive.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no model is about sensitive values"),
				 errdetail("What a method does for the sake of the keys alone "
						   "gives nothing away about others."),
				 errhint("Give argument \"l\", or \"models\" in argument "
						 "\"params\".")));
	if (problem->suppression > 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("key \"suppression\" in argument \"params\" is not "
						"supported here"),
				 errdetail("Alternatives are counted where no record is left "
						   "out.")));
}

void
sdcpg_minimality_search(const SdcMinimalityCall *call, ReturnSetInfo *result)
{
	Search search = {result};
	SdcGeneralizationArguments arguments = {0};

	sdcpg_params_check(call->params, params_keys);
	arguments.keys = call->keys;
	arguments.sensitive = call->sensitive;
	arguments.k = call->k;
	arguments.c = arguments.t = NAN;
	arguments.l = call->l;
	arguments.method = "distinct";
	arguments.params = call->params;
	search.variant = call->variant;
	search.masked = call->masked;
	search.id = *call->id;
	search.problem = sdcpg_generalization_new(call->original, &arguments);
	search.problem->id = &search.id;
	check_problem(search.problem);
	search.host = sdcpg_host_begin("attack_minimality", CurrentMemoryContext);
	sdcpg_generalization_load(search.host, search.problem);
	search.of = &search.problem->table;
	if (search.of->rows > 0)
	{
		load_copy(&search);
		read_records(&search);
		prepare_judge(&search);
		sort_records(&search);
		list_alternatives(&search);
		put_beliefs(&search);
	}
	sdcpg_host_end(search.host);
}
