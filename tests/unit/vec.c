/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/vec.h"

struct item {
	uint64_t value;
	char pad[5]; /* a size that is no power of two */
};

static void push(struct tw_vec *vec, uint64_t value)
{
	struct item *item = tw_vec_push(vec);

	assert_non_null(item);
	memset(item, 0, sizeof(*item));
	item->value = value;
}

static uint64_t value_at(const struct tw_vec *vec, uint32_t i)
{
	return ((const struct item *)tw_vec_at(vec, i))->value;
}

static void test_elements_survive_growth(void **state)
{
	struct tw_vec vec;

	(void)state;
	tw_vec_init(&vec, sizeof(struct item), 100000);
	assert_null(vec.data);
	for (uint64_t i = 0; i < 5000; i++)
		push(&vec, i * 3);
	assert_int_equal(vec.n, 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(value_at(&vec, i), i * 3u);
	tw_vec_release(&vec);
}

/* The ceiling holds exactly, also where doubling would jump over it, and loses nothing. */
static void test_ceiling(void **state)
{
	static const uint32_t ceilings[] = { 1, 3, 4, 5, 7, 63, 64, 65, 1000 };

	(void)state;
	for (size_t c = 0; c < sizeof(ceilings) / sizeof(*ceilings); c++) {
		struct tw_vec vec;

		tw_vec_init(&vec, sizeof(struct item), ceilings[c]);
		for (uint32_t i = 0; i < ceilings[c]; i++)
			push(&vec, i);
		for (int again = 0; again < 3; again++)
			assert_null(tw_vec_push(&vec));
		assert_int_equal(vec.n, ceilings[c]);
		assert_true(vec.cap <= ceilings[c]);
		for (uint32_t i = 0; i < ceilings[c]; i++)
			assert_int_equal(value_at(&vec, i), i);

		/* Room made is room to use. */
		tw_vec_drop_front(&vec, 1);
		push(&vec, 77);
		assert_int_equal(value_at(&vec, ceilings[c] - 1), 77);
		assert_null(tw_vec_push(&vec));
		tw_vec_release(&vec);
	}
}

static void test_no_room_at_all(void **state)
{
	struct tw_vec vec;

	(void)state;
	tw_vec_init(&vec, sizeof(struct item), 0);
	assert_null(tw_vec_push(&vec));
	assert_int_equal(vec.n, 0);
	tw_vec_drop_front(&vec, 5);
	assert_int_equal(vec.n, 0);
	tw_vec_release(&vec);
}

static void test_drop_front(void **state)
{
	struct tw_vec vec;

	(void)state;
	tw_vec_init(&vec, sizeof(struct item), 100);
	for (uint64_t i = 0; i < 10; i++)
		push(&vec, i);
	tw_vec_drop_front(&vec, 0);
	assert_int_equal(vec.n, 10);
	tw_vec_drop_front(&vec, 4);
	assert_int_equal(vec.n, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(value_at(&vec, i), i + 4);
	push(&vec, 10);
	assert_int_equal(value_at(&vec, 6), 10);
	tw_vec_drop_front(&vec, UINT32_MAX); /* more than there are: all */
	assert_int_equal(vec.n, 0);
	push(&vec, 42);
	assert_int_equal(value_at(&vec, 0), 42);
	tw_vec_release(&vec);
}

static void test_used_again_after_release(void **state)
{
	struct tw_vec vec;

	(void)state;
	tw_vec_init(&vec, sizeof(struct item), 8);
	for (uint64_t i = 0; i < 8; i++)
		push(&vec, i);
	tw_vec_release(&vec);
	tw_vec_release(&vec); /* twice is harmless */
	assert_int_equal(vec.n, 0);
	for (uint64_t i = 0; i < 8; i++)
		push(&vec, i + 100);
	assert_null(tw_vec_push(&vec)); /* the ceiling outlives the release */
	assert_int_equal(value_at(&vec, 7), 107);
	tw_vec_release(&vec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements_survive_growth),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_no_room_at_all),
		cmocka_unit_test(test_drop_front),
		cmocka_unit_test(test_used_again_after_release),
	};

	return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
