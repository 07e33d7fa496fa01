/*
 * minimality_pass.c
 *		Beliefs from the arrows between the states of a group.
 *
 * A forward pass gives the probability of each state, a backward pass that of
 * reaching the end from it; the product is the share of the assignments that
 * go through an arrow.  Both are scaled anew in every step, so that small
 * probabilities do not vanish.
 *
 * A forgotten class is in no state.  But what is left of it is drawn from
 * without any condition, so the expected number of its records is all that is
 * needed, and that goes along with the forward pass.
 */
#include <string.h>

#include "kernel/attack/minimality_search.h"

/*
 * What the forward pass knows: the probability of each state, of all steps one
 * after the other, if the assignment is consistent so far; and that times the
 * records that are then expected to be left of each forgotten class.
 */
typedef struct Forward
{
	double *reached;
	double *rest; /* classes numbers for each state */
} Forward;

/* Adds what flows through an arrow to the state at its end. */
static void
flow_forward(const SdcMinimalityArrow *arrow, int32_t classes,
			 const Forward *here, const Forward *next)
{
	double flow = here->reached[arrow->from] * arrow->weight;
	double left = 1;
	const double *from = here->rest + (size_t) arrow->from * classes;
	double *to = next->rest + (size_t) arrow->to * classes;
	int32_t c;

	/* a record of the pool is of each class in proportion to what is left */
	if (arrow->class == SDC_MINIMALITY_POOL)
		left -= 1.0 / arrow->pool;
	next->reached[arrow->to] += flow;
	for (c = 0; c < classes; c++)
		to[c] += from[c] * arrow->weight * left;
	if (arrow->forgot >= 0)
		to[arrow->forgot] += flow * arrow->rest;
}

static double
sum_of(const double *number, int32_t n)
{
	double sum = 0;
	int32_t i;

	for (i = 0; i < n; i++)
		sum += number[i];
	return sum;
}

/* Divides n numbers by a divisor, unless that is 0. */
static void
divide(double *number, size_t n, double divisor)
{
	size_t i;

	for (i = 0; i < n && divisor > 0; i++)
		number[i] /= divisor;
}

static Forward
pass_forward(SdcMinimalitySearch *search, SdcMinimality *result)
{
	int32_t size = search->group.size;
	int32_t classes = result->classes;
	size_t states = 0;
	Forward forward;
	Forward here;
	int32_t step;
	int32_t a;

	for (step = 0; step <= size; step++)
		states += search->states[step];
	forward.reached = sdc_new(search->host, double, states);
	forward.rest = sdc_new(search->host, double, states *classes);
	memset(forward.reached, 0, sizeof(double) * states);
	memset(forward.rest, 0, sizeof(double) * states * classes);
	forward.reached[0] = 1;
	result->consistent = 1;
	here = forward;
	for (step = 0; step < size; step++)
	{
		int32_t after = search->states[step + 1];
		Forward next = {here.reached + search->states[step],
						here.rest + (size_t) search->states[step] * classes};
		double sum;

		search->host->poll(search->host, step, size);
		for (a = search->first[step]; a < search->first[step + 1]; a++)
			flow_forward(&search->arrow[a], classes, &here, &next);
		sum = sum_of(next.reached, after);
		divide(next.reached, after, sum);
		divide(next.rest, (size_t) after * classes, sum);
		result->consistent *= sum;
		here = next;
	}
	return forward;
}

/* The beliefs about one record from what flows through its arrows. */
static void
share_beliefs(const SdcMinimalitySearch *search, int32_t step,
			  const Forward *here, const double *end, double *before,
			  double *posterior)
{
	const SdcMinimalityGroup *group = &search->group;
	int32_t classes = group->classes;
	double sum;
	int32_t a;
	int32_t c;

	memset(before, 0, sizeof(double) * (size_t) search->states[step]);
	memset(posterior, 0, sizeof(double) * (size_t) classes);
	for (a = search->first[step]; a < search->first[step + 1]; a++)
	{
		const SdcMinimalityArrow *arrow = &search->arrow[a];
		const double *rest = here->rest + (size_t) arrow->from * classes;
		double flow = arrow->weight * end[arrow->to];

		before[arrow->from] += flow;
		if (arrow->class != SDC_MINIMALITY_POOL)
			posterior[arrow->class] += here->reached[arrow->from] * flow;
		else
			for (c = 0; c < classes; c++)
				posterior[c] += rest[c] / arrow->pool * flow;
	}
	sum = sum_of(posterior, classes);
	for (c = 0; c < classes; c++)
		posterior[c] =
			posterior[c] / sum / (group->first[c + 1] - group->first[c]);
	divide(before, search->states[step], sum_of(before, search->states[step]));
}

static void
pass_backward(SdcMinimalitySearch *search, const Forward *forward,
			  SdcMinimality *result)
{
	SdcHost *host = search->host;
	int32_t size = search->group.size;
	Forward here = *forward;
	int32_t most = 0;
	double *end;
	double *before;
	int32_t step;
	int32_t i;

	for (step = 0; step <= size; step++)
		most = search->states[step] > most ? search->states[step] : most;
	for (step = 0; step < size; step++)
	{
		here.reached += search->states[step];
		here.rest += (size_t) search->states[step] * result->classes;
	}
	end = sdc_new(host, double, most);
	before = sdc_new(host, double, most);
	for (i = 0; i < search->states[size]; i++)
		end[i] = 1;
	for (step = size - 1; step >= 0; step--)
	{
		double *swap = end;

		host->poll(host, size - step, size);
		here.reached -= search->states[step];
		here.rest -= (size_t) search->states[step] * result->classes;
		share_beliefs(search, step, &here, end, before,
					  result->posterior + (size_t) step * result->classes);
		end = before;
		before = swap;
	}
	host->release(host, end);
	host->release(host, before);
}

void
sdc_minimality_pass(SdcMinimalitySearch *search, SdcMinimality *result)
{
	Forward forward = pass_forward(search, result);

	result->posterior = sdc_new(search->host, double,
								(size_t) search->group.size * result->classes);
	pass_backward(search, &forward, result);
	search->host->release(search->host, forward.reached);
	search->host->release(search->host, forward.rest);
}
