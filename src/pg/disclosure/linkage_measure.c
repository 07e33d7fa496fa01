/*
 * linkage_measure.c
 *		What a method of linkage takes for near.
 *
 * Mahalanobis, weighted mean and bilinear distances are sums of squares of
 * turned coordinates, so the files are turned and searched like for the
 * Euclidean distance.  The others are searched as they are.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/attack/link_transform.h"
#include "pg/call/params.h"
#include "pg/disclosure/distance_params.h"
#include "pg/disclosure/linkage_measure.h"
#include "pg/server/compat.h"

const char *const sdcpg_linkage_methods[] = {
	"euclidean", "mahalanobis", "wm",    "owa", "choquet",
	"choquet2",  "bilinear",    "gower", NULL};

/* Keys of params that every method has, and room for those of one. */
#define COMMON_KEYS 4
#define MOST_KEYS   8

static const char *const common_keys[COMMON_KEYS] = {
	"direction", "max_candidates", "map", "assignment"};

/* By method; each list ends with NULL. */
static const char *const method_keys[][MOST_KEYS - COMMON_KEYS] = {
	{NULL},
	{NULL},
	{"weights", "model", NULL},
	{"weights", "model", NULL},
	{"capacity", "model", NULL},
	{"singletons", "interactions", "model", NULL},
	{"matrix", "model", NULL},
	{"weights", "types", NULL}};

void
sdcpg_linkage_check_params(SdcLinkageMethod method, Jsonb *params)
{
	const char *keys[MOST_KEYS + 1] = {NULL};
	int i;

	for (i = 0; i < COMMON_KEYS; i++)
		keys[i] = common_keys[i];
	for (i = 0; method_keys[method][i] != NULL; i++)
		keys[COMMON_KEYS + i] = method_keys[method][i];
	sdcpg_params_check(params, keys);
}

double
sdcpg_linkage_distance(const SdcLinkage *linkage, double sum)
{
	if (linkage->method == SDC_LINKAGE_GOWER)
		return sum;
	if (linkage->method == SDC_LINKAGE_EUCLIDEAN)
		return sqrt(sum / linkage->keys.count);
	sum *= linkage->scale;
	return sum < 0 ? -sqrt(-sum) : sqrt(sum);
}

/* Turns both files so that the form of a matrix is a sum of squares. */
static void
turn_files(SdcLinkage *linkage, const double *matrix)
{
	SdcHost *host = &linkage->host->kernel;
	SdcLinkTransform transform =
		sdc_link_transform_factor(host, matrix, linkage->keys.count);

	sdc_link_transform_apply(host, &transform, &linkage->from.file);
	sdc_link_transform_apply(host, &transform, &linkage->to.file);
	if (transform.positive == transform.rows)
		return;
	linkage->measure.kind = SDC_LINK_SIGNED;
	linkage->measure.positive = transform.positive;
}

/* The inverse of the covariance of the differences. */
static void
choose_mahalanobis(SdcLinkage *linkage)
{
	SdcHost *host = &linkage->host->kernel;
	int d = linkage->keys.count;
	double *matrix = sdc_new(host, double, (Size) d *d);

	sdc_link_transform_covariance(host, &linkage->from.file, &linkage->to.file,
								  linkage->partner, matrix);
	sdc_link_transform_invert(host, matrix, d);
	turn_files(linkage, matrix);
}

/* A weighted mean is a diagonal matrix. */
static void
choose_weights(SdcLinkage *linkage, const double *weight)
{
	int d = linkage->keys.count;
	double *matrix = sdc_new(&linkage->host->kernel, double, (Size) d *d);
	int j;

	memset(matrix, 0, sizeof(double) * d * (Size) d);
	for (j = 0; j < d; j++)
		matrix[j * (d + 1)] = weight[j];
	turn_files(linkage, matrix);
}

/*
 * Any matrix, brought to a greatest element of 1: how near counts as equally
 * near must not depend on its unit.
 */
static void
choose_matrix(SdcLinkage *linkage, double *matrix)
{
	int elements = linkage->keys.count * linkage->keys.count;
	double greatest = 0;
	int i;

	for (i = 0; i < elements; i++)
		greatest = Max(greatest, fabs(matrix[i]));
	if (greatest > 0)
	{
		for (i = 0; i < elements; i++)
			matrix[i] /= greatest;
		linkage->scale = greatest;
	}
	turn_files(linkage, matrix);
}

static void
choose_form(SdcLinkage *linkage, Jsonb *params)
{
	SdcDistanceKind kind =
		(SdcDistanceKind) (linkage->method - SDC_LINKAGE_WM + SDC_DISTANCE_WM);
	SdcDistanceForm form = sdcpg_distance_params_read(
		linkage->host, kind, sdcpg_linkage_methods[linkage->method], params,
		&linkage->keys);

	if (kind == SDC_DISTANCE_WM)
		choose_weights(linkage, form.parameter);
	else if (kind == SDC_DISTANCE_BILINEAR)
		choose_matrix(linkage, form.parameter);
	else
	{
		linkage->measure.kind = SDC_LINK_FORM;
		linkage->measure.form = kind;
		linkage->measure.boxes = sdc_distance_form_is_monotone(&form);
		linkage->measure.parameters =
			sdc_distance_form_parameters(kind, form.columns);
		linkage->measure.parameter = form.parameter;
	}
}

static void
choose_gower(SdcLinkage *linkage, Jsonb *params)
{
	SdcHost *host = &linkage->host->kernel;
	int d = linkage->keys.count;
	double *weight =
		sdcpg_distance_params_weights(linkage->host, params, &linkage->keys);
	double *parameter = sdc_new(host, double, 2 * (Size) d);
	int j;

	for (j = 0; j < d; j++)
	{
		parameter[j] = weight[j];
		parameter[d + j] = linkage->category[j] ? 1 : 0;
	}
	linkage->measure.kind = SDC_LINK_GOWER;
	linkage->measure.boxes = !sdc_link_file_unite(
		host, &linkage->from.file, &linkage->to.file, linkage->category);
	linkage->measure.parameters = 2 * (Size) d;
	linkage->measure.parameter = parameter;
}

void
sdcpg_linkage_measure_choose(SdcLinkage *linkage, const SdcLinkageCall *call)
{
	linkage->measure = sdc_link_measure_squares;
	linkage->scale = 1;
	if (linkage->method == SDC_LINKAGE_GOWER)
	{
		choose_gower(linkage, call->params);
		return;
	}
	sdc_link_file_standardize(&linkage->host->kernel, &linkage->from.file,
							  &linkage->to.file);
	if (linkage->method == SDC_LINKAGE_MAHALANOBIS)
		choose_mahalanobis(linkage);
	else if (linkage->method != SDC_LINKAGE_EUCLIDEAN)
		choose_form(linkage, call->params);
}
