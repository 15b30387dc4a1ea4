// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: every submission goes at once, and its completion is accounted.
 *
 * The hardware's own round robin among channels decides which job runs. fifo delays no job, so
 * reserves hold nothing back and are not charged. Good as a baseline with accounts, and as what
 * replaces a policy that has failed, since it can starve no client. Bad at everything that
 * scheduling is for.
 */
#include <tg/policy.h>

TG_POLICY(fifo) = {
	.name = "fifo",
	.mode = TG_GATE_TRACK,
};
