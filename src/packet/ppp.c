/* SPDX-License-Identifier: BSD-2-Clause */
/* PPP frames (RFC 1661, RFC 1662), as a link type and within PPPoE. */
#include "packet/layer.h"

static const struct tw_layer protocols[] = {
	{ 0x0021, "IPv4", tw_decode_ipv4 },
	{ 0x0057, "IPv6", tw_decode_ipv6 },
	{ 0x002d, "compressed TCP", NULL }, /* RFC 1144 */
	{ 0x002f, "compressed TCP", NULL },
	{ 0x003d, "PPP multilink", NULL },
	{ 0x00fd, "compressed PPP", NULL },
	{ 0xc021, "PPP LCP", NULL },
	{ 0xc023, "PPP PAP", NULL },
	{ 0xc025, "PPP LQR", NULL },
	{ 0xc223, "PPP CHAP", NULL },
	{ 0x8021, "PPP IPCP", NULL },
	{ 0x8057, "PPP IPv6CP", NULL },
	{ 0x80fd, "PPP CCP", NULL },
};

enum tw_decoded tw_decode_ppp(struct tw_frame *frame)
{
	uint32_t protocol;
	const uint8_t *p = frame->in.at;

	/* Address and control, 0xff 0x03, are left out where the peers agreed so (section 6.6). */
	if (tw_frame_has(frame, 2) && p[0] == 0xff && p[1] == 0x03)
		tw_cursor_skip(&frame->in, 2);
	if (!tw_frame_has(frame, 2))
		return tw_frame_lacks(frame, 2);
	/* So may be the protocol's first byte: only the last byte of one is odd (section 2). */
	p = frame->in.at;
	if (p[0] & 1) {
		protocol = p[0];
		tw_cursor_skip(&frame->in, 1);
	} else {
		protocol = tw_be16(p);
		tw_cursor_skip(&frame->in, 2);
	}
	return tw_frame_by_table(frame, protocols, TW_ROWS(protocols), protocol,
				 "unknown PPP protocol");
}
