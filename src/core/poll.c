// SPDX-License-Identifier: GPL-2.0
/*
 * Poll phases: what a policy asks of the host by tg_poll(), and what the host has seen.
 *
 * The host reads which channel the engine works for, and reports at the phase's end (SAMPLE). One
 * phase is under way at a time. If no report comes, the policy would hold clients for ever: some
 * time after the phase's end it is told so by an empty sample.
 *
 * Policies call tg_poll(); feed.c, engine.c and handover.c call the rest, under the GPU's lock.
 */
#include "poll.h"

static void emit(struct tg_gpu *gpu, s64 until, u32 distance)
{
	struct tg_action action = { .kind = TG_ACT_POLL, .at = until, .arg = distance };

	gpu->out->emit(gpu->out, &action);
}

/* When the host's report is overdue. */
s64 tg_poll_wake(const struct tg_gpu *gpu)
{
	if (!gpu->poll_until)
		return TG_NEVER;
	return tg_after(gpu->poll_until, gpu->knob[TG_KNOB_STARVED]);
}

void tg_poll(struct tg_gpu *gpu, s64 until, u32 distance)
{
	if (!until) {
		tg_poll_stop(gpu);
		return;
	}
	gpu->poll_until = until;
	tg_wake_by(gpu, tg_poll_wake(gpu));
	emit(gpu, until, max(distance, 1u));
}

void tg_poll_stop(struct tg_gpu *gpu)
{
	if (!gpu->poll_until)
		return;
	gpu->poll_until = 0;
	emit(gpu, 0, 0);
}

int tg_poll_sample(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = ev->client ? tg_gpu_client(gpu, ev->client) : NULL;
	const struct tg_sample *s = ev->sample;

	if (!s || s->length < 0 || s->busy < 0 || s->busy > s->length || s->length > ev->now)
		return -EINVAL;
	if (ev->client && !client)
		return -ENOENT;
	if (!gpu->poll_until)
		return -EBUSY;
	if (client) {
		client->stats.polled_time += s->busy;
		client->stats.polled_groups += s->groups;
	} else {
		gpu->poll_until = 0;
	}
	if (gpu->policy->sample && (!client || tg_client_joined(gpu, client)))
		gpu->policy->sample(gpu, client, s);
	return 0;
}

/* Tell the policy if the host has not reported in time. */
void tg_poll_expire(struct tg_gpu *gpu)
{
	const struct tg_sample none = { };

	if (tg_poll_wake(gpu) > gpu->now)
		return;
	tg_poll_stop(gpu);
	if (gpu->policy->sample)
		gpu->policy->sample(gpu, NULL, &none);
}
