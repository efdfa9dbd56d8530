/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/bill.h"

#include <stdlib.h>
#include <string.h>

void tw_bill_release(struct tw_bill *bill)
{
	free(bill->rows);
	free(bill->intervals);
	free(bill->rounds);
	memset(bill, 0, sizeof(*bill));
}

const struct tw_bill_row *tw_bill_row(const struct tw_bill *bill, enum tw_cause cause, int side)
{
	for (unsigned i = 0; i < bill->n_rows; i++)
		if (bill->rows[i].cause == cause && bill->rows[i].side == side)
			return &bill->rows[i];
	return NULL;
}
