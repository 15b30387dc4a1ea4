// SPDX-License-Identifier: GPL-2.0
/*
 * A loop with one scheduling point, for tests/user/gloop/compiles, which counts the instructions of
 * a point that finds nothing.
 */
#include "../../../src/user/gloop/gloop.h"

struct point {
	uint32_t n, *out;

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint32_t i, uint32_t x) const
	{
		struct point self = *this;

		for (; i < n; i++) {
			x = x * 1664525 + 1013904223;
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, i + 1, x);
			}))
				return;
		}
		out[loop->logicalBlock()] = x;
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, 0, 1); }
};

int main()
{
	gloop::HostLoop host;

	return host.launch(gloop::launch_config(), point{});
}
