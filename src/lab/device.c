/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/device.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

static int ethtool(int fd, const char *name, uint32_t command, uint32_t *value)
{
	struct ethtool_value request = { .cmd = command, .data = *value };
	struct ifreq ifr = { 0 };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	ifr.ifr_data = (void *)&request;
	if (ioctl(fd, SIOCETHTOOL, &ifr))
		return -errno;
	*value = request.data;
	return 0;
}

int tw_device_clear_offloads(const char *name)
{
	/* Setting may be refused where nothing was set: what the device says after it counts. */
	static const struct {
		uint32_t set, get; /* get 0: nothing depends on it */
	} offloads[] = {
		{ ETHTOOL_STSO, ETHTOOL_GTSO }, { ETHTOOL_SGSO, 0 },
		{ ETHTOOL_SGRO, ETHTOOL_GGRO }, { ETHTOOL_STXCSUM, ETHTOOL_GTXCSUM },
		{ ETHTOOL_SRXCSUM, 0 },
	};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = 0;

	if (fd < 0)
		return -errno;
	for (unsigned i = 0; i < sizeof(offloads) / sizeof(offloads[0]) && !result; i++) {
		uint32_t off = 0, now = 0;
		int error = ethtool(fd, name, offloads[i].set, &off);

		if (offloads[i].get && !ethtool(fd, name, offloads[i].get, &now) && now)
			result = error ? error : -EOPNOTSUPP;
	}
	close(fd);
	return result;
}

int tw_device_sysctl(const char *path, const char *value)
{
	char name[256];
	ssize_t n;
	int fd, error;

	snprintf(name, sizeof(name), "/proc/sys/%s", path);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, value, strlen(value));
	error = n < 0 ? -errno : 0;
	close(fd);
	return error;
}
