/*
 * intruder_search.c
 *		Candidates by boxes against scoring every pair.
 *
 * Scores of ranks and codes are computed again from their definitions; for
 * all terms, a search that prunes must find the best of a search that looks
 * at everything.
 */
#include "intruder_files.h"

#include "kernel/intruder/law.h"

#include <string.h>

#define N     300
#define ERROR 1e-3
#define SEED  11

static SdcRandom random_state;

/* Persons of the files on which searches are compared. */
static int32_t
persons(void)
{
	return unit_sparing() ? 300 : 1000;
}

static double
mixed(double ratio)
{
	return log((1 - ERROR) * ratio + ERROR);
}

/* Ranks below a code, and up to it. */
static int32_t
ranks_below(const int32_t *code, int32_t n, int32_t x)
{
	int32_t count = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		count += code[i] < x;
	return count;
}

/* The score of one pair of codes under a swap, by its definition. */
static double
swap_score(const SdcRankLaw *law, const int32_t *masked, int32_t n, int32_t a,
		   int32_t b)
{
	int32_t low = ranks_below(masked, n, b);
	int32_t high = ranks_below(masked, n, b + 1) - 1;
	int32_t own = ranks_below(masked, n, a);
	int32_t last = ranks_below(masked, n, a + 1) - 1;
	double mass = 0;
	int32_t r;

	for (r = own; r <= last; r++)
		mass += law_mass(law, r, low, high) / (last - own + 1);
	return mixed(n * mass / (high - low + 1));
}

/* The scores of all records of a person, by original numbers. */
static void
spread_scores(const SdcIntruderCandidates *found, int32_t row, double *score)
{
	int64_t e;
	int32_t j;

	for (j = 0; j < found->lists.columns; j++)
		score[j] = NAN;
	for (e = found->lists.first[row]; e < found->lists.first[row + 1]; e++)
		score[found->record[found->lists.column[e]]] = found->lists.score[e];
}

static void
check_swap(SdcRankSwapMethod method, double p)
{
	double *common = draw_common(&random_state, N);
	int32_t *code = draw_codes(&random_state, common, N, 0.1);
	int32_t *masked = swap_codes(&random_state, code, N, method, p);
	SdcIntruderSwap swap = {
		method, p, codes_to_keys(code, N), codes_to_keys(masked, N), NULL, 0};
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, ERROR, SEED);
	SdcRankLaw *law = sdc_rank_law_simulate(unit_host(), method, N,
											sdc_rank_swap_window(p, N), SEED);
	SdcIntruderCandidates *found;
	double score[N];
	double worst = 0;
	int32_t k;
	int32_t j;

	sdc_intruder_add_rank_swap(intruder, &swap);
	found = search_all(intruder, NULL, N, N, 1e9, false);
	for (k = 0; k < N; k += 7)
	{
		spread_scores(found, k, score);
		for (j = 0; j < N; j++)
			worst =
				fmax(worst, fabs(score[j] - swap_score(law, masked, N,
													   code[found->person[k]],
													   masked[j])));
	}
	unit_check(worst < 2e-3, "swap %d of %g percent: scores as defined (%.2g)",
			   (int) method, p, worst);
	unit_release_all();
}

/* A term of codes, with the score of a pair by its definition. */
typedef enum Kind
{
	EQUAL,
	PRAM,
	MATRIX, /* two strata of six codes, each with a matrix of its own */
	RANGE
} Kind;

#define STRATUM 6

/* The chance that a code becomes another one of its stratum; some are 0. */
static double
matrix_chance(int stratum, int32_t a, int32_t b)
{
	if (stratum == 0)
		return a == b ? 0.5 : a == (b + 1) % STRATUM ? 0.5 : 0;
	return (1.0 + (a + 2 * b) % STRATUM) / 21;
}

static double
code_score(Kind kind, const int32_t *record, int32_t a, int32_t b)
{
	double known = 0;
	double same = 0;
	double within = 0;
	double beside = 0;
	int32_t j;

	for (j = 0; j < N; j++)
	{
		known += record[j] >= 0;
		same += record[j] == b;
		within += record[j] >= 0 && record[j] >= a - 1 && record[j] <= a + 1;
		beside += record[j] >= 0 && record[j] / STRATUM == a / STRATUM;
	}
	if (a < 0 || b < 0)
		return 0;
	if (kind == MATRIX)
		return mixed(
			a / STRATUM == b / STRATUM
				? matrix_chance(a / STRATUM, a % STRATUM, b % STRATUM) *
					  beside / same
				: 0);
	if (kind == EQUAL)
		return mixed(a == b ? known / same : 0);
	if (kind == PRAM)
		return mixed((a == b ? 0.7 * known / same : 0) + 0.3);
	return mixed(b >= a - 1 && b <= a + 1 ? known / within : 0);
}

