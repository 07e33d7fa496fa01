/*
 * correct_moments.c
 *		sdc.correct_moments: what an honest user makes of published rules.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "host/call/params.h"
#include "host/call/query.h"
#include "host/call/relation.h"
#include "host/call/report.h"
#include "host/data/rows.h"
#include "host/server/compat.h"
#include "host/server/host.h"
#include "kernel/base/host.h"
#include "kernel/linear/moments.h"
#include "kernel/utility/loss.h"
#include "topic/mask/rules.h"

/* ----------------------------------------------------------------------
 * Moments of the original, from the masked relation and its rules.
 *
 * What a rule does to moments is known for few methods: some leave a column's
 * own values alone, noise adds a known variance, means of groups keep the
 * mean.  Of the others nothing is claimed.
 * ----------------------------------------------------------------------
 */

typedef struct Column
{
	const char *name;
	const SdcRule *rule;
	SdcMaskLeaves leaves;
	double alpha; /* of noise; else 0 */
} Column;

static Column
describe_column(const SdcRelationColumn *column, const SdcRules *rules)
{
	Column known = {column->name, sdcpg_rules_of(rules, column->number)};

	known.leaves =
		known.rule == NULL ? SDC_MASK_LEAVES_ALL : known.rule->method->leaves;
	if (known.leaves == SDC_MASK_LEAVES_VARIANCE)
		known.alpha = sdcpg_rule_number(known.rule, "alpha");
	return known;
}

/* The columns in an order of rows that only the values decide. */
static double **
read_columns(SdcPgHost *host, const SdcRelation *masked,
			 const SdcRelationColumns *columns, int32 *rows)
{
	SdcHost *kernel = &host->kernel;
	SdcFrameType *types = palloc(sizeof(SdcFrameType) * (columns->count + 1));
	double **value = palloc(sizeof(double *) * columns->count);
	SdcFrame *frame;
	uint64_t *digest;
	const int32_t *order;
	int32 i;
	int j;

	types[0] = SDC_FRAME_TEXT;
	for (j = 0; j < columns->count; j++)
		types[j + 1] = SDC_FRAME_NUMBER;
	frame = sdcpg_frame_load(host, sdcpg_query_records(masked, NULL, columns),
							 columns->count + 1, types);
	*rows = frame->rows;
	digest = sdc_new(kernel, uint64_t, (Size) frame->rows + 1);
	memset(digest, 0, sizeof(uint64_t) * frame->rows);
	for (j = 0; j < columns->count; j++)
	{
		const SdcFrameColumn *column = &frame->column[j + 1];

		for (i = 0; i < frame->rows; i++)
			if (column->isnull[i])
				column->number[i] = get_float8_nan();
		sdc_record_order_mix(kernel, column->number, NULL, frame->rows,
							 digest);
	}
	order = sdc_record_order_sort(kernel, digest, NULL, frame->rows);
	for (j = 0; j < columns->count; j++)
	{
		value[j] = sdc_new(kernel, double, (Size) frame->rows + 1);
		for (i = 0; i < frame->rows; i++)
			value[j][i] = frame->column[j + 1].number[order[i]];
	}
	return value;
}

static void
put_column(SdcReport *report, const Column *column, double mean,
		   double variance)
{
	bool has_mean = column->leaves != SDC_MASK_LEAVES_NOTHING;
	bool has_variance = has_mean && column->leaves != SDC_MASK_LEAVES_MEAN;

	sdcpg_report_put(report, "mean", column->name,
					 has_mean ? mean : get_float8_nan(),
					 has_mean ? "The masked column has %g, and the mask does "
								"not change it on average."
							  : "The masked column has %g; the rule does not "
								"tell what it was.",
					 mean);
	sdcpg_report_put(
		report, "variance", column->name,
		has_variance ? variance / (1 + column->alpha) : get_float8_nan(),
		column->leaves == SDC_MASK_LEAVES_VARIANCE
			? "The masked column has %g, of which noise is "
			  "the part alpha / (1 + alpha)."
		: has_variance ? "The masked column has %g, and the mask keeps its "
						 "values."
		: column->leaves == SDC_MASK_LEAVES_MEAN
			? "The masked column has %g; it was no less, on average."
			: "The masked column has %g; the rule does not tell what it was.",
		variance);
}

