// SPDX-License-Identifier: GPL-2.0
/*
 * Knobs: of the core and of its host, whose tables are here, and of the policy in force, whose
 * table is the policy's.
 *
 * table.c sets the defaults, feed.c calls tg_policy_knob() for the event KNOB; under the GPU's
 * lock.
 */
#include "dry.h"
#include "handover.h"
#include "knob.h"
#include "share.h"

const struct tg_param tg_core_params[] = {
	[TG_KNOB_DEADLINE] = { "job_deadline_us", 1000, 3600 * TG_SEC / TG_USEC,
			       10 * TG_SEC / TG_USEC, "a group that takes longer is lost" },
	[TG_KNOB_FREED] = { "freed_timeout_us", 1000, 60 * TG_SEC / TG_USEC,
			    100 * TG_MSEC / TG_USEC,
		"a picked group that does not reach the GPU in this time loses its slot" },
	[TG_KNOB_STARVED] = { "starvation_us", 1000, 60 * TG_SEC / TG_USEC, TG_SEC / TG_USEC,
		"a policy that leaves an engine idle beside a waiting group so long is ejected" },
	[TG_KNOB_RECORDS] = { "predict_records", 1, 1000, 100,
		"kinds of groups whose costs are remembered for each client with ae" },
	[TG_KNOB_SWITCH] = { "switch_cost_us", 0, TG_SEC / TG_USEC, 0,
		"what a context switch costs until measured; 0: what all clients have shown" },
	[TG_KNOB_DRY] = { "dry_run", 0, 1, 0,
		"1: nothing is delayed, and a model tells what the policy would have done" },
	/* Above any sum of shares, unless it is set. */
	[TG_KNOB_ADMISSION] = { "admission_percent", 0, 100000000, 100000000,
		"what the C/T of all reserves may add up to" },
	[TG_KNOB_VRAM_ORDER] = { "vram_order", 0, TG_MEM_ORDERS - 1, TG_MEM_SPEC,
		"0: requests for VRAM do not wait, 1: FIFO, 2: MMU, 3, 4: the same by priority" },
	[TG_KNOB_VRAM_TIMEOUT] = { "vram_timeout_us", 1000, 3600 * TG_SEC / TG_USEC,
				   60 * TG_SEC / TG_USEC,
		"a request for VRAM that has waited for so long fails" },
	[TG_KNOB_VRAM_AGEING] = { "vram_ageing_us", 0, 3600 * TG_SEC / TG_USEC,
				  10 * TG_SEC / TG_USEC,
		"a request for VRAM that has waited for so long goes first" },
	[TG_KNOB_STALL] = { "stall_us", 100, 60 * TG_SEC / TG_USEC, 5 * TG_MSEC / TG_USEC,
		"as freed_timeout_us, while a group of higher priority waits for the engine" },
	[TG_KNOB_AE_FAITHFUL] = { "ae_faithful", 0, 1, 0,
		"1: reserves with ae as the paper has them" },
	[TG_KNOB_MAX_GROUP] = { "max_group_us", 0, 3600 * TG_SEC / TG_USEC, 0,
		"the longest group that cbs reserves allow for; 0: the longest measured" },
	{ }
};

const struct tg_param tg_host_params[] = {
	[TG_HOST_POLL_CPU] = { "poll_cpu", 0, 8191, 0, "the CPU that the poller runs on" },
	[TG_HOST_RECORDER] = { "recorder_kib", 0, 4096, 256,
		"size of each GPU's flight recorder; 0: off" },
	[TG_HOST_STUTTER] = { "stutter_us", 0, 60 * TG_SEC / TG_USEC, 0,
		"a wait that is longer freezes a copy of the recorder; 0: none does" },
	{ }
};

s64 tg_knob_value(u32 nr, s64 value)
{
	switch (nr) {
	case TG_KNOB_RECORDS:
	case TG_KNOB_DRY:
	case TG_KNOB_VRAM_ORDER:
	case TG_KNOB_AE_FAITHFUL:
		return value;
	case TG_KNOB_ADMISSION:
		return value * (TG_SHARE_ALL / 100);
	default:
		return value * TG_USEC;
	}
}

int tg_policy_knob(struct tg_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_param *params = ev->knob.of_policy ? gpu->policy->params : tg_core_params;
	u64 nr;
	int rc;

	if (ev->knob.of_policy == 1 && gpu->dry)
		return tg_dry_knob(gpu, ev);
	for (nr = 0; params && params[nr].name && nr < ev->knob.number; nr++)
		;
	if (ev->knob.of_policy > 1 || !params || !params[nr].name || nr != ev->knob.number ||
	    ev->knob.value < params[nr].min || ev->knob.value > params[nr].max)
		return -EINVAL;
	if (!ev->knob.of_policy && nr == TG_KNOB_DRY) {
		rc = tg_policy_dry_run(gpu, ev->knob.value);
		if (rc)
			return rc;
	}
	if (ev->knob.of_policy && tg_share_knob(gpu->policy, nr) &&
	    gpu->policy_knob[nr] != ev->knob.value) {
		rc = tg_policy_join_anew(gpu);
		if (rc)
			return rc;
	}
	if (!ev->knob.of_policy && nr == TG_KNOB_MAX_GROUP)
		gpu->longest = 0;
	if (ev->knob.of_policy)
		gpu->policy_knob[nr] = ev->knob.value;
	else
		gpu->knob[nr] = tg_knob_value(nr, ev->knob.value);
	return 0;
}
