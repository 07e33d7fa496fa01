/*
 * release_report.c
 *		sdc.report: what a release published, at which risk, and why.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "pg/call/args.h"
#include "pg/release/report_content.h"
#include "pg/release/report_format.h"
#include "pg/server/compat.h"

PG_FUNCTION_INFO_V1(sdcf_report);

static const char *const formats[] = {"text", "markdown", "html", "json",
									  NULL};

static void (*const writers[])(StringInfo, const SdcReportModel *) = {
	sdcpg_report_text, sdcpg_report_markdown, sdcpg_report_html,
	sdcpg_report_json};

/*
 * report(release bigint, format text)
 */
Datum
sdcf_report(PG_FUNCTION_ARGS)
{
	SdcRelease *release;
	SdcReleases history;
	StringInfoData out;
	int format;

	if (PG_ARGISNULL(0))
		sdcpg_args_null("release");
	if (PG_ARGISNULL(1))
		sdcpg_args_null("format");
	format = sdcpg_args_choice("format", PG_GETARG_TEXT_PP(1), formats);
	release = sdcpg_history_find(PG_GETARG_INT64(0));
	if (release == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("there is no release " INT64_FORMAT
							   ", or none that you may see",
							   PG_GETARG_INT64(0)),
						errhint("Owners of the policy see its releases, and "
								"roles that may SELECT from "
								"sdc.release_history.")));
	history = sdcpg_history_of_policy(release->policy);
	initStringInfo(&out);
	writers[format](&out, sdcpg_report_model(release, &history));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
