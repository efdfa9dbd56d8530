/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/device.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

/* Features that a device may have: several times what Linux has names for. */
enum { FEATURES = 512 };

static int ask(int fd, const char *name, void *request)
{
	struct ifreq ifr = { .ifr_data = request };

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	return ioctl(fd, SIOCETHTOOL, &ifr) < 0 ? -errno : 0;
}

static int ethtool(int fd, const char *name, uint32_t command, uint32_t *value)
{
	struct ethtool_value request = { .cmd = command, .data = *value };
	int error = ask(fd, name, &request);

	if (!error)
		*value = request.data;
	return error;
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

/* Whether a feature (net/ethtool/common.c has the names) is work that nobody here does. */
static bool is_beyond(const char *feature)
{
	static const char *const kept[] = {
		"tx-checksum-ip-generic", "tx-generic-segmentation", "tx-tcp-segmentation",
		"tx-tcp6-segmentation",   "tx-tcp-ecn-segmentation",
	};
	/* Beginnings. What arrives has its checksum, and is looked at as it came. */
	static const char *const taken[] = { "tx-checksum-", "tx-gso-", "rx-checksum", "rx-gro",
					     "rx-udp-gro-" };
	bool is_work = strstr(feature, "-segmentation");

	for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		is_work |= !strncmp(feature, taken[i], strlen(taken[i]));
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		is_work &= strcmp(feature, kept[i]) != 0;
	return is_work;
}

static int clear_beyond(int fd, const char *name)
{
	/* Each with room for the array that it ends with. */
	union {
		struct ethtool_sset_info head;
		uint8_t room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} info = { .head = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1 << ETH_SS_FEATURES } };
	union {
		struct ethtool_gstrings head;
		uint8_t room[sizeof(struct ethtool_gstrings) + FEATURES * ETH_GSTRING_LEN];
	} names = { .head = { .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES } };
	union {
		struct ethtool_sfeatures head;
		uint8_t room[sizeof(struct ethtool_sfeatures) +
			     FEATURES / 32 * sizeof(struct ethtool_set_features_block)];
	} set = { .room = { 0 } };
	int error = ask(fd, name, &info);

	if (error)
		return error;
	if (info.head.data[0] > FEATURES)
		return -E2BIG;
	names.head.len = info.head.data[0];
	error = ask(fd, name, &names);
	if (error)
		return error;
	set.head.cmd = ETHTOOL_SFEATURES;
	set.head.size = (info.head.data[0] + 31) / 32;
	for (uint32_t i = 0; i < info.head.data[0]; i++) {
		char *feature = (char *)names.head.data + i * ETH_GSTRING_LEN;

		feature[ETH_GSTRING_LEN - 1] = '\0';
		if (is_beyond(feature))
			set.head.features[i / 32].valid |= UINT32_C(1) << i % 32;
	}
	return ask(fd, name, &set);
}

int tw_device_keep_tso(const char *name)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint32_t tso = 0;
	int error;

	if (fd < 0)
		return -errno;
	error = clear_beyond(fd, name);
	if (!error)
		error = ethtool(fd, name, ETHTOOL_GTSO, &tso);
	close(fd);
	return !error && !tso ? -EOPNOTSUPP : error;
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
