// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts: what a job has used of the GPU, and who is charged for it.
 *
 * The time that a job used is done - max(own start, previous completion on its engine). It goes to
 * its client, its virtual GPU and its reserve. Where all jobs go at once (fifo), a completion that
 * was told late is settled between the jobs that it concerns.
 *
 * job.c calls this file when a job ends or is lost; policies whose gates are open call tg_charge().
 * Under the GPU's lock.
 */
#include "account.h"

/*
 * Book @used on the job's client and, where reserves are enforced, on its reserve. Where gates
 * are open, jobs that nobody has heard of run among those that are known: the policy books.
 */
void tg_job_charge(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	enum tg_gate mode = gpu->policy->mode;
	struct tg_client *client = job->client;

	gpu->vgpu[client->vgpu].used[tg_job_kind(job)] += used;
	if (mode == TG_GATE_TRACK || mode == TG_GATE_ASK || job->picked)
		client->stats.gpu_time += used;
	if (mode == TG_GATE_ASK)
		tg_reserve_charge(job->reserve, used);
}

/*
 * Where all are tracked, jobs of many clients are in flight, and a completion that is told late
 * makes its own job look longer and those behind it shorter: when the host stands still, all that
 * complete meanwhile carry one time, and the first of them would pay for all. So what a job
 * took beyond what is typical of its client is given back to it as far as the jobs right
 * behind it took less than is typical of theirs. The sum of all charges stays what has passed.
 *
 * Return: what @job is charged.
 */
s64 tg_job_settle(struct tg_gpu *gpu, struct tg_engine *engine, struct tg_job *job, s64 used)
{
	struct tg_client *client = job->client, *before;
	u64 seen = client->stats.completed;
	s64 lack = seen ? client->typical - used : 0;

	if (lack > 0 && engine->surplus > 0 && job->since <= engine->last_done) {
		before = tg_gpu_client(gpu, engine->surplus_client);
		lack = min(lack, engine->surplus);
		if (before) {
			before->stats.gpu_time -= lack;
			used += lack;
		}
		engine->surplus -= lack;
	} else {
		engine->surplus = max(-lack, (s64)0);
		engine->surplus_client = client->id;
	}
	/* A mean of the first 16, then of about the last 16, in which no one counts double. */
	if (seen)
		client->typical += div64_s64(min(used, 2 * client->typical + 1) - client->typical,
					     min(seen + 1, (u64)16));
	else
		client->typical = used;
	return used;
}

void tg_charge(struct tg_client *client, s64 used)
{
	client->stats.gpu_time += used;
}
