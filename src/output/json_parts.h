/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the JSON output share. Private to output/json*.c. */
#ifndef TW_OUTPUT_JSON_PARTS_H
#define TW_OUTPUT_JSON_PARTS_H

#include "base/json.h"
#include "report/report.h"

/* "client" or "server". */
const char *tw_json_side(int side);

/* An instant as seconds since the connection's first packet. */
void tw_json_instant(struct tw_json *json, const char *key, int64_t at,
		     const struct tw_connection_summary *connection);

/* A measured time that is 0 where it is not known: null then. */
void tw_json_known_seconds(struct tw_json *json, const char *key, int64_t ns);

/* A number that is 0 where it is not known: null then. */
void tw_json_known_uint(struct tw_json *json, const char *key, uint64_t value);

/* The members of a connection's object. */
void tw_json_connection(struct tw_json *json, const struct tw_connection_report *connection);

/* "client": { ... } or "server": { ... }, what that side sends. */
void tw_json_direction(struct tw_json *json, const struct tw_connection_report *connection,
		       int side);

/* "bill" or "ledger": the rows of both sides (side -1) or of one, shares of `whole`. */
void tw_json_rows(struct tw_json *json, const char *key,
		  const struct tw_connection_report *connection, int side, int64_t whole);

#endif
