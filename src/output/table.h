/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table that fits its page: columns align by cells; where the width is short some are cut or left
 * out, as they say.
 */
#ifndef TW_OUTPUT_TABLE_H
#define TW_OUTPUT_TABLE_H

#include <stdbool.h>

#include "base/vec.h"
#include "output/page.h"

struct tw_column {
	const char *heading; /* "" for none */
	enum tw_style style; /* of its cells, unless the row has one */
	bool right;          /* aligned to the right */
	unsigned drop;  /* 0: stays; else columns go, the lowest number first, until the rest fits */
	unsigned least; /* 0: not cut; else its cells may be cut to this many before columns go */
	unsigned last;  /* 0: not cut; else to this many where no column is left to go */
};

enum { TW_TABLE_COLUMNS = 10, TW_TABLE_ROWS = 100000 };

struct tw_table {
	const struct tw_column *columns; /* borrowed */
	unsigned n_columns;
	unsigned outdent;     /* cells that the first heading stands left of its column */
	struct tw_vec rows;
};

void tw_table_init(struct tw_table *table, const struct tw_column *columns, unsigned n_columns);

/* Adds a row of n_columns cells, which are copied. -ENOMEM, or -E2BIG at the ceiling of rows. */
int tw_table_add(struct tw_table *table, enum tw_style style, const char *const cells[]);

/* The widest line, all columns whole. */
unsigned tw_table_width(const struct tw_table *table);

/* Prints the heading, unless all are "", and the rows, each line after `indent` blanks. */
void tw_table_print(const struct tw_table *table, struct tw_page *page, unsigned indent);

/* Frees the rows. */
void tw_table_release(struct tw_table *table);

#endif