/* What noise has left of a covariance: its part of the masked one. */
static double
kept_share(const Column *a, const Column *b)
{
	if (a->leaves == SDC_MASK_LEAVES_VARIANCE && a->rule == b->rule &&
		a->rule != NULL)
		return 1 / (1 + a->alpha);
	return 1;
}

static void
put_pair(SdcReport *report, const Column *a, const Column *b,
		 const SdcMoments *moments, int j, int l)
{
	char *subject = psprintf("%s, %s", a->name, b->name);
	bool known = (a->leaves == SDC_MASK_LEAVES_ALL ||
				  a->leaves == SDC_MASK_LEAVES_VARIANCE) &&
				 (b->leaves == SDC_MASK_LEAVES_ALL ||
				  b->leaves == SDC_MASK_LEAVES_VARIANCE);
	double covariance = moments->covariance[j * moments->columns + l];
	double correlation = moments->correlation[j * moments->columns + l];
	double share = kept_share(a, b);
	double scale = sqrt((1 + a->alpha) * (1 + b->alpha));

	sdcpg_report_put(report, "covariance", subject,
					 known ? covariance * share : get_float8_nan(),
					 known ? "The masked columns have %g."
						   : "The masked columns have %g; the rules do not "
							 "tell what it was.",
					 covariance);
	sdcpg_report_put(report, "correlation", subject,
					 known ? correlation * share * scale : get_float8_nan(),
					 known
						 ? "The masked columns have %g, which noise can only "
						   "have weakened."
						 : "The masked columns have %g; the rules do not "
						   "tell what it was.",
					 correlation);
}

/*
 * Reads the columns of a masked relation as the caller and adds, for each,
 * what its mean and variance were before it was masked, and for each pair the
 * covariance and the correlation: NULL where the rules do not tell.  Noise
 * with the variance alpha Var(X) is taken out: Var(X) = Var(X') / (1 + alpha);
 * independent noise leaves covariances alone, and noise that was drawn with
 * the correlations of its columns divides them by 1 + alpha, too (Karr 2009;
 * Torra 2016).  Rows that lack a value are left out of what needs it.
 */
static void
correction_report(SdcReport *report, SdcPgHost *host,
				  const SdcRelation *masked, const SdcRelationColumns *columns,
				  const SdcRules *rules)
{
	Column *column = palloc(sizeof(Column) * columns->count);
	double **value;
	const SdcMoments *moments;
	int32 rows;
	int j;
	int l;

	for (j = 0; j < columns->count; j++)
		column[j] = describe_column(&columns->column[j], rules);
	value = read_columns(host, masked, columns, &rows);
	moments = sdc_moments_measure(&host->kernel, rows, columns->count,
								  (const double *const *) value);
	for (j = 0; j < columns->count; j++)
		put_column(report, &column[j], moments->mean[j], moments->variance[j]);
	for (j = 0; j < columns->count; j++)
		for (l = j + 1; l < columns->count; l++)
			put_pair(report, &column[j], &column[l], moments, j, l);
}

/* ----------------------------------------------------------------------
 * sdc.correct_moments: what an honest user makes of published rules.
 * ----------------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(sdcf_correct_moments);

static const char *const lines[] = {"mean", "variance", "covariance",
									"correlation", NULL};

/* correct_moments(masked regclass, rules jsonb, columns columns) */
Datum
sdcf_correct_moments(PG_FUNCTION_ARGS)
{
	SdcReport *report;
	SdcRelation *masked;
	SdcRelationColumns columns;
	SdcRules rules;
	SdcPgHost *host;

	sdcpg_args_need_first(fcinfo, 3);
	masked = sdcpg_relation_find(PG_GETARG_OID(0));
	columns =
		sdcpg_relation_columns(masked, "columns", PG_GETARG_ARRAYTYPE_P(2));
	sdcpg_relation_need_numbers(masked, &columns);
	rules = sdcpg_rules_read(PG_GETARG_JSONB_P(1), masked);
	report = sdcpg_report_begin(fcinfo, lines, lengthof(lines) - 1, NULL);
	host = sdcpg_host_begin("correct_moments", CurrentMemoryContext);
	correction_report(report, host, masked, &columns, &rules);
	sdcpg_host_end(host);
	return (Datum) 0;
}
