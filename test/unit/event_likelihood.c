/*
 * event_likelihood.c
 *		Who is who by events: scores against products over all marks, laws
 *		that were planted, parts, one to one.
 */
#include "unit.h"

#include <stdlib.h>

#include "kernel/transaction/event_likelihood.c"

#define PERSONS 14
#define RECORDS 11
#define MARKS   9
#define MOST    400

/* Sets as a matrix, and as the kernel has them. */
typedef struct File
{
	bool has[MOST][MOST];
	SdcItemSets sets;
} File;

static File known[3];
static File shown[3];

static void
build(File *file, int32_t sets, int32_t marks)
{
	static int32_t set[MOST * MOST];
	static int32_t item[MOST * MOST];
	int64_t n = 0;
	int32_t i;
	int32_t t;

	for (i = 0; i < sets; i++)
		for (t = 0; t < marks; t++)
			if (file->has[i][t])
			{
				set[n] = i;
				item[n++] = t;
			}
	file->sets = sdc_item_sets_build(unit_host(), n, set, item, sets, marks);
}

static void
draw(File *file, SdcRandom *random, int32_t sets, int32_t marks, double rate)
{
	int32_t i;
	int32_t t;

	memset(file->has, 0, sizeof(file->has));
	for (i = 0; i < sets; i++)
		for (t = 0; t < marks; t++)
			file->has[i][t] = sdc_random_unit(random) < rate;
	build(file, sets, marks);
}

/* The logarithm of the ratio, mark by mark. */
static double
ratio(int c, const SdcEventLaw *law, int32_t person, int32_t record)
{
	double sum = 0;
	int32_t t;

	for (t = 0; t < MARKS; t++)
	{
		bool mine = known[c].has[person][t];
		bool there = shown[c].has[record][t];
		double share = 0.5;
		int32_t j;

		for (j = 0; j < RECORDS; j++)
			share += shown[c].has[j][t];
		share /= RECORDS + 1;
		if (mine && there)
			sum += log(law->keep / share);
		else if (mine)
			sum += log((1 - law->keep) / (1 - share));
		else if (there)
			sum += log(law->extra);
		else
			sum += log((1 - law->extra * share) / (1 - share));
	}
	return sum;
}

static double
ratio_of_number(const SdcEventLaw *law, double own, double there)
{
	double move = (there - own - law->middle) / law->spread;

	return isnan(move) ? 0 : -log(1 + move * move);
}

/* Has the first record show every mark. */
static void
show_all(File *file)
{
	int32_t t;

	for (t = 0; t < MARKS; t++)
		file->has[0][t] = true;
	build(file, RECORDS, MARKS);
}

/* How near two values are by a law. */
static double
nearness(const SdcEventLaw *law, const double *value, int32_t t, int32_t s)
{
	double step = (value[t] - value[s] - law->low) / law->step;

	return step >= 0 && step < SDC_EVENT_STEPS ? law->near[(int) step] : 0;
}

/*
 * The ways in which the values of a record from t on are a person's, each of
 * another value of his that is not used yet, or anybody's: products of times,
 * over so many values that he has left.
 */
static double
count_ways(const double (*times)[MARKS], int32_t person, int32_t record,
		   int32_t t, bool *used, int32_t left)
{
	double sum;
	int32_t s;

	while (t < MARKS && !shown[2].has[record][t])
		t++;
	if (t == MARKS)
		return 1;
	sum = count_ways(times, person, record, t + 1, used, left);
	for (s = 0; s < MARKS; s++)
		if (known[2].has[person][s] && !used[s] && times[t][s] > 0)
		{
			used[s] = true;
			sum += times[t][s] / left *
				   count_ways(times, person, record, t + 1, used, left - 1);
			used[s] = false;
		}
	return sum;
}

