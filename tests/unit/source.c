/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening inputs of every kind, what is said of those that are none, and how inputs end. */
#include "pcapng_blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "config.h"
#include "source/identify.h"

#if TW_WITH_ZLIB
#include <zlib.h>
#endif

/* A string literal with its length, NULs and all. */
#define LITERAL(s) s, sizeof(s) - 1

static void test_what_is_no_capture_is_named(void **state)
{
	static const struct {
		const char *head;
		size_t n;
		const char *text;
	} rows[] = {
		{ LITERAL("\xff\xd8\xff\xe0\0\x10JFIF"), "a JPEG image, not a capture" },
		{ LITERAL("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"), "a PNG image, not a capture" },
		{ LITERAL("%PDF-1.7\n%\xe2\xe3"), "a PDF document, not a capture" },
		{ LITERAL("\x7f" "ELF\2\1\1"), "an ELF program or library, not a capture" },
		{ LITERAL("PK\3\4\x14\0"), "a zip archive, not a capture" },
		{ LITERAL("snoop\0\0\0\0\0\0\2\0\0\0\4"), "a snoop capture, not read by this version" },
		{ LITERAL("GMBU\0\2\1\0"), "a Microsoft Network Monitor 2 capture, not read by this version" },
		{ LITERAL("RTSS\1\2"), "a Microsoft Network Monitor 1 capture, not read by this version" },
		{ LITERAL("BZh91AY&SY"), "bzip2 data, which tcpwhy does not unpack" },
		{ LITERAL("\xfd" "7zXZ\0\0\4"), "xz data, which tcpwhy does not unpack" },
		{ LITERAL("<?xml version=\"1.0\"?>\n<pdml>"), "an XML document, not a capture" },
		{ LITERAL("\n <!doctype HTML>\n"), "an HTML page, not a capture" },
		{ LITERAL("\xef\xbb\xbf<HTML>"), "an HTML page, not a capture" },
		{ LITERAL("[\n  {\n    \"_index\": 1 } ]"), "a JSON document, not a capture" },
		{ LITERAL("Dear all,\nit is slow.\n"), "text without a line that tcpwhy understands" },
		{ LITERAL("caf\xe9\n"), "text without a line that tcpwhy understands" },
		{ LITERAL("\xff\xfeh\0i\0"), "text in UTF-16 (convert it to UTF-8), not a capture" },
		{ LITERAL("\0\0\0\0\0\0"), "nothing but zeros at its beginning, not a capture" },
		{ LITERAL("\1\2"), "too short for a capture (2 bytes)" },
		{ LITERAL("\1"), "too short for a capture (1 byte)" },
		{ LITERAL("\1\2\3\xfe\5\6"),
		  "data of an unknown kind (it begins 01 02 03 fe), not a capture" },
		{ LITERAL(""), "empty" },
	};
	struct tw_error err;
	char text[160];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(refusal_of(rows[i].head, rows[i].n, &err),
				 rows[i].n ? -EPROTONOSUPPORT : -ENODATA);
		snprintf(text, sizeof(text), "file: %s", rows[i].text);
		assert_string_equal(err.text, text);
	}
}

static void put_erf(struct bytes *b, uint32_t seconds, uint8_t type, uint16_t length, uint16_t wire)
{
	size_t at = b->n;

	b->big = false;
	put32(b, 0x80000000); /* half a second */
	put32(b, seconds);
	b->big = true;
	bytes_int(b, type, 1);
	bytes_int(b, 4, 1);
	put16(b, length);
	put16(b, 0);
	put16(b, wire);
	while (b->n - at < length)
		bytes_fill(b, 0xee, 1);
}

