/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy causes, tcpwhy findings: the tables behind the words of a report. */
#include "cli/command.h"
#include "finding/finding.h"
#include "ledger/cause.h"

static int no_operands(int argc, char **argv)
{
	if (argc < 2)
		return 0;
	tw_complain("'tcpwhy %s' takes no arguments", argv[0]);
	return -1;
}

int tw_cmd_causes(int argc, char **argv)
{
	if (no_operands(argc, argv))
		return TW_STATUS_FAILED;
	for (unsigned i = 0; i < TW_CAUSE_COUNT; i++)
		printf("%-23s %-22s %s\n", tw_cause_id(i), tw_party_title(tw_cause_party(i)),
		       tw_cause_meaning(i));
	return tw_finish_output(0, TW_STATUS_FINE);
}

int tw_cmd_findings(int argc, char **argv)
{
	if (no_operands(argc, argv))
		return TW_STATUS_FAILED;
	for (unsigned i = 0; i < TW_FINDING_COUNT; i++)
		printf("%-24s %-12s %s\n", tw_finding_id(i),
		       tw_finding_class(i) == TW_CLASS_FAULT ? "fault" : "information",
		       tw_finding_title(i));
	return tw_finish_output(0, TW_STATUS_FINE);
}
