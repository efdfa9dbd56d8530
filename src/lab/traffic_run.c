/* SPDX-License-Identifier: BSD-2-Clause */
/* The two hosts of a traffic, from the kernel's settings to the last close. */
#include "lab/traffic_run.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/traffic_parts.h"

/* After a failure what is still queued is thrown away, and the other host learns of it at once. */
static void hang_up(int fd, bool has_failed)
{
	const struct linger reset = { .l_onoff = 1 };

	if (has_failed)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
}

int tw_traffic_client(const struct tw_traffic *traffic, const struct tw_traffic_options *options,
		      struct tw_traffic_result *result, struct tw_error *err)
{
	int64_t deadline = tw_traffic_now() + options->limit, start;
	int ret = tw_traffic_check(traffic, err), fd;

	*result = (struct tw_traffic_result){ 0 };
	if (!ret)
		ret = tw_traffic_set_kernel(&traffic->client, options->with_settings, err);
	if (!ret)
		ret = tw_traffic_connect(options->where, &traffic->client, deadline, &fd, &start,
					 err);
	if (ret)
		return ret;
	result->connect = tw_traffic_now() - start;
	ret = tw_traffic_talk(fd, traffic, options, start, deadline, result, err);
	hang_up(fd, ret);
	return ret;
}

int tw_traffic_server(const struct tw_traffic *traffic, const struct tw_traffic_options *options,
		      struct tw_traffic_result *result, struct tw_error *err)
{
	int64_t deadline = tw_traffic_now() + options->limit;
	int ret = tw_traffic_check(traffic, err), listening, fd;

	*result = (struct tw_traffic_result){ .is_server = true };
	if (!ret)
		ret = tw_traffic_set_kernel(&traffic->server, options->with_settings, err);
	if (!ret)
		ret = tw_traffic_listen(options->where, &traffic->server, &listening, err);
	if (ret)
		return ret;
	ret = tw_traffic_accept(listening, deadline, &fd, err);
	close(listening); /* one connection; whoever comes next is told so */
	if (ret)
		return ret;
	ret = tw_traffic_talk(fd, traffic, options, tw_traffic_now(), deadline, result, err);
	hang_up(fd, ret);
	return ret;
}

void tw_traffic_release(struct tw_traffic_result *result)
{
	tw_sampler_free(result->sampler);
	free(result->trips);
	result->sampler = NULL;
	result->trips = NULL;
}
