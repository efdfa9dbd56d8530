/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a DTrace table. */
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(&tw_format_dtrace_text, data, size);
	return 0;
}
