/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a job is charged, and on whose accounts: account.c.
 */
#ifndef TG_CORE_ACCOUNT_H
#define TG_CORE_ACCOUNT_H

#include "client.h"
#include "job.h"
#include "throttle.h"

s64 tg_job_place(struct tg_gpu *gpu, const struct tg_job *job, s64 by);
s64 tg_job_used(struct tg_gpu *gpu, struct tg_job *job, s64 at, u64 known);
s64 tg_job_used_lost(struct tg_gpu *gpu, struct tg_job *job, s64 at, u64 known);
s64 tg_job_settle(struct tg_gpu *gpu, struct tg_job *job, s64 used, u64 known);
void tg_job_remember(struct tg_engine *engine, const struct tg_job *job, s64 at, s64 used);

/*
 * Book @used on the job's virtual GPU, on its client and, where reserves are enforced, on its
 * reserve. Where gates are open, jobs that the core never hears of run among those that it knows,
 * so the policy finds out each client's time, and books it by tg_charge().
 */
static inline void tg_job_charge(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	enum tg_gate mode = gpu->policy->mode;
	struct tg_client *client = job->client;
	const bool kernel = tg_client_is_kernel(client);

	/* A driver's own work is no virtual GPU's, and is seen whatever the policy sees. */
	if (!kernel)
		gpu->vgpu[client->vgpu].used[tg_job_kind(job)] += used;
	if (mode == TG_GATE_TRACK || mode == TG_GATE_ASK || kernel || tg_job_picked(gpu, job)) {
		client->stats.gpu_time += used;
		tg_job_engine(gpu, job)->used += used;
	}
	if (mode == TG_GATE_ASK) {
		if (!tg_reserve_unlimited(job->reserve))
			tg_reserve_shared_out(job, used);
		tg_reserve_charge(job->reserve, used);
	}
}

#endif /* TG_CORE_ACCOUNT_H */
