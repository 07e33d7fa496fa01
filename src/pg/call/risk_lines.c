/*
 * risk_lines.c
 *		The names of the lines of sdc.risk_report.
 */
#include "postgres.h"

#include "pg/call/risk_lines.h"

const char *const sdcpg_risk_lines[SDC_RISK_LINES + 1] = {
	"records",
	"classes",
	"k_anonymity",
	"unique_count",
	"unique_share",
	"average_class",
	"largest_class",
	"below_3",
	"below_5",
	"discernibility",
	"prosecutor_highest",
	"prosecutor_average",
	"at_risk",
	"population",
	"sampling_fraction",
	"individual_risk_highest",
	"expected_reids",
	"global_risk",
	"risk_threshold",
	"dis",
	"k_map",
	"delta_presence_lowest",
	"delta_presence_highest",
	"journalist_highest",
	"journalist_average",
	"marketer",
	"l_distinct",
	"l_entropy",
	"l_frequency",
	"l_recursive",
	"t_equal",
	"t_ordered",
	"t_hierarchical",
	"beta_likeness",
	"enhanced_beta",
	"delta_disclosure",
	"homogeneous_records",
	"background_knowledge",
	NULL};