/* The same of values, way by way; of many, as if each were by itself. */
static double
ratio_of_values(const SdcEventLaw *law, const double *value, int32_t person,
				int32_t record)
{
	double times[MARKS][MARKS];
	bool used[MARKS] = {false};
	double sum = 0;
	int32_t had = 0;
	int32_t size = 0;
	int32_t t;
	int32_t s;
	int32_t i;

	for (s = 0; s < MARKS; s++)
	{
		had += known[2].has[person][s];
		size += shown[2].has[record][s];
	}
	for (t = 0; t < MARKS; t++)
	{
		double all = 0;
		double own = 0;
		int32_t some = 0;

		for (i = 0; i < PERSONS; i++)
			for (s = 0; s < MARKS; s++)
				if (known[2].has[i][s])
				{
					all += nearness(law, value, t, s);
					some++;
				}
		for (s = 0; s < MARKS; s++)
		{
			times[t][s] = all > 0
							  ? law->keep / (1 - law->keep) *
									nearness(law, value, t, s) / (all / some)
							  : 0;
			own += known[2].has[person][s] ? times[t][s] : 0;
		}
		if (shown[2].has[record][t] && had > 0)
			sum += log(1 + own / had);
	}
	return size > 8 ? sum
					: log(count_ways(times, person, record, 0, used, had));
}

static void
draw_law(SdcEventLaw *law, SdcRandom *random)
{
	int k;

	law->keep = 0.05 + 0.9 * sdc_random_unit(random);
	law->extra = 0.01 + 0.98 * sdc_random_unit(random);
	law->middle = sdc_random_unit(random) - 0.5;
	law->spread = 0.1 + sdc_random_unit(random);
	law->low = -2 * sdc_random_unit(random);
	law->step = 3 * sdc_random_unit(random) / SDC_EVENT_STEPS;
	for (k = 0; k < SDC_EVENT_STEPS; k++)
		law->near[k] = k % 5 == 0 ? 0 : sdc_random_unit(random);
}

/* How many persons of the part of a record have a score. */
static int32_t
count_ties(const SdcEventIntruder *intruder, int32_t record, double score)
{
	int32_t ties = 0;
	int32_t i;

	for (i = 0; i < PERSONS; i++)
		ties += sdc_event_is_of_part(intruder, i,
									 sdc_event_part_of(intruder, record)) &&
				sdc_event_intruder_score(intruder, i, record) == score;
	return ties;
}

/* Scores of a record differ between two persons as the products do. */
static void
check_scores(int round)
{
	double own[PERSONS];
	double there[PERSONS];
	int32_t person_part[PERSONS];
	int32_t record_part[PERSONS];
	double value[MARKS];
	SdcEventChannel channel[4] = {{0}};
	SdcEventFiles files = {PERSONS,     RECORDS, 2,      person_part,
						   record_part, 4,       channel};
	SdcEventIntruder intruder;
	SdcRandom random;
	double worst = 0;
	bool best = true;
	int32_t i;
	int32_t j;
	int c;

	sdc_random_seed(&random, 5, (uint64_t) round);
	for (c = 0; c < 3; c++)
	{
		draw(&known[c], &random, PERSONS, MARKS, 0.4);
		draw(&shown[c], &random, RECORDS, MARKS, 0.3 + 0.2 * (c % 2));
		show_all(&shown[c]);
		channel[c == 2 ? 3 : c].known = known[c].sets;
		channel[c == 2 ? 3 : c].shown = shown[c].sets;
	}
	for (i = 0; i < MARKS; i++)
		value[i] = (i > 0 ? value[i - 1] : -2) + sdc_random_unit(&random);
	channel[3].value = value;
	for (i = 0; i < PERSONS; i++)
	{
		person_part[i] = round % 2 == 0 ? 0 : i % 2;
		own[i] = i == 3 ? NAN : sdc_random_unit(&random);
		record_part[i] = round % 2 == 0 ? 0 : i % 2;
		there[i] = i == 2 ? NAN : sdc_random_unit(&random);
	}
	channel[2].is_number = true;
	channel[2].known_number = own;
	channel[2].shown_number = there;
	intruder = sdc_event_intruder_create(unit_host(), &files);
	for (c = 0; c < 4; c++)
		draw_law(&intruder.law[c], &random);
	sdc_event_weigh(&intruder);
	for (j = 0; j < RECORDS; j++)
	{
		double first = NAN;
		double constant = 0;
		double greatest = -INFINITY;

		sdc_event_intruder_best(&intruder, j);
		for (i = 0; i < PERSONS; i++)
		{
			double sum = ratio(0, &intruder.law[0], i, j) +
						 ratio(1, &intruder.law[1], i, j) +
						 ratio_of_number(&intruder.law[2], own[i], there[j]) +
						 ratio_of_values(&intruder.law[3], value, i, j);
			double score;

			if (person_part[i] != record_part[j])
				continue;
			if (isnan(first))
			{
				first = sum;
				constant = sdc_event_intruder_score(&intruder, i, j);
			}
			score = sdc_event_intruder_score(&intruder, i, j);
			worst = fmax(worst, fabs(score - constant - (sum - first)));
			greatest = fmax(greatest, score);
		}
		best = best && intruder.rows == count_ties(&intruder, j, greatest) &&
			   greatest == intruder.best;
		for (i = 0; i < intruder.rows; i++)
			best = best &&
				   sdc_event_intruder_score(&intruder, intruder.row[i], j) ==
					   greatest &&
				   person_part[intruder.row[i]] == record_part[j] &&
				   (i == 0 || intruder.row[i] > intruder.row[i - 1]);
	}
	unit_check(worst < 1e-9, "round %d: scores are products over marks: %g",
			   round, worst);
	unit_check(best, "round %d: the best are the best of the part", round);
}

