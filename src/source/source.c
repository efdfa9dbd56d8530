/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening an input, finding its format, and the end of it, alike for all formats. */
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/binary.h"
#include "source/identify.h"

/*
 * In the order they are tried. `head` is how much a probe wants to see: few bytes for those with a
 * magic number, so that a live pipe is recognised from its first write.
 */
static const struct {
	const struct tw_source_format *format;
	size_t head;
} formats[] = {
	{ &tw_format_pcap, 4 },
	{ &tw_format_pcapng, 12 },
	{ &tw_format_dtrace_text, 32 << 10 },
	{ &tw_format_tcpdump_text, 32 << 10 },
};

enum { IDENTIFY_HEAD = 4 << 10 };

/* " unpacked" where offsets are not those of the file itself. */
static const char *unpacked(const struct tw_source *source)
{
	return tw_stream_compression(source->stream) ? "unpacked " : "";
}

/* The text for an input that its stream could not deliver to its end. */
static int stream_failed(struct tw_source *source, struct tw_error *err)
{
	struct tw_stream *stream = source->stream;
	int error = tw_stream_error(stream);
	const char *packing = tw_stream_compression(stream);
	const uint8_t *rest;
	uint64_t end = tw_stream_offset(stream) + tw_stream_peek(stream, TW_STREAM_MAX_PEEK, &rest);

	if (error == -EBADMSG)
		return tw_error_set(err, error,
				    "%s: the %s data is damaged or cut short; %" PRIu64
				    " bytes could be unpacked",
				    tw_stream_name(stream), packing ? packing : "", end);
	return tw_error_set(err, error, "%s: cannot read beyond %sbyte %" PRIu64 ": %s",
			    tw_stream_name(stream), unpacked(source), end, strerror(-error));
}

int tw_source_cut(struct tw_source *source, uint64_t from, const char *what)
{
	const uint8_t *rest;
	uint64_t end;

	if (tw_stream_error(source->stream) || tw_stream_interrupted())
		return 0;
	end = tw_stream_offset(source->stream);
	end += tw_stream_peek(source->stream, TW_STREAM_MAX_PEEK, &rest);
	return tw_error_set(&source->error, -EBADMSG,
			    "%s: ends at %sbyte %" PRIu64
			    ", in the middle of %s that begins at byte %" PRIu64,
			    tw_stream_name(source->stream), unpacked(source), end, what, from);
}

int tw_source_corrupt(struct tw_source *source, uint64_t from, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return tw_error_set(&source->error, -EBADMSG, "%s: corrupt at %sbyte %" PRIu64 ": %s",
			    tw_stream_name(source->stream), unpacked(source), from, text);
}

void tw_source_warn(struct tw_source *source, const char *format, ...)
{
	char text[sizeof(source->warning[0])];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (unsigned i = 0; i < source->n_warnings; i++)
		if (!strcmp(source->warning[i], text))
			return;
	if (source->n_warnings < sizeof(source->warning) / sizeof(source->warning[0]))
		memcpy(source->warning[source->n_warnings++], text, sizeof(text));
}

static const struct tw_source_format *probe(struct tw_stream *stream)
{
	const uint8_t *head;
	size_t n;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		n = tw_stream_peek(stream, formats[i].head, &head);
		if (n && formats[i].format->probe(head, n))
			return formats[i].format;
	}
	return NULL;
}

/* No format fits: says what the input is instead. */
static int refuse(struct tw_source *source, struct tw_error *err)
{
	struct tw_stream *stream = source->stream;
	const uint8_t *head;
	size_t n = tw_stream_peek(stream, IDENTIFY_HEAD, &head);
	char text[128];

	if (!n && tw_stream_error(stream))
		return stream_failed(source, err);
	tw_source_identify(head, n, tw_stream_compression(stream), text, sizeof(text));
	return tw_error_set(err, n ? -EPROTONOSUPPORT : -ENODATA, "%s: %s", tw_stream_name(stream),
			    text);
}

static int start(struct tw_source *source, struct tw_error *err)
{
	int ret;

	source->format = probe(source->stream);
	if (!source->format)
		return refuse(source, err);
	snprintf(source->title, sizeof(source->title), "%s", source->format->title);
	ret = source->format->open(source);
	if (!ret)
		return 0;
	source->format = NULL; /* what it took it has freed */
	if (*source->error.text)
		return tw_error_set(err, ret, "%s", source->error.text);
	if (tw_stream_error(source->stream))
		return stream_failed(source, err);
	return tw_error_set(err, ret, "%s: %s", tw_stream_name(source->stream), strerror(-ret));
}

int tw_source_open_fd(struct tw_source **out, int fd, const char *name, struct tw_error *err)
{
	struct tw_source *source;
	struct stat st;
	int ret;

	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return tw_error_set(err, -EISDIR, "%s: a directory, not a capture", name);
	}
	source = calloc(1, sizeof(*source));
	if (!source) {
		close(fd);
		return tw_error_set(err, -ENOMEM, "%s: %s", name, strerror(ENOMEM));
	}
	ret = tw_stream_open(&source->stream, fd, name, err);
	if (ret)
		goto cleanup;
	ret = start(source, err);
	if (ret)
		goto cleanup;
	*out = source;
	source = NULL;
cleanup:
	tw_source_close(source);
	return ret;
}

int tw_source_open(struct tw_source **out, const char *path, struct tw_error *err)
{
	int fd, ret;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3); /* the stream closes what it reads */
		path = "standard input";
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (fd < 0) {
		ret = -errno;
		return tw_error_set(err, ret, "%s: %s", path, strerror(-ret));
	}
	return tw_source_open_fd(out, fd, path, err);
}

int tw_source_next(struct tw_source *source, struct tw_record *record)
{
	int ret;

	if (source->ended)
		return 0;
	*record = (struct tw_record){ 0 };
	ret = source->format->next(source, record);
	if (__builtin_expect(ret > 0, 1)) {
		record->number = ++source->records;
		return 1;
	}
	source->ended = true;
	if (!ret && tw_stream_error(source->stream))
		ret = stream_failed(source, &source->error);
	return ret;
}

void tw_source_close(struct tw_source *source)
{
	if (!source)
		return;
	if (source->format && source->format->close)
		source->format->close(source);
	tw_stream_close(source->stream);
	free(source);
}