/* Both matrices, one behind the other. */
static double *
both_matrices(void)
{
	double *chance = sdc_new(unit_host(), double, 2 * STRATUM * STRATUM);
	int32_t i;

	for (i = 0; i < 2 * STRATUM * STRATUM; i++)
		chance[i] = matrix_chance(i / (STRATUM * STRATUM),
								  i / STRATUM % STRATUM, i % STRATUM);
	return chance;
}

static void
check_codes(Kind kind, const char *name)
{
	int32_t codes = 12;
	int32_t record[N];
	int32_t person[N];
	int32_t low[N];
	int32_t high[N];
	double score[N];
	double worst = 0;
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, ERROR, SEED);
	SdcIntruderCandidates *found;
	int32_t k;
	int32_t j;

	for (k = 0; k < N; k++)
	{
		record[k] = (int32_t) sdc_random_below(&random_state, 13) - 1;
		person[k] = (int32_t) sdc_random_below(&random_state, 13) - 1;
		low[k] = person[k] < 0 ? 1 : person[k] < 1 ? 0 : person[k] - 1;
		high[k] = person[k] < 0 ? 0 : person[k] > 10 ? 11 : person[k] + 1;
	}
	if (kind == EQUAL)
		sdc_intruder_add_equal(intruder, person, record, codes);
	else if (kind == PRAM)
		sdc_intruder_add_pram(intruder, 0.7, person, record, codes, 1);
	else if (kind == MATRIX)
		sdc_intruder_add_matrix(intruder, both_matrices(), 2, person, record,
								STRATUM, 2);
	else
		sdc_intruder_add_range(intruder, low, high, record, codes);
	found = search_all(intruder, NULL, N, N, 1e9, false);
	for (k = 0; k < N; k += unit_sparing() ? 7 : 1)
	{
		spread_scores(found, k, score);
		for (j = 0; j < N; j++)
			worst = fmax(worst,
						 fabs(score[j] - code_score(kind, record,
													person[found->person[k]],
													record[j])));
	}
	unit_check(worst < 1e-4, "%s: scores as defined (%.2g)", name, worst);
	unit_release_all();
}

/* Univariate microaggregation: linear between the means that enclose. */
static void
check_microaggregate(void)
{
	double record[N];
	double person[] = {-5, 0.25, 2, 7.5, 1e6, NAN};
	double expected[][3] = {{1, 0, 0}, {0.75, 0.25, 0}, {0, 0.8, 0.2},
							{0, 0, 1}, {0, 0, 1},       {1, 1, 1}};
	double mean[] = {0, 1, 6};
	double score[N];
	double worst = 0;
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), 6, N, ERROR, SEED);
	SdcIntruderCandidates *found;
	const double *persons = person;
	int32_t k;
	int32_t j;

	for (j = 0; j < N; j++)
		record[j] = mean[j % 3];
	sdc_intruder_add_microaggregate(intruder, persons, record);
	found = search_all(intruder, NULL, 6, N, 1e9, false);
	for (k = 0; k < 6; k++)
	{
		int32_t i = found->person[k];

		spread_scores(found, k, score);
		for (j = 0; j < N; j++)
			worst = fmax(
				worst,
				fabs(score[j] -
					 (isnan(person[i]) ? 0 : mixed(3 * expected[i][j % 3]))));
	}
	unit_check(worst < 1e-4, "microaggregation: linear between means (%.2g)",
			   worst);
	unit_release_all();
}

/* Records within the outer radius, 1, of a record; none of one with a hole. */
static int
records_around(const double *x, const double *y, int32_t at)
{
	int count = 0;
	int32_t j;

	for (j = 0; j < N; j++)
		count += hypot(x[j] - x[at], y[j] - y[at]) <= 1;
	return count;
}

/* Places that were moved to a ring: inside of it all are alike. */
static void
check_ring(double inner)
{
	double x[2][N];
	double y[2][N];
	double score[N];
	double around = 0;
	double worst = 0;
	int known = 0;
	const double *person[] = {x[0], y[0]};
	const double *record[] = {x[1], y[1]};
	SdcIntruderRing ring = {2, person, record, inner};
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), N, N, ERROR, SEED);
	SdcIntruderCandidates *found;
	int32_t k;
	int32_t j;

	for (k = 0; k < N; k++)
	{
		for (j = 0; j < 2; j++)
		{
			x[j][k] = 3 * sdc_random_normal(&random_state);
			y[j][k] = 3 * sdc_random_normal(&random_state);
		}
		x[k % 2][k] = k % 9 == 0 ? NAN : x[k % 2][k];
	}
	for (k = 0; k < N; k++)
		if (!isnan(x[1][k]))
		{
			around += log(records_around(x[1], y[1], k) / (double) N);
			known++;
		}
	sdc_intruder_add_ring(intruder, &ring);
	found = search_all(intruder, NULL, N, N, 1e9, false);
	for (k = 0; k < N; k++)
	{
		int32_t i = found->person[k];

		spread_scores(found, k, score);
		for (j = 0; j < N; j++)
		{
			double d = hypot(x[0][i] - x[1][j], y[0][i] - y[1][j]);
			double ratio = 1 / (1 - inner * inner) / exp(around / known);

			worst = fmax(
				worst,
				fabs(
					score[j] -
					(isnan(d) ? 0 : mixed(d >= inner && d <= 1 ? ratio : 0))));
		}
	}
	unit_check(worst < 1e-4, "ring from %g: scores as defined (%.2g)", inner,
			   worst);
	unit_release_all();
}

