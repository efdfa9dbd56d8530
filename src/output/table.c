/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { GAP = 2 };

struct row {
	enum tw_style style;
	char *cells[TW_TABLE_COLUMNS]; /* owned */
};

void tw_table_init(struct tw_table *table, const struct tw_column *columns, unsigned n_columns)
{
	table->columns = columns;
	table->outdent = 0;
	table->n_columns = n_columns < TW_TABLE_COLUMNS ? n_columns : TW_TABLE_COLUMNS;
	tw_vec_init(&table->rows, sizeof(struct row), TW_TABLE_ROWS);
}

static void row_release(struct row *row, unsigned n_columns)
{
	for (unsigned i = 0; i < n_columns; i++)
		free(row->cells[i]);
}

int tw_table_add(struct tw_table *table, enum tw_style style, const char *const cells[])
{
	struct row row = { .style = style };
	struct row *place;

	if (table->rows.n == TW_TABLE_ROWS)
		return -E2BIG;
	for (unsigned i = 0; i < table->n_columns; i++) {
		row.cells[i] = strdup(cells[i]);
		if (!row.cells[i])
			goto cleanup;
	}
	place = tw_vec_push(&table->rows);
	if (!place)
		goto cleanup;
	*place = row;
	return 0;
cleanup:
	row_release(&row, table->n_columns);
	return -ENOMEM;
}

/* Widths of the columns, each its widest cell; 0 where a column is empty throughout. */
static void natural_widths(const struct tw_table *table, unsigned width[])
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		unsigned heading = tw_utf8_width(table->columns[i].heading);

		if (i == 0)
			heading -= heading < table->outdent ? heading : table->outdent;
		width[i] = 0;
		for (uint32_t r = 0; r < table->rows.n; r++) {
			const struct row *row = tw_vec_at(&table->rows, r);
			unsigned cells = tw_utf8_width(row->cells[i]);

			if (cells > width[i])
				width[i] = cells;
		}
		if (width[i] && heading > width[i])
			width[i] = heading;
	}
}

static unsigned total(const unsigned width[], unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += width[i] ? (sum ? GAP : 0) + width[i] : 0;
	return sum;
}

unsigned tw_table_width(const struct tw_table *table)
{
	unsigned width[TW_TABLE_COLUMNS];

	natural_widths(table, width);
	return total(width, table->n_columns);
}

static unsigned least_of(const struct tw_column *column, bool is_last_resort)
{
	unsigned least = is_last_resort ? column->last : column->least;

	return least ? least : UINT_MAX;
}

/* Cuts columns, the widest first, until they fit or none may be cut further. */
static void cut(const struct tw_table *table, unsigned width[], unsigned room, bool is_last_resort)
{
	while (total(width, table->n_columns) > room) {
		unsigned *widest = NULL;

		for (unsigned i = 0; i < table->n_columns; i++) {
			if (width[i] > least_of(&table->columns[i], is_last_resort) &&
			    (!widest || width[i] > *widest))
				widest = &width[i];
		}
		if (!widest)
			return;
		(*widest)--;
	}
}

static bool drop_one(const struct tw_table *table, unsigned width[])
{
	unsigned chosen = table->n_columns;

	for (unsigned i = 0; i < table->n_columns; i++) {
		if (width[i] && table->columns[i].drop &&
		    (chosen == table->n_columns ||
		     table->columns[i].drop < table->columns[chosen].drop))
			chosen = i;
	}
	if (chosen == table->n_columns)
		return false;
	width[chosen] = 0;
	return true;
}

/* Leaves out columns until the rest, cut as far as it may be, fits; cuts no more than needed. */
static void fit_widths(const struct tw_table *table, unsigned width[], unsigned room)
{
	unsigned fitted[TW_TABLE_COLUMNS];

	do {
		memcpy(fitted, width, sizeof(fitted));
		cut(table, fitted, room, false);
	} while (total(fitted, table->n_columns) > room && drop_one(table, width));
	cut(table, fitted, room, true);
	memcpy(width, fitted, sizeof(fitted));
}

static void print_line(const struct tw_table *table, struct tw_page *page, unsigned indent,
		       const unsigned width[], const struct row *row)
{
	unsigned at = indent;

	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct tw_column *column = &table->columns[i];
		unsigned left = !row && i == 0 && table->outdent < indent ? table->outdent : 0;
		unsigned cells;
		char text[1024];

		if (!width[i])
			continue;
		tw_page_elide(page, row ? row->cells[i] : column->heading, width[i] + left, text,
			      sizeof(text));
		cells = tw_utf8_width(text);
		tw_page_to(page,
			   at - left + (column->right && cells < width[i] ? width[i] - cells : 0));
		tw_page_put(page,
			    !row       ? TW_STYLE_DIM :
			    row->style ? row->style :
					 column->style,
			    text);
		at += width[i] + GAP;
	}
	tw_page_newline(page);
}

void tw_table_print(const struct tw_table *table, struct tw_page *page, unsigned indent)
{
	unsigned width[TW_TABLE_COLUMNS] = { 0 };
	bool has_heading = false;

	natural_widths(table, width);
	fit_widths(table, width, page->width > indent ? page->width - indent : 0);
	for (unsigned i = 0; i < table->n_columns; i++)
		has_heading |= width[i] && table->columns[i].heading[0];
	if (has_heading)
		print_line(table, page, indent, width, NULL);
	for (uint32_t r = 0; r < table->rows.n; r++)
		print_line(table, page, indent, width, tw_vec_at(&table->rows, r));
}

void tw_table_release(struct tw_table *table)
{
	for (uint32_t r = 0; r < table->rows.n; r++)
		row_release(tw_vec_at(&table->rows, r), table->n_columns);
	tw_vec_release(&table->rows);
}
