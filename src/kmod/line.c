// SPDX-License-Identifier: GPL-2.0
/*
 * Lines: so that the work under tgk_gpu.lock does not grow with the number of threads, four of them
 * are let in at a time, and the others wait outside, in the order in which they came.
 *
 * A thread takes a place in the line of its channel, until its job has started, and one in the line
 * of its client, until its job's turn has come. So a client has few jobs that wait, however many
 * channels it has; and a thread that sleeps inside the driver holds up no other channel.
 *
 * submit.c lets threads in; it and fence.c let the next ones in. A thread that waits can be killed,
 * frozen and interrupted; a signal costs it its place.
 */
#include <linux/sched/signal.h>

#include "channel.h"
#include "line.h"

static bool is_full(const struct tgk_line *line)
{
	return unlikely(line->in == TGK_THREADS);
}

/* Under tgk_gpu.lock: the current thread is to wait. */
static void line_up(struct tgk_line *line, struct tgk_turn *turn)
{
	*turn = (struct tgk_turn){ .task = current };
	list_add_tail(&turn->node, &line->behind);
}

/**
 * tgk_line_next() - a place is given back
 * @line: a line that counts it
 *
 * The first of those behind has it from now on.
 * Context: under tgk_gpu.lock.
 */
void tgk_line_next(struct tgk_line *line)
{
	struct tgk_turn *turn;

	if (likely(list_empty(&line->behind))) {
		line->in--;
		return;
	}
	turn = list_first_entry(&line->behind, struct tgk_turn, node);
	list_del(&turn->node);
	/* Once it has seen this, and has had the lock, its stack may be gone. */
	WRITE_ONCE(turn->come, true);
	wake_up_process(turn->task);
}

/* Under tgk_gpu.lock: count in no line. */
static void drop(struct tgk_place *place)
{
	if (!place->ch)
		return;
	if (place->let_in)
		tgk_line_next(&place->ch->client->line);
	tgk_line_next(&place->ch->line);
	tgk_channel_put(place->ch);
	place->ch = NULL;
	place->let_in = false;
}

/* Under tgk_gpu.lock: count in the line of @ch, and in no other channel's. */
static void take(struct tgk_place *place, struct tgk_channel *ch)
{
	if (place->ch == ch)
		return;
	drop(place);
	refcount_inc(&ch->refs);
	ch->line.in++;
	place->ch = ch;
}

/**
 * tgk_place_line_up() - line up, if a line has no place for the current thread
 * @place: its places
 * @ch: the channel that it submits to
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: true: it waits in that line now, and tgk_place_wait() follows; false: it need not.
 */
bool tgk_place_line_up(struct tgk_place *place, struct tgk_channel *ch)
{
	if (ch != place->ch && is_full(&ch->line)) {
		refcount_inc(&ch->refs);
		place->behind = ch;
		line_up(&ch->line, &place->turn);
		return true;
	}
	if (is_full(&ch->client->line) && !(place->let_in && ch == place->ch)) {
		take(place, ch);
		place->behind = NULL;
		line_up(&ch->client->line, &place->turn);
		return true;
	}
	return false;
}

/*
 * Return: 0: the turn has come, and the thread goes on whatever signals there are; or it is to look
 * again: the GPU closes, or the driver is to free @ch, which the thread has a place of, or NULL.
 */
static int wait_for(struct tgk_gpu *gpu, struct tgk_turn *turn, const struct tgk_channel *ch)
{
	bool over;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		over = READ_ONCE(gpu->closing) || (ch && READ_ONCE(ch->dying));
		if (READ_ONCE(turn->come) || signal_pending(current) || over)
			break;
		/* Nobody wakes those that are over: few have a place, very many may have none. */
		schedule_timeout(ch ? HZ / 20 : 2 * HZ);
	}
	__set_current_state(TASK_RUNNING);

	raw_spin_lock_irq(&gpu->lock);
	if (!turn->come)
		list_del(&turn->node);
	raw_spin_unlock_irq(&gpu->lock);
	if (turn->come || over)
		return 0;
	return fatal_signal_pending(current) ? -EINTR : -ERESTARTSYS;
}

/**
 * tgk_place_wait() - sleep until there is a place
 * @gpu: the GPU
 * @place: of the current thread, in a line
 *
 * Context: process.
 *
 * Return: 0: the thread has it, and goes on even if there is a signal, since others are behind it;
 * or its channel is being freed, or the GPU closes: it is to look again; -EINTR or -ERESTARTSYS: a
 * signal came, and it has no place.
 */
int tgk_place_wait(struct tgk_gpu *gpu, struct tgk_place *place)
{
	int ret = wait_for(gpu, &place->turn, place->behind ? NULL : place->ch);

	if (!place->behind) {
		place->let_in = place->turn.come;
	} else if (!place->turn.come) {
		tgk_channel_put(place->behind);
	} else {
		tgk_place_drop(gpu, place);
		place->ch = place->behind;
	}
	return ret;
}

/**
 * tgk_place_pass_on() - the thread has a job: that one has the places from now on
 * @place: the thread's
 * @ch: its channel, for which it need not line up
 * @job: the job; freed, if its turn has come at once
 *
 * Context: under tgk_gpu.lock.
 */
void tgk_place_pass_on(struct tgk_place *place, struct tgk_channel *ch, struct tgk_job *job)
{
	take(place, ch);
	job->ch = ch;
	job->waits = !job->freed;
	if (job->waits && !place->let_in)
		ch->client->line.in++;
	else if (unlikely(!job->waits && place->let_in))
		tgk_line_next(&ch->client->line);
	place->ch = NULL;
	place->let_in = false;
}

/**
 * tgk_place_drop() - the thread has no job, and goes another way
 * @gpu: the GPU
 * @place: its places, or none
 *
 * Context: any.
 */
void tgk_place_drop(struct tgk_gpu *gpu, struct tgk_place *place)
{
	if (likely(!place->ch))
		return;
	raw_spin_lock_irq(&gpu->lock);
	drop(place);
	raw_spin_unlock_irq(&gpu->lock);
}
