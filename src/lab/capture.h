/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What passes one point of the lab, as a pcap file with nanoseconds. Frames may be added somewhat
 * out of order (two directions, each seen when it suits); they are written in the order of their
 * time.
 */
#ifndef TW_LAB_CAPTURE_H
#define TW_LAB_CAPTURE_H

#include <stdint.h>

#include "lab/writer.h"

struct tw_capture;

/*
 * Writes to `fd` through `writer`; both are the caller's, and the descriptor stays open until the
 * writer is freed. `snap`: bytes kept of a frame. `offset` is added to every time, to make it
 * nanoseconds since 1970. -ENOMEM.
 */
int tw_capture_new(struct tw_capture **out, struct tw_writer *writer, int fd, uint32_t snap,
		   int64_t offset);

void tw_capture_add(struct tw_capture *capture, int64_t time, const uint8_t *frame, uint32_t n);

/* Promises that no frame before `time` will be added: what is older is written. */
void tw_capture_advance(struct tw_capture *capture, int64_t time);

/* Hands all that is left to the writer. After tw_writer_free() the file is complete. */
void tw_capture_finish(struct tw_capture *capture);

struct tw_capture_figures {
	uint64_t frames;     /* written */
	uint64_t missed;     /* not written: no memory, or the disk was too slow for too long */
	uint64_t disordered; /* written out of the order of time, against the promise */
	int error;           /* first negative errno of the file; know it after tw_writer_free() */
};

void tw_capture_figures(const struct tw_capture *capture, struct tw_capture_figures *out);

/* After the writer is freed. NULL is fine. */
void tw_capture_free(struct tw_capture *capture);

#endif