/* Everything together, with holes, over more records than a leaf has. */
static SdcIntruder *
make_mixed(int32_t n, bool groups)
{
	double *common = draw_common(&random_state, n);
	SdcIntruder *intruder =
		sdc_intruder_create(unit_host(), n, n, ERROR, SEED);
	int32_t *a = draw_codes(&random_state, common, n, 0.01);
	int32_t *b = draw_codes(&random_state, common, n, 0.5);
	int32_t *c = draw_codes(&random_state, common, n, 1);
	int32_t *d = swap_codes(&random_state, a, n, SDC_RANK_SWAP_CLASSIC, 5);
	int32_t *e = swap_codes(&random_state, b, n, SDC_RANK_SWAP_BUCKETS, 10);
	int32_t *f = sdc_new(unit_host(), int32_t, n);
	double *x = sdc_new(unit_host(), double, n);
	double *y = sdc_new(unit_host(), double, n);
	const double *from[] = {common, x};
	const double *to[] = {y, y};
	double *z = sdc_new(unit_host(), double, n);
	SdcIntruderGroups means = {
		.columns = 2, .person = from, .record = to, .shown = 2};
	const double *noisy[] = {y, z};
	double base[] = {0, 0.01};
	SdcIntruderNoise noise = {
		SDC_NOISE_GAUSSIAN, 0.09, 2, from, noisy, base, NULL, NULL, false, 0};
	/* the same vectors, as if from here to there were a ring */
	SdcIntruderRing ring = {2, from, noisy, 0.2};
	SdcIntruderSwap first = {.method = SDC_RANK_SWAP_CLASSIC, .p = 5};
	SdcIntruderSwap second = {.method = SDC_RANK_SWAP_BUCKETS, .p = 10};
	int32_t i;

	for (i = 0; i < n; i++)
	{
		x[i] = i % 9 == 0 ? NAN : common[i];
		y[i] = i % 11 == 0
				   ? NAN
				   : common[i] + 0.3 * sdc_random_normal(&random_state);
		z[i] = common[i] + 0.3 * sdc_random_normal(&random_state);
		a[i] = i % 13 == 0 ? -1 : a[i];
		d[i] = i % 17 == 0 ? -1 : d[i];
		c[i] = c[i] < 0 ? -1 : c[i] % (2 * STRATUM);
		f[i] = i % 10 == 0 ? -1 : c[i] < 0 ? c[i] : c[i] - c[i] % 2;
	}
	first.person = codes_to_keys(a, n);
	first.record = codes_to_keys(d, n);
	second.person = codes_to_keys(b, n);
	second.record = codes_to_keys(e, n);
	sdc_intruder_add_rank_swap(intruder, &first);
	sdc_intruder_add_equal(intruder, c, c, 12);
	sdc_intruder_add_matrix(intruder, both_matrices(), 2, c, f, STRATUM, 2);
	sdc_intruder_add_rank_swap(intruder, &second);
	sdc_intruder_add_ring(intruder, &ring);
	if (groups)
		sdc_intruder_add_group(intruder, &means);
	else
		sdc_intruder_add_noise(intruder, &noise);
	return intruder;
}

static int
descending(const void *a, const void *b)
{
	float x = *(const float *) a;
	float y = *(const float *) b;

	return x > y ? -1 : x < y;
}

/* The score of a record with the least share of a list that counts. */
static double
worth_listing(const float *best, int32_t room)
{
	double sum = 0;
	int32_t k;

	for (k = 0; k < room; k++)
		sum += exp(best[k] - best[0]);
	return best[0] + log(sum * SDC_INTRUDER_SHARE) + 1e-3;
}

