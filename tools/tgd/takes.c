// SPDX-License-Identifier: GPL-2.0
/*
 * What no daemon in user space can have, in a specification: see takes.h.
 */
#include <stdbool.h>

#include <tg/policy.h>

#include "takes.h"

bool tgd_takes(const struct tg_spec *spec, struct tg_spec_error *err)
{
	u32 i;

	if (spec->policy >= 0 && tg_policy_get(spec->policy)->sample) {
		*err = (struct tg_spec_error){ spec->policy_at.line, spec->policy_at.column,
			"a policy that reads the GPU, which no program can",
			"another policy, such as timegraph" };
		return false;
	}
	for (i = 0; i < spec->nr_knobs; i++) {
		if (spec->knobs[i].of != TG_KNOB_OF_HOST)
			continue;
		*err = (struct tg_spec_error){ spec->knobs[i].at.line, spec->knobs[i].at.column,
			"a knob that only the kernel module has", "a specification without this line" };
		return false;
	}
	return true;
}