/* The places of all persons of a part by score, the best first. */
static int32_t
list_slowly(const SdcEventIntruder *intruder, const SdcLinkOrder *order,
			int32_t record, int32_t *place, double *score)
{
	int32_t n = 0;
	int32_t i;
	int32_t k;

	for (i = 0; i < order->records; i++)
	{
		double own =
			sdc_event_intruder_score(intruder, order->record[i], record);

		if (!sdc_event_is_of_part(intruder, order->record[i],
								  sdc_event_part_of(intruder, record)))
			continue;
		for (k = n++; k > 0 && own > score[k - 1]; k--)
		{
			place[k] = place[k - 1];
			score[k] = score[k - 1];
		}
		place[k] = i;
		score[k] = own;
	}
	return n;
}

/*
 * What a search lists is what sorting all persons gives, whatever they share:
 * marks and numbers, numbers alone, hardly anything, in one part or several.
 */
static void
check_lists(int round)
{
	enum
	{
		people = 200,
		marks = 12,
		most = 7
	};
	static double own[2][people];
	static double there[2][people];
	static int32_t part[people];
	SdcEventChannel channel[3] = {{0}};
	SdcEventFiles files = {people, people, 3, part, part, 3, channel};
	SdcEventIntruder intruder;
	Candidate heap[people];
	int32_t place[people];
	int32_t slow_place[people];
	double cost[people];
	double slow[people];
	int32_t shuffled[people];
	SdcLinkOrder order = {people, shuffled, people, shuffled, NULL};
	int32_t back[people];
	SdcRandom random;
	bool same = true;
	int32_t i;
	int32_t j;
	int c;

	sdc_random_seed(&random, 8, (uint64_t) round);
	draw(&known[0], &random, people, marks, round % 4 == 1 ? 0 : 0.2);
	draw(&shown[0], &random, people, marks, round % 4 == 1 ? 0 : 0.3);
	channel[0].known = known[0].sets;
	channel[0].shown = shown[0].sets;
	for (c = 0; c < 2; c++)
	{
		for (i = 0; i < people; i++)
		{
			part[i] = round % 2 == 0 ? 0 : i % 3;
			shuffled[i] = (i * 77 + 5) % people;
			back[shuffled[i]] = i;
			/* few values, so that there are ties; some are not known */
			own[c][i] = sdc_random_below(&random, 9) == 0
							? NAN
							: (double) sdc_random_below(&random, 15) / 4;
			there[c][i] = sdc_random_below(&random, 9) == 0
							  ? NAN
							  : own[c][i] + sdc_random_unit(&random) / 2;
		}
		channel[1 + c].is_number = true;
		channel[1 + c].known_number = own[c];
		channel[1 + c].shown_number = there[c];
	}
	files.channels = round % 4 == 2 ? 1 : 3;
	order.place = back;
	intruder = sdc_event_intruder_create(unit_host(), &files);
	sdc_event_intruder_fit(&intruder, 2, 50);
	for (j = 0; j < people; j++)
	{
		Listing listing = {&intruder, heap};
		int32_t n;
		int32_t k;
		int32_t person = back[j];

		n = list_best(&listing, &order, person, most, place, cost);
		(void) list_slowly(&intruder, &order, j, slow_place, slow);
		for (k = 0; k < n; k++)
			same = same && place[k] == slow_place[k] &&
				   cost[k] == slow[0] - slow[k];
		same = same && n > 0 && (n == most || slow[0] - slow[n] > 39);
	}
	unit_check(same, "round %d: lists are the best in order", round);
}

