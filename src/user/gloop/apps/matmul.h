/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Matrix multiplication server: a client sends two matrices of n x n floats, and gets their product
 * back, as often as it wants. Each logical block serves `quota` connections. It multiplies tile by
 * tile, and looks at the outside after each.
 */
#ifndef GLOOP_APPS_MATMUL_H
#define GLOOP_APPS_MATMUL_H

#include "server.h"

namespace apps {

struct matmul {
	static constexpr uint32_t tile = 16;

	int listener;
	uint32_t quota, n;		/* n: a multiple of `tile` */
	float *memory;			/* of each block: two factors and the product */
	uint32_t *served;		/* of each block: connections */

	template <class T> GLOOP_DEVICE float *factors(T *team) const
	{
		return memory + (size_t)team->logicalBlock() * 3 * n * n;
	}

	/* One tile of the product: each element is a thread's, or several are */
	template <class T> GLOOP_DEVICE void multiply(T *team, uint32_t t) const
	{
		const uint32_t n = this->n;
		const float *a, *b;
		float *product = factors(team) + 2 * n * n;
		uint32_t row = t / (n / tile) * tile, column = t % (n / tile) * tile;

		for (uint32_t e = team->thread(); e < tile * tile; e += team->threads()) {
			uint32_t r = row + e / tile, c = column + e % tile;
			float sum = 0;

			a = factors(team) + r * n;
			b = factors(team) + n * n + c;
			for (uint32_t k = 0; k < n; k++)
				sum += a[k] * b[k * n];
			product[r * n + c] = sum;
		}
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { server_next(loop, *this); }

	GLOOP_DEVICE void receive(gloop::DeviceLoop *loop, int socket, uint32_t have) const
	{
		struct matmul self = *this;
		uint32_t want = 2 * n * n * sizeof(float);

		if (have == want) {
			step(loop, socket, 0);
			return;
		}
		gloop::net::receive(loop, socket, want - have, (char *)factors(loop) + have,
				    [=](gloop::DeviceLoop *loop, int64_t n) {
			if (n <= 0)
				server_gone(loop, self, socket);
			else
				self.receive(loop, socket, have + n);
		});
	}

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, int socket, uint32_t t) const
	{
		struct matmul self = *this;

		while (t < n / tile * (n / tile)) {
			multiply(loop, t++);
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, socket, t);
			}))
				return;
		}
		loop->barrier();
		server_send(loop, self, socket, (char *)(factors(loop) + 2 * n * n),
			    n * n * sizeof(float));
	}

	GLOOP_DEVICE void sent(gloop::DeviceLoop *loop, int socket) const
	{
		receive(loop, socket, 0);
	}

	template <class T> GLOOP_DEVICE void plain(T *team) const
	{
		for (uint32_t t = 0; t < n / tile * (n / tile); t++)
			multiply(team, t);
	}
};

/* One client: @requests products on one connection. Returns whether all were right. */
inline bool matmul_client(uint32_t port, uint32_t n, uint32_t requests, uint64_t seed)
{
	std::vector<float> factors(2 * n * n), got(n * n);
	int s = server_connect(port);
	random next(seed);
	bool right = true;

	for (uint32_t q = 0; right && q < requests; q++) {
		for (float &x : factors)
			x = next.below(16);
		right = server_write(s, factors.data(), factors.size() * sizeof(float)) &&
			server_read(s, got.data(), got.size() * sizeof(float));
		/* Small whole numbers: sums are exact in any order. Some rows are enough. */
		for (uint32_t r = q % 7; right && r < n; r += 7) {
			for (uint32_t c = 0; c < n; c++) {
				float sum = 0;

				for (uint32_t k = 0; k < n; k++)
					sum += factors[r * n + k] * factors[n * n + k * n + c];
				right &= sum == got[r * n + c];
			}
		}
	}
	::close(s);
	return right;
}

}	/* namespace apps */

#endif /* GLOOP_APPS_MATMUL_H */
