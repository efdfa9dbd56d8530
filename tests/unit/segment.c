/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device does for its kernel: super-packets cut into segments, checksums filled in. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lab/segment.h"
#include "lab_frame.h"

enum { F_CWR = 128, GUARD = 0xa5, MSS = 1448 };

static struct lab_frame frame, before, want;

static const uint8_t timestamps[12] = { 1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8 };

/* As the kernel hands it out: in place of the checksum the sum of the pseudo-header. */
static struct virtio_net_hdr hand_out(struct lab_frame *f, uint16_t size)
{
	bool ipv6 = f->bytes[14] >> 4 == 6;

	lab_put(f->bytes + f->tcp + 16, lab_pseudo(f->bytes, 6, f->n - f->tcp), 2);
	memset(f->bytes + f->n, GUARD, 64);
	return (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = !size ? VIRTIO_NET_HDR_GSO_NONE :
			    ipv6  ? VIRTIO_NET_HDR_GSO_TCPV6 :
				    VIRTIO_NET_HDR_GSO_TCPV4,
		.hdr_len = (uint16_t)(f->n - f->payload),
		.gso_size = size,
		.csum_start = (uint16_t)f->tcp,
		.csum_offset = 16,
	};
}

/* Builds from scratch the segment of `s` that has `n` bytes of data from `at` on. */
static void make_want(const struct lab_segment *s, uint32_t number, uint16_t id, uint32_t at,
		      uint32_t n)
{
	struct lab_segment own = *s;
	uint32_t length;

	own.seq += at;
	own.payload = n;
	if (at)
		own.flags &= (uint8_t)~F_CWR;
	if (at + n < s->payload)
		own.flags &= (uint8_t) ~(F_FIN | F_PSH);
	lab_make(&want, &own);
	length = want.n - want.tcp;
	memcpy(want.bytes + want.n - n, before.bytes + before.n - before.payload + at, n);
	if (!s->ipv6) {
		lab_put(want.bytes + 18, id + number, 2);
		lab_put(want.bytes + 24, 0, 2);
		lab_put(want.bytes + 24, 0xffff & ~lab_sum(0, want.bytes + 14, 20), 2);
	}
	lab_put(want.bytes + want.tcp + 16, 0, 2);
	lab_put(want.bytes + want.tcp + 16,
		0xffff & ~lab_sum(lab_pseudo(want.bytes, 6, length), want.bytes + want.tcp, length),
		2);
	assert_true(lab_sums_right(want.bytes, want.n));
}

static void cut(const struct lab_segment *s, uint16_t size, uint16_t id)
{
	struct tw_segments segments;
	struct virtio_net_hdr offload;
	uint32_t at = 0, number = 0, n;
	const uint8_t *got;

	lab_make(&frame, s);
	if (!s->ipv6)
		lab_put(frame.bytes + 18, id, 2);
	offload = hand_out(&frame, size);
	if (s->flags & F_CWR)
		offload.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
	before = frame;
	assert_int_equal(tw_segments_begin(&segments, &offload, frame.bytes, frame.n), 0);
	do {
		uint32_t data = s->payload - at < size ? s->payload - at : size;

		got = tw_segments_next(&segments, &n);
		assert_non_null(got);
		make_want(s, number++, id, at, data);
		assert_int_equal(n, want.n);
		assert_memory_equal(got, want.bytes, n);
		at += data;
	} while (at < s->payload);
	assert_null(tw_segments_next(&segments, &n));
	assert_null(tw_segments_next(&segments, &n));
	assert_memory_equal(frame.bytes + frame.n, before.bytes + before.n, 64);
}

static void test_super_packets(void **state)
{
	/* Of one byte, of whole segments, with a rest, the largest; smaller than the headers, odd. */
	static const struct {
		uint32_t payload;
		uint16_t size;
	} cases[] = { { 1, MSS },       { MSS, MSS },           { MSS + 1, MSS },
		      { 2 * MSS, MSS }, { 45 * MSS, MSS },      { 30001, 1001 },
		      { 400, 7 },       { 65535 - 100, 65535 }, { 65535 - 100, 536 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int ipv6 = 0; ipv6 < 2; ipv6++) {
			struct lab_segment s = {
				.ipv6 = ipv6,
				.flags = F_ACK,
				.seq = 0xfffff000,
				.ack = 77,
				.payload = cases[i].payload,
			};

			cut(&s, cases[i].size, 0x1234);
			s.options = timestamps;
			s.n_options = sizeof(timestamps);
			s.flags |= F_PSH | F_FIN | F_ECE | F_CWR;
			s.ecn = 2;
			cut(&s, cases[i].size, 0xfffe); /* the identification wraps */
		}
	}
}