/* Records are made of persons by a law, which is then learned. */
static void
check_fit(double keep, double extra)
{
	enum
	{
		people = 300,
		marks = 200
	};
	static int32_t owner[people];
	SdcEventChannel channel = {0};
	SdcEventFiles files = {people, people, 1, NULL, NULL, 1, &channel};
	SdcEventIntruder intruder;
	SdcLinkAssignment assignment;
	SdcLinkAssignment again;
	static bool taken[people];
	SdcRandom random;
	int32_t right = 0;
	bool once = true;
	bool same = true;
	int32_t i;
	int32_t t;

	sdc_random_seed(&random, 6, (uint64_t) (keep * 100));
	draw(&known[0], &random, people, marks, 0.1);
	memset(shown[0].has, 0, sizeof(shown[0].has));
	for (i = 0; i < people; i++)
	{
		owner[i] = (i * 77 + 5) % people;
		for (t = 0; t < marks; t++)
			shown[0].has[i][t] = known[0].has[owner[i]][t]
									 ? sdc_random_unit(&random) < keep
									 : sdc_random_unit(&random) < extra * 0.1;
	}
	build(&shown[0], people, marks);
	channel.known = known[0].sets;
	channel.shown = shown[0].sets;
	intruder = sdc_event_intruder_create(unit_host(), &files);
	sdc_event_intruder_fit(&intruder, 4, 1000);
	unit_check(fabs(intruder.law[0].keep - keep) < 0.05,
			   "keep %.2f was learned as %.3f", keep, intruder.law[0].keep);
	unit_check(fabs(intruder.law[0].extra - extra) < 0.1,
			   "extra %.2f was learned as %.3f", extra, intruder.law[0].extra);
	assignment = sdc_event_intruder_assign(&intruder, 1);
	again = sdc_event_intruder_assign(&intruder, 1);
	memset(taken, 0, sizeof(taken));
	for (i = 0; i < people; i++)
	{
		int32_t row = assignment.row[i];

		once = once && row >= 0 && !taken[row];
		if (row >= 0)
			taken[row] = true;
		same = same && again.row[i] == row;
		right += row == owner[i];
	}
	unit_check(once, "keep %.2f: nobody is linked twice", keep);
	unit_check(same, "keep %.2f: a seed repeats itself", keep);
	unit_check(right > people * 98 / 100, "keep %.2f: found %d of %d", keep,
			   (int) right, people);
}

/* Sets whose every third one keeps all marks, and the others a third: records
 * that are learned from must not all be of one kind. */
static void
check_turns(void)
{
	enum
	{
		people = 390,
		marks = 200
	};
	SdcEventChannel channel = {0};
	SdcEventFiles files = {people, people, 1, NULL, NULL, 1, &channel};
	SdcEventIntruder intruder;
	SdcRandom random;
	int32_t i;
	int32_t t;

	sdc_random_seed(&random, 12, 0);
	draw(&known[0], &random, people, marks, 0.1);
	memset(shown[0].has, 0, sizeof(shown[0].has));
	for (i = 0; i < people; i++)
		for (t = 0; t < marks; t++)
			shown[0].has[i][t] =
				known[0].has[i][t] &&
				(i % 3 == 0 || sdc_random_below(&random, 3) == 0);
	build(&shown[0], people, marks);
	channel.known = known[0].sets;
	channel.shown = shown[0].sets;
	intruder = sdc_event_intruder_create(unit_host(), &files);
	/* 130 of them: one of each three */
	sdc_event_intruder_fit(&intruder, 4, people / 3 + 1);
	unit_check(fabs(intruder.law[0].keep - 5.0 / 9) < 0.07,
			   "sets in turn keep %.2f, learned as %.3f", 5.0 / 9,
			   intruder.law[0].keep);
	sdc_event_intruder_release(&intruder);
}

