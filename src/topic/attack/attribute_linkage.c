/*
 * attribute_linkage.c
 *		The attack "attribute_linkage": sensitive values without finding the
 *		record.
 *
 * Whoever cannot tell which of ten records is that of a person, knows the
 * value if all ten have it.  What the attack by likelihood believes of each
 * person, his possible records and their chances, is read here for the
 * published values of the sensitive columns: what value is believed most, how
 * often is it that of the original, and how often is the intruder sure of it.
 * Beside it stands what is right by saying the same of everybody.
 */
#include "postgres.h"

#include <math.h>

#include "utils/lsyscache.h"

#include "host/call/params.h"
#include "host/call/relation.h"
#include "host/data/alignment.h"
#include "host/data/rows.h"
#include "host/server/host.h"
#include "host/server/result.h"
#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/risk/attribute.h"
#include "kernel/utility/loss.h"
#include "topic/attack/attack_rows.h"
#include "topic/attack/likelihood.h"
#include "topic/registry/roles.h"

/* The chance from which on the intruder is sure of a value. */
#define SURE 0.95

/* One sensitive column, and what was found of it. */
typedef struct Secret
{
	const SdcAlignedColumn *column;
	double tolerance; /* how near a number must be */
	double usual;     /* the best that can be said of all alike */
	double people;    /* whose value is known in the original */
	double right;
	double usual_right;
	double sure;
	double sure_right;
	double unusual; /* of these, whose value is not the usual one */
} Secret;

/* Both relations: ids and sensitive columns. */
typedef struct Attributes
{
	SdcPgHost *host;
	SdcAlignment alignment;
	SdcFrame *frame[2];       /* original and masked */
	int32 *row[2];            /* of each row of the attack that of the frame */
	Secret *secret;           /* alignment.columns of them */
	SdcAttributeEntry *entry; /* of one person */
	int32 *order;
} Attributes;

/* The sensitive columns that are published. */
static SdcRelationColumns
find_secrets(const SdcAttackCase *of)
{
	SdcRelationColumns found =
		sdcpg_relation_columns(of->original, "sensitive", of->sensitive);
	int count = 0;
	int i;

	for (i = 0; i < found.count; i++)
	{
		const char *name = found.column[i].name;

		if (get_attnum(of->masked->oid, name) != InvalidAttrNumber &&
			(of->published == NIL ||
			 sdcpg_params_is_listed(of->published, name)))
			found.column[count++] = found.column[i];
	}
	found.count = count;
	return found;
}

/* A value as a number, a code or, of a NULL, NAN. */
static double
value_of(const Attributes *attributes, int masked, int j, int32 row)
{
	const SdcAlignedColumn *column = &attributes->alignment.column[j];
	const SdcFrameColumn *values = &attributes->frame[masked]->column[j];

	if (row < 0 || values->isnull[row])
		return NAN;
	if (!column->number)
		return values->code[row];
	return values->number[row] *
		   (masked ? column->masked_unit : column->original_unit);
}

static SdcAttributeBelief
believe(SdcHost *host, const Secret *secret, SdcAttributeEntry *entry,
		int32 *order, int32 count, double truth)
{
	return secret->column->number
			   ? sdc_attribute_number(host, entry, order, count,
									  secret->tolerance, truth)
			   : sdc_attribute_category(host, entry, order, count, truth);
}

/*
 * How far the values of a column are apart: the deviation, or that of a normal
 * column with such quartiles, if that is less.  By the deviation one value far
 * off would make all others equal, and so everybody's usual and none secret.
 */
static double
find_spread(SdcHost *host, const double *number, int32 rows)
{
	SdcScale scale = sdc_scale_measure(host, number, NULL, rows, 1);
	double deviation = sdc_scale_restore(&scale, scale.deviation);
	size_t count;
	double *sorted = sdc_bins_sort(host, number, rows, &count);
	double range = 0;

	if (count > 0)
		range = sorted[3 * (count - 1) / 4] / SDC_NORMAL_QUARTILES -
				sorted[(count - 1) / 4] / SDC_NORMAL_QUARTILES;
	host->release(host, sorted);
	return range > 0 ? Min(range, deviation) : deviation;
}

/* A tolerance of p percent of the spread; what is said of all alike. */
static void
prepare_secret(const Attributes *attributes, int j, double p)
{
	SdcHost *host = &attributes->host->kernel;
	Secret *secret = &attributes->secret[j];
	int32 rows = Max(attributes->frame[0]->rows, attributes->frame[1]->rows);
	SdcAttributeEntry *entry = sdc_new(host, SdcAttributeEntry, rows + 1);
	double *number = sdc_new(host, double, rows + 1);
	int32 *order = sdc_new(host, int32, rows + 1);
	int32 i;

	secret->column = &attributes->alignment.column[j];
	for (i = 0; i < attributes->frame[0]->rows; i++)
		number[i] = value_of(attributes, 0, j, i);
	if (secret->column->number)
		secret->tolerance =
			p / 100 * find_spread(host, number, attributes->frame[0]->rows);
	for (i = 0; i < attributes->frame[1]->rows; i++)
	{
		entry[i].value = value_of(attributes, 1, j, i);
		entry[i].chance = 1;
	}
	secret->usual =
		believe(host, secret, entry, order, attributes->frame[1]->rows, 0)
			.said;
	host->release(host, order);
	host->release(host, number);
	host->release(host, entry);
}