/* The pseudo-header's addresses are not looked at: with a routing header they are others. */
static void test_ipv6_extension(void **state)
{
	const struct lab_segment s = { .ipv6 = true, .flags = F_ACK, .seq = 5, .payload = 3000 };
	struct tw_segments segments;
	struct virtio_net_hdr offload;
	const uint8_t *got;
	uint32_t n, sum;

	(void)state;
	lab_make(&frame, &s);
	memmove(frame.bytes + 62, frame.bytes + 54, frame.n - 54);
	memcpy(frame.bytes + 54, "\6\0\1\4\0\0\0\0", 8); /* destination options: PadN */
	frame.bytes[14 + 6] = 60;
	lab_put(frame.bytes + 18, 8 + 20 + 3000, 2);
	frame.n += 8;
	frame.tcp += 8;
	offload = hand_out(&frame, 1000);
	assert_int_equal(tw_segments_begin(&segments, &offload, frame.bytes, frame.n), 0);
	for (unsigned i = 0; i < 3; i++) {
		got = tw_segments_next(&segments, &n);
		assert_int_equal(n, 62 + 20 + 1000);
		assert_int_equal(lab_get(got + 18, 2), 8 + 20 + 1000);
		assert_memory_equal(got + 54, "\6\0\1\4\0\0\0\0", 8);
		assert_int_equal(lab_get(got + 62 + 4, 4), 5 + 1000 * i);
		sum = lab_pseudo(got, 6, 1020);
		assert_int_equal(lab_sum(sum, got + 62, 1020), 0xffff);
	}
	assert_null(tw_segments_next(&segments, &n));
}

static void refuse(const struct virtio_net_hdr *offload, uint32_t n)
{
	struct tw_segments segments;

	before = frame;
	assert_int_equal(tw_segments_begin(&segments, offload, frame.bytes, n), -EBADMSG);
	assert_memory_equal(frame.bytes, before.bytes, frame.n + 64);
}

static struct virtio_net_hdr make_super(bool ipv6)
{
	const struct lab_segment s = { .ipv6 = ipv6, .flags = F_ACK, .payload = 5000 };

	lab_make(&frame, &s);
	return hand_out(&frame, MSS);
}

static void test_wrong_offload(void **state)
{
	struct virtio_net_hdr o;

	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		o = make_super(!ipv6); /* the type of the other version */
		o.gso_type = ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6 : VIRTIO_NET_HDR_GSO_TCPV4;
		refuse(&o, frame.n);
		o = make_super(ipv6);
		o.gso_size = 0;
		refuse(&o, frame.n);
		o = make_super(ipv6);
		o.gso_type = VIRTIO_NET_HDR_GSO_UDP;
		refuse(&o, frame.n);
		o.gso_type = 5; /* VIRTIO_NET_HDR_GSO_UDP_L4, which older headers lack */
		refuse(&o, frame.n);
		o = make_super(ipv6);
		o.flags = 0;
		refuse(&o, frame.n);
		o = make_super(ipv6);
		o.csum_start += 20; /* of a packet inside */
		refuse(&o, frame.n);
		o = make_super(ipv6);
		o.csum_offset = 6;
		refuse(&o, frame.n);
	}
}

static void test_wrong_headers(void **state)
{
	struct virtio_net_hdr o;

	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		o = make_super(ipv6);
		for (uint32_t n = 0; n < frame.n; n++)
			refuse(&o, n);
		frame.bytes[ipv6 ? 20 : 23] = 17; /* UDP */
		refuse(&o, frame.n);
		o = make_super(ipv6);
		frame.bytes[frame.tcp + 12] = 4 << 4; /* a TCP header of 16 bytes */
		refuse(&o, frame.n);
		o = make_super(ipv6);
		lab_put(frame.bytes + (ipv6 ? 18 : 16), 0, 2); /* a length that did not fit */
		refuse(&o, frame.n);
		o = make_super(ipv6);
		frame.bytes[12] = 0x81; /* an EtherType that is not IP's */
		refuse(&o, frame.n);
	}
	o = make_super(false);
	frame.bytes[21] = 1; /* a later fragment */
	refuse(&o, frame.n);
	o = make_super(true); /* extensions beyond what is kept */
	frame.bytes[20] = 60;
	frame.bytes[54] = 6;
	frame.bytes[55] = 40;
	frame.bytes[54 + 41 * 8 + 12] = 5 << 4;
	o.csum_start = 54 + 41 * 8;
	refuse(&o, frame.n);
}

