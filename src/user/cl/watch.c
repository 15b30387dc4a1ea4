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
 * launch.c calls this file in the program's threads and in the driver's. device.lock guards all of it.
 */
#include <stdlib.h>

#include "cl.h"

#define LATE	1000000		/* ns by which callbacks are late, on average */
#define WARM	16		/* launches that are not judged: clocks are compared first */
#define JUDGED	48		/* launches until it is decided */

struct awaited {
	cl_event event;
	void *flight;
	struct awaited *next;
};

static void *serve(void *arg)
{
	struct device *d = arg;
	struct awaited *a;

	for (;;) {
		pthread_mutex_lock(&d->lock);
		while (!d->waits)
			pthread_cond_wait(&d->more, &d->lock);
		a = d->waits;
		d->waits = a->next;
		if (!d->waits)
			d->waits_end = &d->waits;
		pthread_mutex_unlock(&d->lock);
		next->clWaitForEvents(1, &a->event);
		launch_ended(a->flight);
		free(a);
	}
	return NULL;
}

/** watch_by_callback() - is the next launch to have a callback? */
bool watch_by_callback(struct device *d)
{
	bool callback;

	pthread_mutex_lock(&d->lock);
	callback = d->callbacks == CALLBACKS_UNKNOWN ? d->judged++ % 2 == 0 : d->callbacks == CALLBACKS_PROMPT;
	if (d->callbacks == CALLBACKS_UNKNOWN && d->judged > JUDGED)
		d->callbacks = d->lag[1] - d->lag[0] > LATE * (JUDGED - WARM) / 2 ? CALLBACKS_LATE : CALLBACKS_PROMPT;
	pthread_mutex_unlock(&d->lock);
	return callback;
}

/**
 * watch() - have the thread call launch_ended() when @event has come
 *
 * Return: false: there is no thread or no memory.
 */
bool watch(struct device *d, cl_event event, void *flight)
{
	struct awaited *a = malloc(sizeof(*a));
	bool watched;

	if (!a)
		return false;
	*a = (struct awaited){ .event = event, .flight = flight };
	pthread_mutex_lock(&d->lock);
	if (!d->watched)
		d->watched = tgu_thread(serve, d);
	watched = d->watched;
	if (watched) {
		*d->waits_end = a;
		d->waits_end = &a->next;
		pthread_cond_signal(&d->more);
	}
	pthread_mutex_unlock(&d->lock);
	if (!watched)
		free(a);
	return watched;
}

/** watch_judge() - an end was noticed so late, by a callback or by the thread */
void watch_judge(struct device *d, bool callback, int64_t lag)
{
	pthread_mutex_lock(&d->lock);
	if (d->judged > WARM)
		d->lag[callback] += lag;
	pthread_mutex_unlock(&d->lock);
}
