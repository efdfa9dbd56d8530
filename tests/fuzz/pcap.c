/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a source; the corpus is of pcap files. */
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_source(data, size, 1 << 16);
	return 0;
}
