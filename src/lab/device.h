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

/* Writes `value` to /proc/sys/`path`; a negative errno where that is not allowed or not there. */
int tw_device_sysctl(const char *path, const char *value);

#endif
