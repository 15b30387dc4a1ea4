// SPDX-License-Identifier: GPL-2.0
/*
 * none: the gate is open.
 *
 * The host counts submissions and passes them to the driver: no event, no fence callback, no
 * interrupt. Good at costing nothing. It accounts no time.
 */
#include <tg/policy.h>

TG_POLICY(none) = {
	.name = "none",
	.mode = TG_GATE_OPEN,
};
