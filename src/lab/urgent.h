/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling for a thread that must run the moment its timer ends. */
#ifndef TW_LAB_URGENT_H
#define TW_LAB_URGENT_H

#include <stdbool.h>

/*
 * Gives the calling thread the best there is for it: real-time priority (true), which takes root or
 * an RLIMIT_RTPRIO; else short slices of the fair scheduler, which put it before others when it
 * wakes.
 */
bool tw_urgent_begin(void);

/* Back to ordinary scheduling. */
void tw_urgent_end(void);

#endif
