// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: every submission goes at once, and its completion is accounted.
 *
 * The hardware's own round robin among channels decides who runs. Never delays anything, so
 * reserves do not hold anyone back and are not charged. Good as a baseline with accounts, and
 * as the place where a policy that failed is replaced: it can starve nobody. Bad at
 * everything that scheduling is for.
 */
#include <tg/policy.h>

TG_POLICY(fifo) = {
	.name = "fifo",
	.mode = TG_GATE_TRACK,
};