/* Reads both relations. */
static void
read_secrets(Attributes *attributes, const SdcAttackCase *of,
			 const SdcRelationColumns *columns)
{
	SdcRelationColumn id = sdcpg_relation_column(of->original, of->id);
	SdcDictionary **dictionary =
		palloc0(sizeof(SdcDictionary *) * (columns->count + 1));
	int side;
	int j;

	sdcpg_alignment_describe(&attributes->alignment, of->original, of->masked,
							 &id, columns);
	for (side = 0; side < 2; side++)
		attributes->frame[side] =
			sdcpg_alignment_read(&attributes->alignment, attributes->host,
								 side == 1, true, dictionary);
	attributes->secret = palloc0(sizeof(Secret) * columns->count);
	for (j = 0; j < columns->count; j++)
		prepare_secret(attributes, j, of->p);
	attributes->entry = sdc_new(&attributes->host->kernel, SdcAttributeEntry,
								SDC_INTRUDER_LIST_MAX);
	attributes->order =
		sdc_new(&attributes->host->kernel, int32, SDC_INTRUDER_LIST_MAX);
}

/* Finds the rows of the attack's frames in ours. */
static void
start_reading(void *arg, const SdcFrame *original, const SdcFrame *masked)
{
	Attributes *attributes = arg;
	const SdcAlignment *alignment = &attributes->alignment;
	const SdcFrame *theirs[2] = {original, masked};
	int32 found;
	int side;

	for (side = 0; side < 2; side++)
	{
		SdcIds ids = sdcpg_ids_create(
			attributes->frame[side], alignment->columns,
			side == 1 ? alignment->masked->name : alignment->original->name,
			side == 1 ? alignment->masked_id.name
					  : alignment->original_id.name);

		attributes->row[side] =
			sdcpg_ids_partners(&ids, theirs[side], 0, &found);
		sdcpg_ids_release(attributes->host, &ids);
	}
}

/* Is something that is said right? */
static bool
is_right(const Secret *secret, double said, double truth)
{
	return secret->column->number ? fabs(said - truth) <= secret->tolerance
								  : said == truth;
}

static void
read_person(void *arg, int32 person, int32 count, const int32 *record,
			const float *chance)
{
	Attributes *attributes = arg;
	int32 own = attributes->row[0][person];
	int j;
	int32 i;

	for (j = 0; j < attributes->alignment.columns; j++)
	{
		Secret *secret = &attributes->secret[j];
		double truth = value_of(attributes, 0, j, own);
		SdcAttributeBelief belief;

		if (isnan(truth))
			continue;
		for (i = 0; i < count; i++)
		{
			attributes->entry[i].value =
				value_of(attributes, 1, j, attributes->row[1][record[i]]);
			attributes->entry[i].chance = chance[i];
		}
		belief = believe(&attributes->host->kernel, secret, attributes->entry,
						 attributes->order, count, truth);
		secret->people++;
		secret->right += belief.right;
		secret->usual_right += is_right(secret, secret->usual, truth);
		if (belief.chance < SURE)
			continue;
		secret->sure++;
		secret->sure_right += belief.right;
		if (!is_right(secret, secret->usual, truth))
			secret->unusual += belief.right;
	}
}

/* The column that tells most for sure, then the most beyond what is usual. */
static const Secret *
choose_worst(const Attributes *attributes)
{
	const Secret *worst = NULL;
	int j;

	for (j = 0; j < attributes->alignment.columns; j++)
	{
		const Secret *secret = &attributes->secret[j];

		if (secret->people > 0 &&
			(worst == NULL ||
			 secret->sure_right / secret->people >
				 worst->sure_right / worst->people ||
			 (secret->sure_right / secret->people ==
				  worst->sure_right / worst->people &&
			  (secret->right - secret->usual_right) / secret->people >
				  (worst->right - worst->usual_right) / worst->people)))
			worst = secret;
	}
	return worst;
}

static void
conclude(const Attributes *attributes, bool sampled, SdcAttackOutcome *outcome)
{
	const Secret *worst = choose_worst(attributes);
	double records;

	if (worst == NULL)
	{
		outcome->reason = "There is no person with a sensitive value whose "
						  "record is in both relations.";
		return;
	}
	records = worst->people;
	outcome->usual = worst->usual_right / records;
	outcome->unusual = worst->unusual / records;
	outcome->stat[SDC_STAT_K_REID] = worst->sure_right / records;
	outcome->stat[SDC_STAT_CLAIMED] = worst->sure / records;
	if (worst->sure > 0)
		outcome->stat[SDC_STAT_CLAIM_PRECISION] =
			worst->sure_right / worst->sure;
	sdcpg_attack_share(
		outcome, worst->right / records, records,
		"says %s of %.4g of %.0f people right, where saying the same of all "
		"is right for %.4g; it is sure of %.0f and right in %.4g of them",
		worst->column->original.name, worst->right, records,
		worst->usual_right, worst->sure, worst->sure_right);
	if (sampled)
		sdcpg_attack_sampled(outcome, attributes->frame[0]->rows);
}

void
sdcpg_attack_attribute_linkage(const SdcAttack *attack,
							   const SdcAttackCase *of, SdcPgHost *host,
							   SdcAttackOutcome *outcome)
{
	SdcLikelihoodCall call = {of->original->oid, of->masked->oid, of->id,
							  of->keys,          of->rules,       of->params};
	Attributes attributes = {host};
	SdcLikelihoodReader reader = {start_reading, read_person, &attributes};
	SdcRelationColumns columns = find_secrets(of);
	bool sampled;

	if (columns.count == 0)
	{
		outcome->reason = "No sensitive column is published.";
		return;
	}
	call.seed = of->seeded ? (uint64) of->seed : 0;
	call.budget = attack->budget;
	/* what goes with the keys is what he asks */
	call.keys_only = true;
	read_secrets(&attributes, of, &columns);
	sampled = sdcpg_likelihood_read(host, &call, &reader);
	conclude(&attributes, sampled, outcome);
}
