/*
 * Suppression of random tables against a plain attack that knows nothing of
 * the kernel: outsiders and respondents, who know that counts are whole.
 */
#include "tabular_case.h"

int
main(void)
{
	RandomAttack attack;

	unit_start("suppression_random");
	glp_term_out(GLP_OFF);
	attack = attack_random(200, 1000);
	unit_check(attack.unbalanced == 0, "sums add up");
	unit_check(attack.found > 100 && attack.broken == 0,
			   "%d of %d protected tables fall to a plain attack",
			   attack.broken, attack.found);
	return unit_finish();
}