static void
check_pruning(bool groups, int32_t room, double depth)
{
	int32_t n = persons();
	SdcIntruder *intruder = make_mixed(n, groups);
	SdcIntruderCandidates *all = search_all(intruder, NULL, n, n, 1e9, false);
	SdcIntruderCandidates *some =
		search_all(intruder, NULL, n, room, depth, false);
	bool same = true;
	int32_t k;
	int64_t e;

	for (k = 0; k < n; k++)
	{
		float *best = (float *) all->lists.score + all->lists.first[k];
		const float *found = some->lists.score + some->lists.first[k];
		int64_t count = some->lists.first[k + 1] - some->lists.first[k];
		int64_t full = all->lists.first[k + 1] - all->lists.first[k];

		same = same && all->person[k] == some->person[k] && full == n;
		qsort(best, (size_t) full, sizeof(float), descending);
		for (e = 0; e < count; e++)
			same = same && found[e] == best[e];
		same = same && (count == room || count == full ||
						best[count] < best[0] - (float) depth ||
						best[count] < worth_listing(best, room));
	}
	unit_check(same && (unit_sparing() || some->looks < all->looks / 3 * 2),
			   "%s: the %d best of all within %g; %d of %d looks each",
			   groups ? "groups" : "noise", (int) room, depth,
			   (int) (some->looks / n), (int) (all->looks / n));
	unit_release_all();
}

/* Are these the same lists, to the bit? */
static bool
same_lists(const SdcIntruderCandidates *a, const SdcIntruderCandidates *b)
{
	int32_t n = a->lists.rows;
	size_t entries = (size_t) a->lists.first[n];

	return n == b->lists.rows && a->full == b->full && a->looks == b->looks &&
		   memcmp(a->lists.first, b->lists.first, ((size_t) n + 1) * 8) == 0 &&
		   memcmp(a->lists.column, b->lists.column, entries * 4) == 0 &&
		   memcmp(a->lists.score, b->lists.score, entries * 4) == 0 &&
		   memcmp(a->lists.rest, b->lists.rest, (size_t) n * 4) == 0 &&
		   memcmp(a->person, b->person, (size_t) n * 4) == 0 &&
		   memcmp(a->record, b->record, (size_t) a->lists.columns * 4) == 0;
}

/* A search in pieces of so many persons finds what one of all finds. */
static void
check_pieces(int32_t most)
{
	int32_t n = N;
	SdcIntruder *intruder = make_mixed(n, false);
	SdcIntruderSearch search = {.count = n,
								.room = 20,
								.depth = 14,
								.share = SDC_INTRUDER_SHARE,
								.rest = true};
	SdcIntruderCandidates *all = run_search(intruder, &search, false);
	SdcIntruderCandidates *found = NULL;
	int32_t *who = sdc_intruder_route(intruder, &search);
	int32_t start;

	for (start = 0; start < n; start += most)
	{
		SdcIntruderCandidates *piece;

		search.who = who + start;
		search.from = start;
		search.count = n - start < most ? n - start : most;
		piece = run_search(intruder, &search, false);
		if (found == NULL)
			found = piece;
		else
			sdc_intruder_candidates_join(unit_host(), found, piece);
	}
	unit_check(same_lists(all, found), "pieces of %d persons: the same bits",
			   (int) most);
	unit_release_all();
}

/* The order of blocks, and who else is looked for, change nothing. */
static void
check_splitting(void)
{
	int32_t n = persons();
	SdcIntruder *intruder = make_mixed(n, false);
	SdcIntruderCandidates *a = search_all(intruder, NULL, n, 20, 14, false);
	SdcIntruderCandidates *b = search_all(intruder, NULL, n, 20, 14, true);
	int64_t entries = a->lists.first[n];
	bool same =
		entries == b->lists.first[n] &&
		memcmp(a->lists.column, b->lists.column, (size_t) entries * 4) == 0 &&
		memcmp(a->lists.score, b->lists.score, (size_t) entries * 4) == 0 &&
		memcmp(a->person, b->person, (size_t) n * 4) == 0;

	unit_check(same, "blocks in another order: the same bits");
	unit_check(unit_polls() > 0, "polls");
	unit_release_all();
}

int
main(void)
{
	unit_start("candidates of the intruder");
	sdc_random_seed(&random_state, 3, 1);
	check_swap(SDC_RANK_SWAP_CLASSIC, 20);
	check_swap(SDC_RANK_SWAP_BUCKETS, 20);
	check_swap(SDC_RANK_SWAP_DISTRIBUTION, 10);
	check_swap(SDC_RANK_SWAP_CLASSIC, 3);
	check_codes(EQUAL, "equality");
	check_codes(PRAM, "post-randomisation");
	check_codes(MATRIX, "matrix");
	check_codes(RANGE, "ranges");
	check_microaggregate();
	check_ring(0);
	check_ring(0.6);
	check_pruning(false, 20, 14);
	check_pruning(false, 500, 3);
	check_pruning(true, 20, 14);
	check_pruning(true, 64, 5);
	check_splitting();
	check_pieces(unit_sparing() ? 7 : 1);
	check_pieces(N / 3);
	check_pieces(N - 1);
	return unit_finish();
}
