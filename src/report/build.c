/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = 4096 };

struct tw_report_builder {
	struct tw_report *report; /* owned; its connections are a heap, the least costly first */
	struct tw_connection_report *spare; /* owned; of a connection that was folded, to be filled again */
	uint32_t keep, cap;
};

int tw_report_builder_new(struct tw_report_builder **out, uint32_t keep)
{
	struct tw_report_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->report = calloc(1, sizeof(*b->report));
	if (!b->report) {
		free(b);
		return -ENOMEM;
	}
	b->keep = keep;
	*out = b;
	return 0;
}

static void connection_release(struct tw_connection_report *c)
{
	tw_bill_release(&c->bill);
	free(c->findings);
}

void tw_report_free(struct tw_report *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->n_inputs; i++)
		free(r->inputs[i].name);
	free(r->inputs);
	for (unsigned i = 0; i < r->n_connections; i++) {
		connection_release(r->connections[i]);
		free(r->connections[i]);
	}
	free(r->connections);
	free(r);
}

void tw_report_builder_free(struct tw_report_builder *b)
{
	if (!b)
		return;
	tw_report_free(b->report);
	free(b->spare);
	free(b);
}

/*
 * More costly: more time that a cure would save, then more time billed, then the earlier. Information
 * saves nothing by itself, so faults go first.
 */
static bool is_costlier(const struct tw_connection_report *a, const struct tw_connection_report *b)
{
	if (a->lost_ns != b->lost_ns)
		return a->lost_ns > b->lost_ns;
	if (a->bill.duration_ns != b->bill.duration_ns)
		return a->bill.duration_ns > b->bill.duration_ns;
	return a->summary.id < b->summary.id;
}

static void swap(struct tw_connection_report **a, struct tw_connection_report **b)
{
	struct tw_connection_report *t = *a;

	*a = *b;
	*b = t;
}

static void sift_up(struct tw_connection_report **heap, unsigned i)
{
	while (i && is_costlier(heap[(i - 1) / 2], heap[i])) {
		swap(&heap[(i - 1) / 2], &heap[i]);
		i = (i - 1) / 2;
	}
}

static void sift_down(struct tw_connection_report **heap, unsigned n)
{
	unsigned i = 0;

	for (;;) {
		unsigned least = i, left = 2 * i + 1, right = left + 1;

		if (left < n && is_costlier(heap[least], heap[left]))
			least = left;
		if (right < n && is_costlier(heap[least], heap[right]))
			least = right;
		if (least == i)
			return;
		swap(&heap[i], &heap[least]);
		i = least;
	}
}

/* Saturates: a hostile input may hold many connections of two years each. */
static void add_ns(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

static void count_totals(struct tw_report *r, const struct tw_connection_report *c)
{
	bool seen[TW_CAUSE_COUNT] = { false };

	r->total_connections++;
	r->evicted_connections += c->summary.evicted;
	add_ns(&r->total_ns, c->bill.duration_ns);
	r->total_bytes += c->summary.direction[0].unique_bytes +
			  c->summary.direction[1].unique_bytes;
	for (unsigned i = 0; i < c->bill.n_rows; i++) {
		const struct tw_bill_row *row = &c->bill.rows[i];
		struct tw_total_row *total = &r->total_rows[row->cause];

		add_ns(&total->ns, row->ns);
		total->connections += !seen[row->cause];
		seen[row->cause] = true;
	}
	for (unsigned i = 0; i < c->n_findings; i++)
		r->finding_counts[c->findings[i].id]++;
}

/* Finds the faults; what curing the costliest saves orders the report. */
static int find(struct tw_connection_report *c)
{
	struct tw_finding found[2 * TW_FINDING_COUNT];
	struct tw_case what = { .connection = &c->summary, .bill = &c->bill };
	unsigned n = tw_findings(&what, found, 2 * TW_FINDING_COUNT);

	if (n) {
		c->findings = malloc(n * sizeof(*c->findings));
		if (!c->findings)
			return -ENOMEM;
		memcpy(c->findings, found, n * sizeof(*c->findings));
		c->n_findings = n;
	}
	for (unsigned i = 0; i < n; i++)
		if (tw_finding_class(found[i].id) == TW_CLASS_FAULT &&
		    found[i].saves_ns > c->lost_ns)
			c->lost_ns = found[i].saves_ns;
	return 0;
}

static int grow(struct tw_report_builder *b)
{
	uint32_t cap = b->cap ? b->cap * 2 : 16;
	void *grown;

	if (cap > b->keep)
		cap = b->keep;
	grown = realloc(b->report->connections, cap * sizeof(struct tw_connection_report *));
	if (!grown)
		return -ENOMEM;
	b->report->connections = grown;
	b->cap = cap;
	return 0;
}

int tw_report_builder_add(struct tw_report_builder *b, const struct tw_connection_summary *summary,
			  struct tw_bill *bill)
{
	struct tw_report *r = b->report;
	struct tw_connection_report *c = b->spare ? b->spare : malloc(sizeof(*c));
	int err = -ENOMEM;

	b->spare = NULL;
	if (!c) {
		tw_bill_release(bill);
		return err;
	}
	c->summary = *summary;
	c->bill = *bill;
	c->findings = NULL;
	c->n_findings = 0;
	c->lost_ns = 0;
	*bill = (struct tw_bill){ 0 };
	err = find(c);
	count_totals(r, c);
	if (!err && r->n_connections < b->keep) {
		if (r->n_connections == b->cap)
			err = grow(b);
		if (!err) {
			r->connections[r->n_connections++] = c;
			sift_up(r->connections, r->n_connections - 1);
			return 0;
		}
	}
	r->folded_connections++;
	if (!err && is_costlier(c, r->connections[0])) {
		swap(&c, &r->connections[0]);
		sift_down(r->connections, r->n_connections);
	}
	connection_release(c);
	b->spare = c;
	return err;
}

struct tw_input_report *tw_report_builder_input(struct tw_report_builder *b, const char *name)
{
	struct tw_report *r = b->report;
	struct tw_input_report *grown;

	if (r->n_inputs >= MAX_INPUTS)
		return NULL;
	grown = realloc(r->inputs, (r->n_inputs + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	r->inputs = grown;
	memset(&grown[r->n_inputs], 0, sizeof(*grown));
	grown[r->n_inputs].name = strdup(name);
	if (!grown[r->n_inputs].name)
		return NULL;
	return &grown[r->n_inputs++];
}

static int by_cost(const void *a, const void *b)
{
	const struct tw_connection_report *x = *(struct tw_connection_report *const *)a;
	const struct tw_connection_report *y = *(struct tw_connection_report *const *)b;

	return is_costlier(x, y) ? -1 : is_costlier(y, x);
}

static int by_total(const void *a, const void *b)
{
	const struct tw_total_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (int)x->cause - (int)y->cause;
}

struct tw_report *tw_report_builder_finish(struct tw_report_builder *b)
{
	struct tw_report *r = b->report;

	for (int cause = 0; cause < TW_CAUSE_COUNT; cause++) {
		r->total_rows[cause].cause = (enum tw_cause)cause;
		r->total_rows[cause].party = tw_cause_party((enum tw_cause)cause);
		r->n_total_rows += r->total_rows[cause].ns > 0;
	}
	qsort(r->total_rows, TW_CAUSE_COUNT, sizeof(*r->total_rows), by_total);
	if (r->n_connections)
		qsort(r->connections, r->n_connections, sizeof(struct tw_connection_report *), by_cost);
	b->report = NULL;
	return r;
}
