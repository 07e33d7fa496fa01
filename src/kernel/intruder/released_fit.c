/*
 * released_fit.c
 *		Least squares for the forms of released columns, with weights by a
 *		Student law.
 *
 * A form is fitted many times to the same links, so these are gathered once,
 * and the rounds end when the spread of the errors stays.
 */
#include "kernel/intruder/error_law.h"
#include "kernel/intruder/released.h"

#include <math.h>
#include <string.h>

#include "kernel/linear/square.h"

/* When the spread of a law that holds for most, which comes near slowly, and
 * of any other one is near. */
#define NEAR   1e-3
#define NEARER 1e-7

/* Sums of weighted squares and products of the variables and the column. */
typedef struct Sums
{
	int variables;
	double product[SDC_FORM_VARIABLES * SDC_FORM_VARIABLES];
	double with[SDC_FORM_VARIABLES];
	double weight;
	double square; /* of errors, as the law weighs them */
} Sums;

/* Clears what so many variables need: a fit does so in each round. */
static void
clear_sums(Sums *sums, int variables)
{
	size_t n = (size_t) variables;

	sums->variables = variables;
	sums->weight = sums->square = 0;
	memset(sums->product, 0, sizeof(double) * n * n);
	memset(sums->with, 0, sizeof(double) * n);
}

static void
add_sums(Sums *sums, const double *variable, double target, double weight)
{
	double *product = sums->product;
	int a;
	int b;

	for (a = 0; a < sums->variables; a++, product += sums->variables)
	{
		double x = weight * variable[a];

		for (b = 0; b <= a; b++)
			product[b] += x * variable[b];
		sums->with[a] += x * target;
	}
}

/*
 * The form of the least squares; variables from first on until end are left
 * out.  False, and the form as it was, where there is none.
 */
static bool
solve(const Sums *sums, int first, int end, SdcForm *form)
{
	int n = sums->variables;
	double matrix[SDC_FORM_VARIABLES * SDC_FORM_VARIABLES];
	double inverse[SDC_FORM_VARIABLES * SDC_FORM_VARIABLES];
	double with[SDC_FORM_VARIABLES];
	double ridge = 1e-9 * (sums->weight + 1);
	int a;
	int b;

	for (a = 0; a < n; a++)
	{
		with[a] = a >= first && a < end ? 0 : sums->with[a];
		for (b = 0; b < n; b++)
		{
			bool out = (a >= first && a < end) || (b >= first && b < end);
			double x = sums->product[a >= b ? a * n + b : b * n + a];

			matrix[a * n + b] = a == b ? x + ridge : out ? 0 : x;
		}
	}
	return sdc_square_solve(n, matrix, inverse, ridge * 1e-3, with,
							form->factor);
}

/* The links that a form is fitted to, with the variables of each, and the
 * column. */
typedef struct Fitted
{
	int32_t links;
	int variables;
	double *variable; /* [link * variables] */
	double *target;
} Fitted;

/* Gathers every step-th link, but for those of which a value is missing: that
 * makes all of a form missing. */
static Fitted
gather_links(const SdcLearning *learning, int step)
{
	SdcHost *host = learning->intruder->host;
	Fitted of = {0, 1 + learning->known + learning->beside, NULL, NULL};
	size_t room = (size_t) (learning->links / step + 1);
	double *variable;
	int32_t k;
	int c;

	of.target = sdc_new(host, double, room);
	of.variable = variable =
		sdc_new(host, double, room *(size_t) of.variables);
	for (k = 0; k < learning->links; k += step)
	{
		int32_t person = learning->link[k];
		int32_t record = learning->released->partner[person];
		double target = sdc_standard_at(&learning->target, record);
		bool missing = isnan(target);

		variable[0] = 1;
		for (c = 0; c < learning->known; c++)
		{
			variable[1 + c] = sdc_standard_at(&learning->person[c], person);
			missing |= isnan(variable[1 + c]);
		}
		for (c = 0; c < learning->beside; c++)
			variable[1 + learning->known + c] =
				sdc_learning_beside(learning, c, record);
		if (missing)
			continue;
		of.target[of.links++] = target;
		variable += of.variables;
	}
	return of;
}

/* The error of a link that is fitted, summed up as sdc_learning_error does. */
static inline double
error_of(const SdcForm *form, const double *variable, double target, int known,
		 int variables)
{
	double expected = form->factor[0];
	int c;

	for (c = 1; c <= known; c++)
		expected += form->factor[c] * variable[c];
	for (; c < variables; c++)
		target -= form->factor[c] * variable[c];
	return target - expected;
}

/* One round: the sums of all links, weighed by their errors by a form. */
static void
sum_links(const SdcLearning *learning, const Fitted *of, const SdcForm *form,
		  bool weighed, Sums *sums)
{
	const double *variable = of->variable;
	int32_t k;

	clear_sums(sums, of->variables);
	for (k = 0; k < of->links; k++, variable += of->variables)
	{
		double error = error_of(form, variable, of->target[k], learning->known,
								of->variables);
		double weight = weighed ? sdc_student_weight(error, form->spread,
													 learning->degrees)
								: 1;

		add_sums(sums, variable, of->target[k], weight);
		sums->weight += 1;
		sums->square += weight * error * error;
	}
}

SdcForm
sdc_learning_fit_links(const SdcLearning *learning, int step, bool with,
					   int rounds)
{
	SdcHost *host = learning->intruder->host;
	Fitted of = gather_links(learning, step);
	int known = with ? 0 : learning->known;
	double near = sdc_learning_of_most(learning) ? NEAR : NEARER;
	SdcForm form = {.spread = 1};
	double before = 0;
	Sums sums;
	int round;

	for (round = 0; round < rounds && of.links > 0; round++)
	{
		host->poll(host, 0, 0);
		sum_links(learning, &of, &form, round > 0, &sums);
		if (!solve(&sums, 1, 1 + known, &form))
			break;
		form.spread = fmax(sqrt(sums.square / sums.weight), SDC_LEAST_SPREAD);
		if (fabs(form.spread - before) <= near * before)
			break;
		before = form.spread;
	}
	host->release(host, of.variable);
	host->release(host, of.target);
	return form;
}