/*
 * Values of records are a person's, moved by a law that nobody is told, but
 * for some that are anybody's; what was moved by so much is what was planted.
 */
static void
check_moved(const char *what, double low, double high, double stays,
			int32_t least)
{
	enum
	{
		people = 400,
		had = 6
	};
	static double all[2 * people * had];
	static double sorted[2 * people * had];
	static int32_t set[2][people * had];
	static int32_t item[2][people * had];
	SdcEventChannel channel = {0};
	SdcEventFiles files = {people, people, 1, NULL, NULL, 1, &channel};
	SdcEventIntruder intruder;
	SdcRandom random;
	int32_t right = 0;
	double outside = 0;
	int32_t i;
	int32_t k;

	sdc_random_seed(&random, 9, 0);
	for (i = 0; i < people * had; i++)
	{
		all[i] = 1000 * sdc_random_unit(&random);
		all[people * had + i] =
			sdc_random_unit(&random) < stays
				? all[i] + low + (high - low) * sdc_random_unit(&random)
				: 1000 * sdc_random_unit(&random);
		set[0][i] = i / had;
		/* records are in another order */
		set[1][i] = i / had * 77 % people;
	}
	memcpy(sorted, all, sizeof(sorted));
	for (i = 1; i < 2 * people * had; i++)
		for (k = i; k > 0 && sorted[k] < sorted[k - 1]; k--)
		{
			double other = sorted[k];

			sorted[k] = sorted[k - 1];
			sorted[k - 1] = other;
		}
	channel.value = sorted;
	for (k = 0; k < 2; k++)
	{
		for (i = 0; i < people * had; i++)
		{
			item[k][i] = 0;
			while (sorted[item[k][i]] != all[k * people * had + i])
				item[k][i]++;
		}
		*(k == 0 ? &channel.known : &channel.shown) =
			sdc_item_sets_build(unit_host(), people * had, set[k], item[k],
								people, 2 * people * had);
	}
	intruder = sdc_event_intruder_create(unit_host(), &files);
	sdc_event_intruder_fit(&intruder, 4, 200);
	for (i = 0; i < people; i++)
	{
		sdc_event_intruder_best(&intruder, i * 77 % people);
		right += intruder.rows == 1 && intruder.row[0] == i;
	}
	for (k = 0; k < SDC_EVENT_STEPS; k++)
	{
		double from = intruder.law[0].low + k * intruder.law[0].step;

		if (from + intruder.law[0].step < low - 0.5 || from > high + 0.5)
			outside += intruder.law[0].near[k];
	}
	unit_check(right >= least, "%s: found %d of %d", what, (int) right,
			   people);
	unit_check(fabs(intruder.law[0].keep - stays) < 0.06,
			   "%s: %.2f stay, learned as %.3f", what, stays,
			   intruder.law[0].keep);
	unit_check(outside < 0.1, "%s: %.3f of the moves are not what was planted",
			   what, outside);
	sdc_event_intruder_release(&intruder);
}

#define NOISY  200
#define EVENTS 6

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* The person whose values, in order, are nearest to those of a record. */
static int32_t
pair_in_order(const double *own, const double *there)
{
	double least = INFINITY;
	int32_t best = 0;
	int32_t i;
	int e;

	for (i = 0; i < NOISY; i++)
	{
		double sum = 0;

		for (e = 0; e < EVENTS; e++)
			sum += fabs(own[i * EVENTS + e] - there[e]);
		if (sum < least)
		{
			least = sum;
			best = i;
		}
	}
	return best;
}

/*
 * Six values of each with noise: as many are found as by who pairs the values
 * in their order.  Value by value, a third fewer would be.
 */
