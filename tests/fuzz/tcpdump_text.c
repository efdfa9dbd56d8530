/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as tcpdump's or tshark's text. */
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_text(&tw_format_tcpdump_text, data, size);
	return 0;
}
