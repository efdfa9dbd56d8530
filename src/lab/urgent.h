/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling for a thread that must run the moment its timer ends. */
#ifndef TW_LAB_URGENT_H
#define TW_LAB_URGENT_H

/*
 * Gives the calling thread the best there is for it: real-time priority, else short slices of the
 * fair scheduler, which puts it before others when it wakes. Returns which, in words.
 */
const char *tw_urgent_begin(void);

/* Back to ordinary scheduling. */
void tw_urgent_end(void);

#endif
