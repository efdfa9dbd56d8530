/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the text of the lab's traffic: it is refused with one line and without effect, or printed
 * back as a text of the same traffic.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/traffic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TW_WORDS_TEXT_MAX], *input = malloc(size + 1);
	struct tw_error err = { "" };
	struct tw_traffic traffic, again;

	CHECK(input);
	memcpy(input, data, size);
	input[size] = '\0';
	tw_traffic_init(&traffic);
	again = traffic;
	if (tw_traffic_parse(&traffic, input, &err)) {
		CHECK(*err.text && !strchr(err.text, '\n'));
		CHECK(!memcmp(&traffic, &again, sizeof(again)));
	} else {
		CHECK(!tw_traffic_format(&traffic, text, sizeof(text)));
		CHECK(!tw_traffic_parse(&again, text, NULL));
		CHECK(!memcmp(&traffic, &again, sizeof(again)));
		CHECK(!tw_traffic_check(&traffic, NULL) == !tw_traffic_check(&again, NULL));
	}
	free(input);
	return 0;
}
