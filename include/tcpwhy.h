/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtcpwhy: why is this transfer slow? Open an analysis, give it captures, take the report.
 *
 *     struct tw_analysis *a = NULL;
 *     if (!tw_analysis_new(&a, NULL) && !tw_analysis_add_file(a, "slow.pcap")) {
 *             struct tw_report *r = NULL;
 *             if (!tw_analysis_finish(a, &r)) ...
 *             tw_report_free(r);
 *     }
 *     tw_analysis_free(a);
 *
 * Functions return 0 or a negative errno. Nothing here prints, exits or reads a clock. An analysis
 * belongs to one thread at a time.
 */
#ifndef TCPWHY_H
#define TCPWHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_API __attribute__((visibility("default")))

struct tw_analysis;
struct tw_report; /* rendered by the program; figures by the accessors below */

enum tw_vantage_option { TW_VANTAGE_INFER, TW_VANTAGE_SENDER, TW_VANTAGE_RECEIVER, TW_VANTAGE_MIDDLE };

struct tw_options {
	size_t size;              /* sizeof(struct tw_options): lets fields be added */
	uint32_t keep;            /* connections kept whole, the most costly; 0: 1,000 */
	uint32_t max_connections; /* open at once; beyond it the least recent is closed; 0: 1,000,000 */
	bool keep_intervals;      /* keep every stall and round, not only examples */
	uint64_t only_flow;       /* analyse only the connection of this id; 0: all */
	enum tw_vantage_option vantage;
	const char *filter;       /* tcpdump filter expression; NULL: everything. -ENOTSUP without libpcap */
	/*
	 * Called now and then while a file is read, at least every 65,536 packets: `share` is 0 to 1,
	 * or negative where the length is not known. NULL: not called.
	 */
	void (*progress)(void *context, double share, uint64_t packets);
	void *progress_context;
};

/*
 * `options` NULL means all defaults. `*out` is owned by the caller; also on failure (but -ENOMEM,
 * where it may be NULL): then it is good for tw_analysis_error, which says what is wrong with the
 * filter, and for tw_analysis_free.
 */
TW_API int tw_analysis_new(struct tw_analysis **out, const struct tw_options *options);

/*
 * Reads a capture whole: a path, or "-" for standard input. 0: read to its end. -EBADMSG: it broke
 * off early; what was readable counts, the report's input says where. Any other negative errno:
 * nothing was readable, and tw_analysis_error tells why.
 */
TW_API int tw_analysis_add_file(struct tw_analysis *analysis, const char *path);

/* One line on the last failure; "" where there was none. Valid until the next call. */
TW_API const char *tw_analysis_error(const struct tw_analysis *analysis);

/* Closes every connection and builds the report, owned by the caller. Call once. */
TW_API int tw_analysis_finish(struct tw_analysis *analysis, struct tw_report **out);

TW_API void tw_analysis_free(struct tw_analysis *analysis);

/* Async-signal-safe: reading stops as at the end of the input. */
TW_API void tw_interrupt(void);

TW_API void tw_report_free(struct tw_report *report);

/* Figures of a report, for programs other than tcpwhy. Connections are 0-based, most costly first. */
TW_API unsigned tw_report_connections(const struct tw_report *report);
TW_API double tw_report_duration(const struct tw_report *report, unsigned connection); /* seconds */

/* Row `row` of a connection's bill; false past the last. `*cause` and `*party` are static strings. */
TW_API bool tw_report_bill(const struct tw_report *report, unsigned connection, unsigned row,
			   const char **cause, const char **party, int *side, double *seconds);

TW_API const char *tw_version(void);

#ifdef __cplusplus
}
#endif
#endif
