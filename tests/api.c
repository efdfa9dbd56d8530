/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program other than tcpwhy: sees only tcpwhy.h, linked with libtcpwhy as installed. A request,
 * a server that thinks for a second, an answer; the bill must say so. Prints TAP.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tcpwhy.h"

static int cases, failures;

static void check(bool good, const char *name)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++cases, name);
	failures += !good;
}

static const char trace[] =
	"12:00:00.000000 IP 192.0.2.1.40000 > 192.0.2.2.80: Flags [S], seq 1000, win 64240, options [mss 1460,sackOK,nop,nop,nop,wscale 7], length 0\n"
	"12:00:00.020000 IP 192.0.2.2.80 > 192.0.2.1.40000: Flags [S.], seq 5000, ack 1001, win 64240, options [mss 1460,sackOK,nop,nop,nop,wscale 7], length 0\n"
	"12:00:00.020100 IP 192.0.2.1.40000 > 192.0.2.2.80: Flags [.], ack 1, win 502, length 0\n"
	"12:00:00.020200 IP 192.0.2.1.40000 > 192.0.2.2.80: Flags [P.], seq 1:101, ack 1, win 502, length 100\n"
	"12:00:00.040300 IP 192.0.2.2.80 > 192.0.2.1.40000: Flags [.], ack 101, win 501, length 0\n"
	"12:00:01.040300 IP 192.0.2.2.80 > 192.0.2.1.40000: Flags [P.], seq 1:501, ack 101, win 501, length 500\n"
	"12:00:01.040350 IP 192.0.2.1.40000 > 192.0.2.2.80: Flags [.], ack 501, win 501, length 0\n";

static void check_report(const struct tw_report *report)
{
	const char *cause = NULL, *party = NULL;
	double seconds, sum = 0;
	unsigned row;
	int side;

	check(tw_report_connections(report) == 1, "one connection");
	if (tw_report_connections(report) != 1)
		return;
	for (row = 0; tw_report_bill(report, 0, row, &cause, &party, &side, &seconds); row++) {
		if (row == 0)
			check(!strcmp(cause, "sender-app") && side == 1 && seconds > 0.9 &&
			      !strcmp(party, "sending application"), "the server's program is to blame");
		sum += seconds;
	}
	check(row >= 2 && row < 10, "a bill of some rows");
	check(fabs(tw_report_duration(report, 0) - 1.04035) < 1e-6, "the duration");
	check(fabs(sum - tw_report_duration(report, 0)) < 1e-6, "the rows sum to the duration");
	check(!tw_report_bill(report, 0, 1000, &cause, &party, &side, &seconds), "no row beyond");
	check(!tw_report_bill(report, 1, 0, &cause, &party, &side, &seconds), "no connection beyond");
}

static void check_errors(void)
{
	struct tw_options options = { .size = sizeof(options), .filter = "tcp and ((" };
	struct tw_analysis *a = NULL;
	struct tw_report *report = NULL;

	check(tw_analysis_new(&a, &options) < 0, "a filter that is none");
	tw_analysis_free(a);
	a = NULL;
	check(!tw_analysis_new(&a, NULL), "an analysis");
	check(tw_analysis_add_file(a, "/nonexistent/x.pcap") == -ENOENT, "a file that is not there");
	check(strstr(tw_analysis_error(a), "x.pcap") != NULL, "the error names it");
	check(tw_analysis_add_file(a, "/") == -EISDIR, "a folder");
	check(!tw_analysis_finish(a, &report) && tw_report_connections(report) == 0, "an empty report");
	tw_report_free(report);
	tw_analysis_free(a);
	tw_analysis_free(NULL);
	tw_report_free(NULL);
}

int main(void)
{
	char path[] = "/tmp/tcpwhy-api-XXXXXX";
	struct tw_analysis *a = NULL;
	struct tw_report *report = NULL;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, trace, sizeof(trace) - 1) != (ssize_t)sizeof(trace) - 1) {
		perror(path);
		return 1;
	}
	close(fd);
	check(!tw_analysis_new(&a, NULL) && !tw_analysis_add_file(a, path), "reads a trace");
	check(!tw_analysis_finish(a, &report) && report, "gives a report");
	unlink(path);
	if (report)
		check_report(report);
	tw_report_free(report);
	tw_analysis_free(a);
	check_errors();
	check(tw_version()[0] != '\0', "has a version");
	printf("1..%d\n", cases);
	return failures != 0;
}
