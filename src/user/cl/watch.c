// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Drivers whose callbacks come late: a thread waits for the ends of launches instead.
 *
 * When a launch has ended, others may go: so its end is to be reported at once. OpenCL has a callback
 * for that, and NVIDIA's driver calls it 20 ms late, while clWaitForEvents() returns at once. So of a
 * device's first launches one half has callbacks, and a thread waits for the other half; who notices
 * ends later, by the device's own times, decides. Callbacks need no thread, and a driver's wait may
 * spin, so callbacks are taken where they are prompt.
 *
 * The thread waits for one launch after the other. Those of an in-order queue end in that order; one of
 * another queue could end long before the one that the thread waits for, and has a callback. (Of an
 * out-of-order queue, one that overtakes others is reported after them.)
 *
 * launch.c calls this file: watch_by_callback() and watch() in the program's threads and the helper,
 * watch_judge() in the driver's threads and the one of this file. device.lock guards all of it; it is
 * not held while the driver is called. Each flight in the list has a reference, so its event stays. The
 * thread ends with the process.
 */
#include "cl.h"
#include "launch.h"
#include "watch.h"

#define LATE	1000000		/* ns by which callbacks are late, on average */
#define WARM	16		/* launches that are not judged: clocks are compared first */
#define JUDGED	48		/* launches until it is decided */

static void *serve(void *arg)
{
	struct device *d = arg;
	struct flight *f;

	for (;;) {
		pthread_mutex_lock(&d->lock);
		while (!d->waits) {
			d->waits_of = NULL;
			pthread_cond_wait(&d->more, &d->lock);
		}
		f = d->waits;
		d->waits = f->next;
		if (!d->waits)
			d->waits_end = &d->waits;
		pthread_mutex_unlock(&d->lock);
		next->clWaitForEvents(1, &f->event);
		launch_ended(f);
	}
	return NULL;
}

/* Under the lock. Without ends of both kinds nothing speaks against callbacks. */
static bool late(const struct device *d)
{
	return d->judged[0] && d->judged[1] &&
	       d->lag[1] / d->judged[1] - d->lag[0] / d->judged[0] > LATE;
}

/** watch_by_callback() - is the next launch to have a callback? */
bool watch_by_callback(struct device *d)
{
	bool callback;

	if (__atomic_load_n(&d->callbacks, __ATOMIC_RELAXED) != CALLBACKS_UNKNOWN)
		return d->callbacks == CALLBACKS_PROMPT;
	pthread_mutex_lock(&d->lock);
	callback = d->tried++ % 2 == 0;
	if (d->tried > JUDGED)
		__atomic_store_n(&d->callbacks, late(d) ? CALLBACKS_LATE : CALLBACKS_PROMPT, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&d->lock);
	return callback;
}

/**
 * watch() - have the thread call launch_ended() when @f has ended; it then has the caller's reference
 *
 * Return: false: there is no thread, or it waits for another queue's.
 */
bool watch(struct flight *f)
{
	struct device *d = f->device;
	bool taken;

	pthread_mutex_lock(&d->lock);
	if (!d->watched)
		d->watched = tgu_thread(serve, d);
	taken = d->watched && (!d->waits_of || d->waits_of == f->queue);
	if (taken) {
		d->waits_of = f->queue;
		f->next = NULL;
		*d->waits_end = f;
		d->waits_end = &f->next;
		pthread_cond_signal(&d->more);
	}
	pthread_mutex_unlock(&d->lock);
	return taken;
}

/** watch_judge() - an end was noticed @lag ns late, by a callback or by the thread */
void watch_judge(struct device *d, bool callback, int64_t lag)
{
	pthread_mutex_lock(&d->lock);
	if (d->tried > WARM) {
		d->lag[callback] += lag;
		d->judged[callback]++;
	}
	pthread_mutex_unlock(&d->lock);
}
