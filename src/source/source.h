/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where records come from. A source reads one input (file, pipe) and yields one record after the
 * other. Formats stand side by side as rows of one table (struct tw_source_format) and are told
 * apart by content, never by name.
 */
#ifndef TW_SOURCE_SOURCE_H
#define TW_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "packet/packet.h"
#include "source/stream.h"

struct tw_record {
	int64_t ts;           /* ns since 1970; within +-2^62, so that no difference overflows */
	uint64_t number;      /* 1-based; set by tw_source_next, not by the formats */
	/* A captured frame: `bytes` holds `captured` bytes, valid until the next call ... */
	const uint8_t *bytes; /* NULL where the source decoded the packet itself */
	uint32_t captured;
	uint32_t original;
	uint32_t linktype;    /* LINKTYPE_ value */
	uint32_t interface;   /* 0-based, counted over all sections */
	/* ... or a packet that a text described (bytes is NULL), valid until the next call. */
	const struct tw_packet *packet;
};

struct tw_source;

/*
 * One format. `probe` looks at the first bytes of the (decompressed) input and returns whether it
 * is this format; it must not accept another row's input, except that later rows may be weaker:
 * the table is tried in order. `open` starts reading (the stream stands at byte 0) and stores its
 * private state in source->state; on failure it frees what it took. `next` yields a record: 1 with
 * `record` filled, 0 at the end, negative errno after which the source is at its end, the reason
 * (with the byte offset) in source->error. It gets a zeroed record; tw_source_next counts and
 * numbers what it yields (a text format numbers its packet with source->records + 1). Where the
 * stream itself failed (tw_stream_error) `next` need not say so: it returns 0 and tw_source_next
 * makes that the stream's error. `close` frees the state; NULL where there is none.
 */
struct tw_source_format {
	const char *id;    /* "pcap": for JSON */
	const char *title; /* "pcap, nanoseconds": may be refined by open into source->title */
	bool (*probe)(const uint8_t *head, size_t n);
	int (*open)(struct tw_source *source);
	int (*next)(struct tw_source *source, struct tw_record *record);
	void (*close)(struct tw_source *source);
};

extern const struct tw_source_format tw_format_pcap;
extern const struct tw_source_format tw_format_pcapng;
extern const struct tw_source_format tw_format_tcpdump_text;
extern const struct tw_source_format tw_format_dtrace_text;

struct tw_source {
	const struct tw_source_format *format;
	struct tw_stream *stream;     /* owned by the source */
	void *state;                  /* the format's own */
	char title[96];               /* for people: "pcap, raw IP" */
	struct tw_error error;        /* why reading ended early; "" where it did not */
	uint64_t records;             /* yielded so far */
	uint64_t skipped;             /* blocks, lines or records passed over because they hold no packet we know */
	char warning[8][160];         /* things the user should know, once each; escaped by who prints them */
	unsigned n_warnings;          /* at most 8; more are dropped */
	bool ended;                   /* no more records will come */
};

/*
 * Opens the file at `path` ("-" is standard input). On success `*out` is owned by the caller and
 * freed by tw_source_close. Errors: -ENOENT and the like from open(2); -EISDIR for a directory;
 * -ENODATA for an empty input; -EPROTONOSUPPORT where no format fits: err says in one line what the
 * input seems to be ("photo.jpg: a JPEG image, not a capture").
 */
int tw_source_open(struct tw_source **out, const char *path, struct tw_error *err);

/* The same over an open descriptor, which the source owns from then on, also on failure. */
int tw_source_open_fd(struct tw_source **out, int fd, const char *name, struct tw_error *err);

/*
 * Yields the next record: 1 with `record` filled, 0 at the end of the input (and from then on),
 * negative errno where it broke off early, with the reason in source->error; 0 from then on.
 */
int tw_source_next(struct tw_source *source, struct tw_record *record);

void tw_source_close(struct tw_source *source);

/* Adds a warning unless the same text is there already. */
void tw_source_warn(struct tw_source *source, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
