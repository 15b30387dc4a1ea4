// SPDX-License-Identifier: GPL-2.0
/*
 * none: the gate is open.
 *
 * Submissions are counted by the host and go straight to the driver: no event, no fence
 * callback, no interrupt asked for. Good at costing nothing; knows nothing about time.
 */
#include <tg/policy.h>

TG_POLICY(none) = {
	.name = "none",
	.mode = TG_GATE_OPEN,
};
