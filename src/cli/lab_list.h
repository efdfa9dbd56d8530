/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy lab: the faults that it can make. */
#ifndef TW_CLI_LAB_LIST_H
#define TW_CLI_LAB_LIST_H

#include <stdbool.h>

/* Lists them, as text or as JSON, schema "tcpwhy-lab/1". An enum tw_status. */
int tw_lab_list(bool as_json);

#endif
