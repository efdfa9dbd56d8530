/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of network devices in the caller's network namespace. */
#ifndef TW_LAB_DEVICE_H
#define TW_LAB_DEVICE_H

/*
 * Takes off what would put frames on the path that no wire has: segments merged into larger ones,
 * and checksums left for hardware to fill in, which no hardware here does (the receiver drops them,
 * and TCP hangs). 0, or the negative errno where a device keeps one of those that matter.
 */
int tw_device_clear_offloads(const char *name);

/*
 * Leaves of the offloads those that lab/segment.h can do for a host, which its device is then to
 * have: TCP segmentation and checksums. All others are taken off (segments merged on arrival,
 * UDP segmentation, SCTP, tunnels), so that the kernel does them as for a NIC without. 0, or a
 * negative errno; -EOPNOTSUPP where the device has no TCP segmentation.
 */
int tw_device_keep_tso(const char *name);

/* Writes `value` to /proc/sys/`path`; a negative errno where that is not allowed or not there. */
int tw_device_sysctl(const char *path, const char *value);

#endif