static void
check_noise(uint64_t seed)
{
	static double value[2 * NOISY * EVENTS];
	static double mark[2 * NOISY * EVENTS];
	static int32_t set[NOISY * EVENTS];
	static int32_t item[2][NOISY * EVENTS];
	const int32_t n = NOISY * EVENTS;
	SdcEventChannel channel = {0};
	SdcEventFiles files = {NOISY, NOISY, 1, NULL, NULL, 1, &channel};
	SdcEventIntruder intruder;
	SdcRandom random;
	double found = 0;
	int paired = 0;
	int32_t i;
	int32_t j;

	sdc_random_seed(&random, seed, 0);
	for (i = 0; i < n; i++)
	{
		value[i] = sdc_exp(2 + 2 * sdc_random_unit(&random));
		value[n + i] = value[i] + 2 * sdc_random_normal(&random);
		set[i] = i / EVENTS;
	}
	memcpy(mark, value, sizeof(mark));
	qsort(mark, 2 * n, sizeof(double), compare_doubles);
	for (i = 0; i < 2 * n; i++)
	{
		const double *at =
			bsearch(&value[i], mark, 2 * n, sizeof(double), compare_doubles);

		item[i / n][i % n] = (int32_t) (at - mark);
	}
	channel.known =
		sdc_item_sets_build(unit_host(), n, set, item[0], NOISY, 2 * n);
	channel.shown =
		sdc_item_sets_build(unit_host(), n, set, item[1], NOISY, 2 * n);
	channel.value = mark;
	intruder = sdc_event_intruder_create(unit_host(), &files);
	sdc_event_intruder_fit(&intruder, 4, NOISY);
	for (j = 0; j < 2 * NOISY; j++)
		qsort(value + j * EVENTS, EVENTS, sizeof(double), compare_doubles);
	for (j = 0; j < NOISY; j++)
	{
		sdc_event_intruder_best(&intruder, j);
		for (i = 0; i < intruder.rows; i++)
			found += intruder.row[i] == j ? 1.0 / intruder.rows : 0;
		paired += pair_in_order(value, value + n + j * EVENTS) == j;
	}
	unit_check(found >= paired - 8, "with noise: found %.0f, by order %d",
			   found, paired);
}

/*
 * Records that are all alike tell nothing: everybody is equally likely for
 * each, and one to one finds one person on average.
 */
static void
check_alike(void)
{
	SdcEventChannel channel = {0};
	SdcEventFiles files = {40, 40, 1, NULL, NULL, 1, &channel};
	SdcEventIntruder intruder;
	SdcRandom random;
	double right = 0;
	int32_t i;
	int32_t t;
	int seed;

	sdc_random_seed(&random, 7, 0);
	draw(&known[0], &random, 1, 20, 0.5);
	for (i = 1; i < 40; i++)
		for (t = 0; t < 20; t++)
			known[0].has[i][t] = known[0].has[0][t];
	build(&known[0], 40, 20);
	channel.known = channel.shown = known[0].sets;
	intruder = sdc_event_intruder_create(unit_host(), &files);
	sdc_event_intruder_fit(&intruder, 4, 7);
	sdc_event_intruder_best(&intruder, 3);
	unit_check(intruder.rows == 40, "all are equally likely");
	for (seed = 0; seed < 400; seed++)
	{
		SdcLinkAssignment assignment =
			sdc_event_intruder_assign(&intruder, (uint64_t) seed);

		for (i = 0; i < 40; i++)
			right += assignment.row[i] == i;
	}
	/* 400 permutations: mean 1, deviation of the mean 1 / 20 */
	unit_check(fabs(right / 400 - 1) < 0.25,
			   "who is alike is found by chance: %.2f a time", right / 400);
}

int
main(void)
{
	int step = unit_sparing() ? 5 : 1;
	int round;

	unit_start("event_likelihood");
	for (round = 0; round < 12; round += step)
		check_scores(round);
	for (round = 0; round < 12; round += step)
		check_lists(round);
	check_fit(0.7, 0.3);
	check_turns();
	check_moved("by 10", -10, 10, 1, 380);
	check_noise(1);
	check_alike();
	if (unit_sparing())
		return unit_finish();
	check_fit(0.9, 0.05);
	check_moved("forward", 0, 40, 1, 300);
	check_moved("all by 100", 95, 105, 1, 380);
	check_moved("a third drawn anew", -2, 2, 0.66, 360);
	check_moved("not moved", 0, 0, 0.9, 395);
	check_noise(2);
	unit_check(sdc_event_scale(0) == 0 && sdc_event_scale(-3) < 0 &&
				   sdc_event_scale(2) > sdc_event_scale(1),
			   "the scale of numbers rises");
	return unit_finish();
}
