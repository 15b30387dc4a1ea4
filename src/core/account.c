// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts: what a job has used of the GPU, and which accounts are charged for it.
 *
 * The time that a job used is done - max(own start, previous completion on its engine). It goes to
 * its client, its virtual GPU and its reserve. Where all jobs go at once (fifo), a completion that
 * was reported late is settled between the jobs that it concerns.
 *
 * job.c calls this file when a job ends or is lost; policies whose gates are open call tg_charge().
 * Under the GPU's lock.
 */
#include "account.h"

/*
 * Where all jobs are tracked, jobs of many clients are in flight at once. A completion that is
 * reported late makes its own job look longer and the jobs behind it shorter: when the host stood
 * still, all jobs that completed meanwhile carry one time, and the first of them would pay for all.
 * So what a job took beyond its client's typical time is given back to that client, as far as the
 * jobs right behind it took less than is typical of theirs. The sum of all charges stays the time
 * that has passed.
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
	/*
	 * The mean of the first 16 jobs, then of about the last 16; no job counts for more than
	 * two.
	 */
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
