/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * TPACF: how far apart are the bodies of a map of the sky? A histogram of the angles between all
 * pairs of the observed bodies, and for each of many random maps two more: observed against random
 * ones, and random against random ones. Logical block 0 does the first, then each does one.
 *
 * A block is long: it takes each body in turn against all others. It has a scheduling point after
 * `rows` bodies, where the paper posts a task. Each thread has a histogram of its own in the
 * device's memory, since shared memory is lost in a suspension. Coordinates are integers, so the
 * order of work changes no result.
 */
#ifndef GLOOP_APPS_TPACF_H
#define GLOOP_APPS_TPACF_H

#include "app.h"

namespace apps {

struct tpacf {
	static constexpr uint32_t bins = 20;
	struct body { int x, y, z; };

	const body *bodies;		/* map 0 is the observed one */
	uint32_t maps, n, rows;
	const int *edges;		/* bins - 1 cosines, falling */
	uint32_t *work;			/* of each block: bins for each thread */
	uint64_t *result;		/* of each block: bins */

	GLOOP_DEVICE static uint32_t bin(const int *edges, int cosine)
	{
		uint32_t low = 0, high = bins - 1;

		while (low < high) {
			uint32_t mid = (low + high) / 2;

			if (cosine >= edges[mid])
				high = mid;
			else
				low = mid + 1;
		}
		return low;
	}

	/* Bodies @from to @to of one map against those of the other that come later, or all */
	template <class T>
	GLOOP_DEVICE void pairs(T *team, uint32_t from, uint32_t to) const
	{
		uint32_t block = team->logicalBlock(), random = (block + 1) / 2;
		bool cross = block && block % 2;
		const body *a = bodies + (size_t)(cross ? 0 : random) * n;
		const body *b = bodies + (size_t)random * n;
		uint32_t *mine = work + (size_t)block * bins * team->threads() + team->thread();

		for (uint32_t i = from; i < to; i++) {
			body p = a[i];

			for (uint32_t j = (cross ? 0 : i + 1) + team->thread(); j < n;
			     j += team->threads()) {
				body q = b[j];

				mine[bin(edges, p.x * q.x + p.y * q.y + p.z * q.z) *
				     team->threads()]++;
			}
		}
	}

	template <class T> GLOOP_DEVICE void sum(T *team) const
	{
		uint32_t block = team->logicalBlock();
		uint32_t *all = work + (size_t)block * bins * team->threads();

		team->barrier();
		for (uint32_t k = team->thread(); k < bins; k += team->threads()) {
			uint64_t total = 0;

			for (uint32_t t = 0; t < team->threads(); t++)
				total += all[k * team->threads() + t];
			result[block * bins + k] = total;
		}
	}

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint32_t from) const
	{
		struct tpacf self = *this;

		while (from < n) {
			uint32_t to = from + rows < n ? from + rows : n;

			pairs(loop, from, to);
			from = to;
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, from);
			}))
				return;
		}
		sum(loop);
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, 0); }

	template <class T> GLOOP_DEVICE void plain(T *team) const
	{
		pairs(team, 0, n);
		sum(team);
	}
};

class tpacf_run {
public:
	tpacf_run(uint32_t maps, uint32_t n, uint32_t rows, uint32_t threads, uint64_t seed)
		: blocks(2 * maps - 1), threads(threads), sky(make_sky(maps * n, seed)),
		  edges(make_edges()), bodies(sky), edge(edges),
		  work((size_t)blocks * tpacf::bins * threads), result(blocks * tpacf::bins)
	{
		app = tpacf{bodies.get(), maps, n, rows, edge.get(), work.get(), result.get()};
	}

	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr)
	{
		work.clear();
		config.logical = blocks;
		config.threads = threads;
		config.pages = 0;
		launch<256, 8>(host, config, app, stats);
	}
#ifdef __CUDACC__
	void plain()
	{
		work.clear();
		run_plain(blocks, threads, 0, app);
	}
#endif

	/* Compares the histograms of the first @most blocks, 0: of all */
	bool same(uint32_t most = 0) const
	{
		std::vector<uint64_t> got = result.take();

		for (uint32_t b = 0; b < (most ? most : blocks); b++) {
			std::vector<uint64_t> want(tpacf::bins);
			uint32_t random = (b + 1) / 2;
			bool cross = b % 2;

			for (uint32_t i = 0; i < app.n; i++) {
				for (uint32_t j = cross ? 0 : i + 1; j < app.n; j++)
					want[place(sky[(cross ? 0 : random) * app.n + i],
						   sky[random * app.n + j])]++;
			}
			if (!std::equal(want.begin(), want.end(), got.begin() + b * tpacf::bins))
				return false;
		}
		return true;
	}

private:
	uint32_t place(const tpacf::body &a, const tpacf::body &b) const
	{
		uint32_t k = 0;

		while (k < tpacf::bins - 1 && a.x * b.x + a.y * b.y + a.z * b.z < edges[k])
			k++;
		return k;
	}

	static std::vector<tpacf::body> make_sky(uint32_t n, uint64_t seed)
	{
		std::vector<tpacf::body> v(n);
		random next(seed);

		for (tpacf::body &b : v)
			b = tpacf::body{(int)next.below(32768) - 16384, (int)next.below(32768) - 16384,
					(int)next.below(32768) - 16384};
		return v;
	}

	static std::vector<int> make_edges()
	{
		std::vector<int> v;

		for (int k = 1; k < (int)tpacf::bins; k++)
			v.push_back((1 << 29) - k * ((1 << 30) / (int)tpacf::bins));
		return v;
	}

	uint32_t blocks, threads;
	std::vector<tpacf::body> sky;
	std::vector<int> edges;
	buffer<tpacf::body> bodies;
	buffer<int> edge;
	buffer<uint32_t> work;
	buffer<uint64_t> result;

public:
	struct tpacf app;
};

}	/* namespace apps */

#endif /* GLOOP_APPS_TPACF_H */
