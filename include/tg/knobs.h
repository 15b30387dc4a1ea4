/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Knobs of the core and of its host; those of a policy are in its own table.
 *
 * src/core/knob.c has their names, ranges and defaults. Values are in tg_gpu.knob, under the GPU's
 * lock: times in ns.
 */
#ifndef TG_KNOBS_H
#define TG_KNOBS_H

#include <tg/types.h>

#define TG_KNOBS_MAX	16	/* knobs that a policy may have */

/**
 * enum tg_knob - knobs of the core, index into tg_core_params and tg_gpu.knob
 * @TG_KNOB_DEADLINE: job_deadline_us: a job that runs longer is lost
 * @TG_KNOB_FREED: freed_timeout_us: a freed job without fence loses its slot after this
 * @TG_KNOB_STARVED: starvation_us: how long a policy may leave an engine idle beside an eligible
 *	job; while another engine works, TG_KNOB_DEADLINE longer
 * @TG_KNOB_RECORDS: predict_records: records that a client's history may hold
 * @TG_KNOB_SWITCH: switch_cost_us: cost of a context switch, assumed until a client's history has
 *	measured it; read when the history begins; 0: tg_gpu.impact
 * @TG_KNOB_DRY: dry_run: 1: no job is delayed, and a model of the policy decides about them
 *	(tg/dry.h)
 * @TG_KNOB_ADMISSION: admission_percent: upper bound of the sum of the reserves' shares C/T,
 *	checked when a client is matched. Background does not count
 * @TG_KNOB_VRAM_ORDER: vram_order: enum tg_mem_order: which requests for VRAM wait, and in which
 *	order
 * @TG_KNOB_VRAM_TIMEOUT: vram_timeout_us: a request for VRAM that has waited this long is refused
 * @TG_KNOB_VRAM_AGEING: vram_ageing_us: a request that has waited this long is not overtaken any
 *	more
 * @TG_KNOB_STALL: stall_us: a freed job without fence loses its slots after this while a job of
 *	higher priority waits for its engines in the policy's queue; after half of it for each
 *	recent overlap of its client (tg_client.stalls). A job that has held slots for as long, or
 *	loses them, is debited for it while another client's job waits
 * @TG_KNOB_AE_FAITHFUL: ae_faithful: 1: AE as the paper has it: x is a mean, and the bound of a
 *	budget the larger of C and x. A record's x changes with its next run
 * @TG_KNOB_MAX_GROUP: max_group_us: no group is longer; L in the admission of guaranteed reserves
 *	(TG_CBS), checked when a client is matched. 0: the longest that was measured. The client of
 *	a longer one, or with 0 of one that breaks a guarantee, goes after all others
 */
enum tg_knob {
	TG_KNOB_DEADLINE, TG_KNOB_FREED, TG_KNOB_STARVED, TG_KNOB_RECORDS, TG_KNOB_SWITCH,
	TG_KNOB_DRY, TG_KNOB_ADMISSION,
	TG_KNOB_VRAM_ORDER, TG_KNOB_VRAM_TIMEOUT, TG_KNOB_VRAM_AGEING,
	TG_KNOB_STALL,
	TG_KNOB_AE_FAITHFUL,
	TG_KNOB_MAX_GROUP,
	TG_KNOBS
};

extern const struct tg_param tg_core_params[];

/**
 * enum tg_host_knob - knobs that the kernel's host keeps: a spec may name them, the core does not
 *	look at them
 * @TG_HOST_POLL_CPU: poll_cpu: the CPU that the poller runs on
 * @TG_HOST_RECORDER: recorder_kib: size of each GPU's flight recorder; 0: off
 * @TG_HOST_STUTTER: stutter_us: a wait that is longer freezes a copy of the recorder; 0: none does
 */
enum tg_host_knob { TG_HOST_POLL_CPU, TG_HOST_RECORDER, TG_HOST_STUTTER, TG_HOST_KNOBS };

/** tg_host_params - their names, and the widest ranges that a machine may have */
extern const struct tg_param tg_host_params[];

#endif /* TG_KNOBS_H */
