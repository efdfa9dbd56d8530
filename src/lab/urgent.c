/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/urgent.h"

#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct sched_attr of linux/sched/types.h, which collides with <sched.h> of some C libraries. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* For SCHED_OTHER the runtime is the slice asked for, since Linux 6.12; 0 is the default. */
static int set_slice(uint64_t ns)
{
	struct attributes a = { .size = sizeof(a), .policy = SCHED_OTHER, .runtime = ns };

	return (int)syscall(SYS_sched_setattr, 0, &a, 0);
}

bool tw_urgent_begin(void)
{
	const struct sched_param lowest = { .sched_priority = 1 };

	prctl(PR_SET_TIMERSLACK, 1); /* ns; the default of 50 us would be added to every delay */
	/* The children of a real-time process are not to be that. */
	if (!sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest))
		return true;
	set_slice(100000); /* the least there is; older kernels take no notice */
	return false;
}

void tw_urgent_end(void)
{
	const struct sched_param none = { 0 };

	prctl(PR_SET_TIMERSLACK, 0);
	sched_setscheduler(0, SCHED_OTHER, &none);
	set_slice(0);
}
