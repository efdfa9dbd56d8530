/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lab/tcpinfo.h"
#include "lab/traffic_parts.h"

enum { INTERVAL = 1000000 }; /* ns */

/* X(name, how it is printed, type of the field, its value of `i`, a struct tw_tcpinfo) */
#define COLUMNS(X)                                                     \
	X(cwnd, uint, uint32_t, i->info.tcpi_snd_cwnd)                 \
	X(ssthresh, uint, uint32_t, i->info.tcpi_snd_ssthresh)         \
	X(unacked, uint, uint32_t, i->info.tcpi_unacked)               \
	X(sacked, uint, uint32_t, i->info.tcpi_sacked)                 \
	X(lost, uint, uint32_t, i->info.tcpi_lost)                     \
	X(retrans, uint, uint32_t, i->info.tcpi_retrans)               \
	X(total_retrans, uint, uint32_t, i->info.tcpi_total_retrans)   \
	X(ca_state, uint, uint32_t, i->info.tcpi_ca_state)             \
	X(backoff, uint, uint32_t, i->info.tcpi_backoff)               \
	X(rtt_s, us, uint32_t, i->info.tcpi_rtt)                       \
	X(rto_s, us, uint32_t, i->info.tcpi_rto)                       \
	X(snd_wnd, uint, uint32_t, i->info.tcpi_snd_wnd)               \
	X(rcv_wnd, uint, uint32_t, tw_tcpinfo_rcv_wnd(i))              \
	X(notsent_bytes, uint, uint32_t, i->info.tcpi_notsent_bytes)   \
	X(unacked_bytes, uint, uint32_t, (uint32_t)i->sendq)           \
	X(unread_bytes, uint, uint32_t, (uint32_t)i->receiveq)         \
	X(is_writing, uint, uint8_t, atomic_load(&sampler->is_writing)) \
	X(bytes_sent, uint, uint64_t, i->info.tcpi_bytes_sent)         \
	X(bytes_acked, uint, uint64_t, i->info.tcpi_bytes_acked)       \
	X(bytes_received, uint, uint64_t, i->info.tcpi_bytes_received) \
	X(pacing_rate_bps, rate, uint64_t, i->info.tcpi_pacing_rate)   \
	X(busy_s, us, uint64_t, i->info.tcpi_busy_time)                \
	X(rwnd_limited_s, us, uint64_t, i->info.tcpi_rwnd_limited)     \
	X(sndbuf_limited_s, us, uint64_t, i->info.tcpi_sndbuf_limited)

struct sample {
	int64_t t; /* ns since the start */
#define X(name, form, type, value) type name;
	COLUMNS(X)
#undef X
};

struct tw_sampler {
	int fd, wake; /* `wake`: an eventfd, readable when the thread is to end */
	int64_t start, deadline, interval;
	struct sample *samples; /* NULL: none are wanted */
	int n;
	bool is_running;
	atomic_bool is_writing;
	pthread_t thread;
};

/* Every second one goes, the first stays; the interval doubles. */
static void thin_out(struct tw_sampler *sampler)
{
	sampler->n = (sampler->n + 1) / 2;
	for (int k = 1; k < sampler->n; k++)
		sampler->samples[k] = sampler->samples[2 * k];
	sampler->interval *= 2;
}

static void take(struct tw_sampler *sampler)
{
	struct tw_tcpinfo info, *i = &info;
	struct sample *sample;

	if (sampler->n == TW_SAMPLES_MAX)
		thin_out(sampler);
	sample = &sampler->samples[sampler->n];
	sample->t = tw_traffic_now() - sampler->start;
	if (tw_tcpinfo_take_sample(i, sampler->fd))
		return;
#define X(name, form, type, value) sample->name = value;
	COLUMNS(X)
#undef X
	sampler->n++;
}