/* A datagram of UDP with `n` bytes, its checksum left to the device. */
static struct virtio_net_hdr make_udp(bool ipv6, uint32_t n)
{
	const struct lab_segment s = { .ipv6 = ipv6, .payload = n };
	struct virtio_net_hdr o;

	lab_make(&frame, &s);
	frame.n -= 12;
	o = hand_out(&frame, 0);
	lab_put(frame.bytes + (ipv6 ? 18 : 16), frame.n - 14 - (ipv6 ? 40 : 0), 2);
	frame.bytes[ipv6 ? 20 : 23] = 17;
	lab_put(frame.bytes + frame.tcp + 4, 8 + n, 2);
	lab_put(frame.bytes + frame.tcp + 6, lab_pseudo(frame.bytes, 17, 8 + n), 2);
	o.csum_offset = 6;
	return o;
}

static uint32_t udp_sum(void)
{
	uint32_t length = frame.n - frame.tcp;

	return lab_sum(lab_pseudo(frame.bytes, 17, length), frame.bytes + frame.tcp, length);
}

static void whole(const struct virtio_net_hdr *offload)
{
	struct tw_segments segments;
	uint32_t n = 0;

	assert_int_equal(tw_segments_begin(&segments, offload, frame.bytes, frame.n), 0);
	assert_ptr_equal(tw_segments_next(&segments, &n), frame.bytes);
	assert_int_equal(n, frame.n);
	assert_null(tw_segments_next(&segments, &n));
}

static void test_checksums(void **state)
{
	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		struct lab_segment s = { .ipv6 = ipv6,
					 .flags = F_ACK | F_PSH | F_FIN,
					 .payload = 333 };
		struct virtio_net_hdr o;

		lab_make(&frame, &s);
		want = frame;
		o = hand_out(&frame, 0);
		assert_false(lab_sums_right(frame.bytes, frame.n));
		whole(&o);
		assert_memory_equal(frame.bytes, want.bytes, frame.n);
		for (uint32_t n = 0; n < 9; n++) {
			o = make_udp(ipv6, n);
			whole(&o);
			assert_int_equal(udp_sum(), 0xffff);
		}
		/* One whose sum is 0xffff before it is complemented: 0 would be "no checksum". */
		o = make_udp(ipv6, 2);
		whole(&o);
		lab_put(frame.bytes + frame.tcp + 8,
			lab_sum(lab_get(frame.bytes + frame.tcp + 8, 2),
				frame.bytes + frame.tcp + 6, 2),
			2);
		lab_put(frame.bytes + frame.tcp + 6, lab_pseudo(frame.bytes, 17, 10), 2);
		whole(&o);
		assert_int_equal(lab_get(frame.bytes + frame.tcp + 6, 2), 0xffff);
		assert_int_equal(udp_sum(), 0xffff);
	}
}

static void test_whole(void **state)
{
	const struct virtio_net_hdr none = { 0 };
	const struct lab_segment s = { .flags = F_ACK, .payload = 5000 };
	struct virtio_net_hdr o;

	(void)state;
	lab_make(&frame, &s);
	want = frame;
	whole(&none);
	frame.n = 0;
	whole(&none);
	assert_memory_equal(frame.bytes, want.bytes, want.n);
	/* A checksum that would lie beyond the frame. */
	o = make_udp(false, 2);
	refuse(&o, frame.tcp + 7);
	o.csum_start = 65535;
	o.csum_offset = 65535;
	refuse(&o, frame.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_super_packets), cmocka_unit_test(test_ipv6_extension),
		cmocka_unit_test(test_wrong_offload), cmocka_unit_test(test_wrong_headers),
		cmocka_unit_test(test_checksums),     cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
