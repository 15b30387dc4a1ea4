/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Throttle: nothing but scheduling points. Each block posts a task that posts a task, `n` times.
 */
#ifndef GLOOP_APPS_THROTTLE_H
#define GLOOP_APPS_THROTTLE_H

#include "../gloop.h"

namespace apps {

struct throttle {
	uint64_t n;
	uint64_t *count;		/* of each logical block; device memory */

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint64_t left) const
	{
		struct throttle self = *this;

		if (!left) {
			if (!loop->thread())
				count[loop->logicalBlock()] += n;
			return;
		}
		gloop::postTask(loop, [=](gloop::DeviceLoop *loop) { self.step(loop, left - 1); });
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, n); }
};

}	/* namespace apps */

#endif /* GLOOP_APPS_THROTTLE_H */