static void *watch(void *argument)
{
	struct tw_sampler *sampler = argument;
	struct pollfd wake = { .fd = sampler->wake, .events = POLLIN };
	int64_t next = sampler->start;
	bool is_shut = false;

	prctl(PR_SET_TIMERSLACK, 1UL); /* of this thread; 50 us by default */
	for (;;) {
		int64_t now = tw_traffic_now(), until;
		struct timespec wait;

		if (!is_shut && now >= sampler->deadline) {
			shutdown(sampler->fd, SHUT_RDWR);
			is_shut = true;
		}
		if (sampler->samples && now >= next) {
			take(sampler);
			/* On a grid, so that a late sample does not put off the others. */
			next += ((now - next) / sampler->interval + 1) * sampler->interval;
		}
		until = is_shut ? INT64_MAX : sampler->deadline;
		if (sampler->samples && next < until)
			until = next;
		wait = tw_traffic_timespec(until > now ? until - now : 0);
		if (ppoll(&wake, 1, until == INT64_MAX ? NULL : &wait, NULL) > 0)
			return NULL;
	}
}

int tw_sampler_new(struct tw_sampler **out, int fd, int64_t start, int64_t deadline,
		   bool with_samples)
{
	struct tw_sampler *sampler = calloc(1, sizeof(*sampler));
	int ret = -ENOMEM;

	if (!sampler)
		return ret;
	sampler->fd = fd;
	sampler->wake = -1;
	sampler->start = start;
	sampler->deadline = deadline;
	sampler->interval = INTERVAL;
	if (with_samples) {
		sampler->samples = calloc(TW_SAMPLES_MAX, sizeof(*sampler->samples));
		if (!sampler->samples)
			goto failed;
	}
	sampler->wake = eventfd(0, EFD_CLOEXEC);
	if (sampler->wake < 0) {
		ret = -errno;
		goto failed;
	}
	ret = -pthread_create(&sampler->thread, NULL, watch, sampler);
	if (ret)
		goto failed;
	sampler->is_running = true;
	*out = sampler;
	return 0;
failed:
	tw_sampler_free(sampler);
	return ret;
}

void tw_sampler_stop(struct tw_sampler *sampler)
{
	if (!sampler->is_running)
		return;
	eventfd_write(sampler->wake, 1);
	pthread_join(sampler->thread, NULL);
	sampler->is_running = false;
	if (sampler->samples)
		take(sampler);
}

void tw_sampler_free(struct tw_sampler *sampler)
{
	if (!sampler)
		return;
	tw_sampler_stop(sampler);
	if (sampler->wake >= 0)
		close(sampler->wake);
	free(sampler->samples);
	free(sampler);
}

void tw_sampler_is_writing(struct tw_sampler *sampler, bool is_writing)
{
	atomic_store(&sampler->is_writing, is_writing);
}

bool tw_sampler_has_samples(const struct tw_sampler *sampler)
{
	return sampler && sampler->samples;
}

static void print_uint(struct tw_json *json, uint64_t value)
{
	tw_json_uint(json, NULL, value);
}

static void print_us(struct tw_json *json, uint64_t value)
{
	tw_json_seconds(json, NULL, (int64_t)value * 1000);
}

/* Of bytes/s; all ones are "no limit". */
static void print_rate(struct tw_json *json, uint64_t value)
{
	if (value > UINT64_MAX / 8)
		tw_json_null(json, NULL);
	else
		tw_json_uint(json, NULL, value * 8);
}

void tw_sampler_json(const struct tw_sampler *sampler, struct tw_json *json, const char *key)
{
	tw_json_object(json, key);
	tw_json_seconds(json, "interval_s", sampler->interval);
	tw_json_array(json, "t_s");
	for (int k = 0; k < sampler->n; k++)
		tw_json_seconds(json, NULL, sampler->samples[k].t);
	tw_json_end(json);
#define X(name, form, type, value)                            \
	tw_json_array(json, #name);                           \
	for (int k = 0; k < sampler->n; k++)                  \
		print_##form(json, sampler->samples[k].name); \
	tw_json_end(json);
	COLUMNS(X)
#undef X
	tw_json_end(json);
}