static void test_erf(void **state)
{
	static const char erf[] = "file: an ERF capture, it seems, not read by this version";
	struct bytes b = { 0 };
	struct tw_error err;

	(void)state;
	put_erf(&b, 1700000000, 2, 84, 64);
	assert_int_equal(refusal_of(b.data, b.n, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, erf);
	assert_int_equal(refusal_of(b.data, 40, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, erf);
	put_erf(&b, 1700000001, 2, 84, 64);
	assert_int_equal(refusal_of(b.data, b.n, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, erf);
	/* What follows the first must be one, too. */
	b.n = 84;
	put_erf(&b, 5, 2, 84, 64);
	assert_int_equal(refusal_of(b.data, b.n, &err), -EPROTONOSUPPORT);
	assert_non_null(strstr(err.text, "unknown kind"));
	bytes_free(&b);
}

static void test_identify_is_bounded(void **state)
{
	char small[10];

	(void)state;
	assert_string_equal(tw_source_identify((const uint8_t *)"\x1f\x8b", 2, "zstd", small,
					       sizeof(small)), "gzip data");
	assert_string_equal(tw_source_identify(NULL, 0, "gzip", small, sizeof(small)), "empty onc");
}

static void test_paths(void **state)
{
	struct tw_source *source = NULL;
	struct tw_error err = { "" };
	char path[] = "/tmp/tcpwhy-test-XXXXXX";
	struct bytes b = { 0 };
	struct tw_record record;
	int fd;

	(void)state;
	assert_int_equal(tw_source_open(&source, "/nonexistent/file", &err), -ENOENT);
	assert_string_equal(err.text, "/nonexistent/file: No such file or directory");
	assert_int_equal(tw_source_open(&source, "/", &err), -EISDIR);
	assert_string_equal(err.text, "/: a directory, not a capture");
	assert_null(source);

	fd = mkstemp(path);
	assert_true(fd >= 0);
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	pcap_record(&b, 1, 0, 20, 20, 1);
	assert_int_equal(write(fd, b.data, b.n), b.n);
	close(fd);
	assert_int_equal(tw_source_open(&source, path, &err), 0);
	assert_string_equal(tw_stream_name(source->stream), path);
	assert_int_equal(tw_source_next(source, &record), 1);
	tw_source_close(source);
	unlink(path);
	bytes_free(&b);
}

static void test_standard_input(void **state)
{
	struct tw_source *source = NULL;
	struct tw_error err = { "" };
	struct tw_record record;
	struct bytes b = { 0 };
	int saved = dup(STDIN_FILENO), fd;

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	pcap_record(&b, 1, 0, 20, 20, 1);
	fd = pipe_of(b.data, b.n - 1, 1);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	assert_int_equal(tw_source_open(&source, "-", &err), 0);
	assert_int_equal(tw_source_next(source, &record), -EBADMSG);
	assert_string_equal(source->error.text, "standard input: ends at byte 59, in the middle of a "
			    "packet that begins at byte 24");
	tw_source_close(source);
	/* Standard input itself stays open. */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	wait(NULL);
	bytes_free(&b);
}

/* The source owns the descriptor, also where it refuses the input. */
static void test_descriptors_are_closed(void **state)
{
	static const char *const inputs[] = { "", "text\n", "\xd4\xc3\xb2\xa1", "\x1f\x8b\x08" };
	struct tw_source *source = NULL;
	struct tw_error err;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		fd = file_of(inputs[i], strlen(inputs[i]));
		assert_int_not_equal(tw_source_open_fd(&source, fd, "file", &err), 0);
		assert_int_equal(fcntl(fd, F_GETFD), -1);
	}
	fd = open("/", O_RDONLY | O_CLOEXEC);
	assert_int_equal(tw_source_open_fd(&source, fd, "file", &err), -EISDIR);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void test_warnings(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	char expected[160];

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	source = source_of(b.data, b.n);
	tw_source_warn(source, "first %d", 1);
	tw_source_warn(source, "first %d", 1);
	assert_int_equal(source->n_warnings, 1);
	tw_source_warn(source, "%0200d", 0);
	assert_int_equal(strlen(source->warning[1]), sizeof(source->warning[1]) - 1);
	for (int i = 0; i < 20; i++)
		tw_source_warn(source, "warning %d", i);
	assert_int_equal(source->n_warnings, 8);
	snprintf(expected, sizeof(expected), "warning %d", 5);
	assert_string_equal(source->warning[7], expected);
	tw_source_close(source);
	bytes_free(&b);
}

/* Of a live pipe each packet comes out as it goes in, and the format is known from the first write. */
static void test_live_pipe(void **state)
{
	struct tw_source *source = NULL;
	struct tw_record record;
	struct tw_error err;
	int fds[2];

	(void)state;
	for (int ng = 0; ng < 2; ng++) {
		struct bytes b = { 0 };

		if (ng)
			section(&b);
		else
			pcap_header(&b, 0xa1b2c3d4, 65535, 1);
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(write(fds[1], b.data, b.n), b.n);
		alarm(20); /* dies here if it waits for what does not come */
		assert_int_equal(tw_source_open_fd(&source, fds[0], "pipe", &err), 0);
		for (uint32_t i = 1; i <= 3; i++) {
			b.n = 0;
			if (ng && i == 1)
				interface(&b, 1, 0, 6, 0);
			if (ng)
				enhanced(&b, 0, i, 50, 50, (uint8_t)i);
			else
				pcap_record(&b, 0, i, 50, 50, (uint8_t)i);
			assert_int_equal(write(fds[1], b.data, b.n), b.n);
			assert_int_equal(tw_source_next(source, &record), 1);
			assert_int_equal(record.ts, i * 1000);
			assert_int_equal(record.bytes[49], i);
		}
		close(fds[1]);
		assert_int_equal(tw_source_next(source, &record), 0);
		alarm(0);
		tw_source_close(source);
		bytes_free(&b);
	}
}

/* In a child, since the interrupt stays set. Exit status 0: all as it should be. */
static int interrupted_child(const struct bytes *b, size_t n, uint64_t records)
{
	struct tw_source *source = NULL;
	struct tw_record record;
	struct tw_error err;
	int fds[2], ret;

	if (pipe(fds) || write(fds[1], b->data, n) != (ssize_t)n)
		return 1;
	if (tw_source_open_fd(&source, fds[0], "pipe", &err))
		return 2;
	/* One peek reads all that is there; then comes ^C, and the pipe stays open. */
	if (tw_source_next(source, &record) != 1)
		return 3;
	tw_stream_interrupt();
	while ((ret = tw_source_next(source, &record)) == 1)
		;
	if (ret || *source->error.text || source->records != records)
		return 4;
	tw_source_close(source);
	return 0;
}

static void test_interrupt_cuts_without_complaint(void **state)
{
	(void)state;
	for (int ng = 0; ng < 2; ng++) {
		struct bytes b = { 0 };
		int status;
		pid_t child;

		if (ng) {
			section(&b);
			interface(&b, 1, 0, 6, 0);
			for (uint32_t i = 0; i < 3; i++)
				enhanced(&b, 0, i, 50, 50, 1);
		} else {
			pcap_header(&b, 0xa1b2c3d4, 65535, 1);
			for (uint32_t i = 0; i < 3; i++)
				pcap_record(&b, i, 0, 50, 50, 1);
		}
		child = fork();
		assert_true(child >= 0);
		if (!child) {
			alarm(20);
			_exit(interrupted_child(&b, b.n - 7, 2));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
		bytes_free(&b);
	}
}

#if TW_WITH_ZLIB
static void gzip_of(struct bytes *out, const struct bytes *in)
{
	z_stream z = { 0 };
	uLong bound = compressBound(in->n) + 100;
	uint8_t *packed = malloc(bound);

	assert_non_null(packed);
	assert_int_equal(deflateInit2(&z, 0, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = in->data;
	z.avail_in = (uInt)in->n;
	z.next_out = packed;
	z.avail_out = (uInt)bound;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	bytes_put(out, packed, z.total_out);
	deflateEnd(&z);
	free(packed);
}

static void test_packed(void **state)
{
	struct bytes plain = { 0 }, packed = { 0 }, twice = { 0 };
	struct tw_source *source;
	struct tw_record record;
	struct tw_error err;

	(void)state;
	pcap_header(&plain, 0xa1b2c3d4, 65535, 1);
	pcap_record(&plain, 1, 0, 100, 100, 1);
	pcap_record(&plain, 2, 0, 100, 100, 2);
	gzip_of(&packed, &plain);
	source = source_of(packed.data, packed.n);
	assert_string_equal(source->format->id, "pcap");
	assert_string_equal(tw_stream_compression(source->stream), "gzip");
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), 0);
	tw_source_close(source);

	/* Stored, so that 8 bytes of trailer and 50 of the last packet are what is missing. */
	source = source_of(packed.data, packed.n - 58);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), -EBADMSG);
	assert_string_equal(source->error.text,
			    "file: the gzip data is damaged or cut short; 206 bytes could be unpacked");
	assert_int_equal(tw_source_next(source, &record), 0);
	tw_source_close(source);

	/* Cut where a packet ends it is as cut as elsewhere. */
	source = source_of(packed.data, packed.n - 8);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), -EBADMSG);
	assert_non_null(strstr(source->error.text, "cut short; 256 bytes"));
	tw_source_close(source);

	/* An offset within what was packed is said to be that. */
	plain.n -= 1;
	packed.n = 0;
	gzip_of(&packed, &plain);
	source = source_of(packed.data, packed.n);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), -EBADMSG);
	assert_string_equal(source->error.text, "file: ends at unpacked byte 255, in the middle of a "
			    "packet that begins at byte 140");
	tw_source_close(source);

	gzip_of(&twice, &packed);
	assert_int_equal(refusal_of(twice.data, twice.n, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, "file: gzip data inside gzip, which tcpwhy does not unpack");
	assert_int_equal(refusal_of(packed.data, 12, &err), -EBADMSG);
	assert_string_equal(err.text,
			    "file: the gzip data is damaged or cut short; 0 bytes could be unpacked");
	plain.n = packed.n = 0;
	gzip_of(&packed, &plain);
	assert_int_equal(refusal_of(packed.data, packed.n, &err), -ENODATA);
	assert_string_equal(err.text, "file: empty once unpacked");
	bytes_free(&plain);
	bytes_free(&packed);
	bytes_free(&twice);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_no_capture_is_named),
		cmocka_unit_test(test_erf),
		cmocka_unit_test(test_identify_is_bounded),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_descriptors_are_closed),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_live_pipe),
		cmocka_unit_test(test_interrupt_cuts_without_complaint),
#if TW_WITH_ZLIB
		cmocka_unit_test(test_packed),
#endif
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
