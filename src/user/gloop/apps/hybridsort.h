/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Hybridsort: numbers go into buckets, then each bucket is merge sorted. Counting and spreading
 * have many short blocks, each of which takes `chunk` numbers and uses shared memory of its own.
 * A block of the merge sort has one bucket and is long: it looks at the outside after each pass.
 */
#ifndef GLOOP_APPS_HYBRIDSORT_H
#define GLOOP_APPS_HYBRIDSORT_H

#include "app.h"

namespace apps {

struct hybridsort {
	static constexpr uint32_t chunk = 4096;

	uint32_t *keys, *other;		/* the result is in `keys` */
	uint32_t n, buckets, shift;	/* a key's bucket: key >> shift */
	uint32_t *counts;		/* of each bucket */
	uint32_t *cursors;		/* where in `other` the next key of a bucket goes */
	uint32_t *starts;		/* buckets + 1 */
};

struct hybridsort_count {
	struct hybridsort h;

	template <class T> GLOOP_DEVICE void count(T *team) const
	{
		uint32_t *mine = (uint32_t *)team->shared();
		uint32_t from = team->logicalBlock() * h.chunk;
		uint32_t to = from + h.chunk < h.n ? from + h.chunk : h.n;

		for (uint32_t b = team->thread(); b < h.buckets; b += team->threads())
			mine[b] = 0;
		team->barrier();
		for (uint32_t i = from + team->thread(); i < to; i += team->threads())
			gloop::env::fetch_add(mine + (h.keys[i] >> h.shift), 1u);
		team->barrier();
		for (uint32_t b = team->thread(); b < h.buckets; b += team->threads())
			if (mine[b])
				gloop::env::fetch_add(h.counts + b, mine[b]);
		team->barrier();
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { count(loop); }
	template <class T> GLOOP_DEVICE void plain(T *team) const { count(team); }
};

struct hybridsort_spread {
	struct hybridsort h;

	template <class T> GLOOP_DEVICE void spread(T *team) const
	{
		uint32_t from = team->logicalBlock() * h.chunk;
		uint32_t to = from + h.chunk < h.n ? from + h.chunk : h.n;

		for (uint32_t i = from + team->thread(); i < to; i += team->threads())
			h.other[gloop::env::fetch_add(h.cursors + (h.keys[i] >> h.shift), 1u)] =
				h.keys[i];
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { spread(loop); }
	template <class T> GLOOP_DEVICE void plain(T *team) const { spread(team); }
};

struct hybridsort_merge {
	struct hybridsort h;

	/* How many of @n sorted numbers come before @x; @equal: those that equal it do too */
	GLOOP_DEVICE static uint32_t before(const uint32_t *v, uint32_t n, uint32_t x, bool equal)
	{
		uint32_t low = 0, high = n;

		while (low < high) {
			uint32_t mid = (low + high) / 2;

			if (v[mid] < x || (equal && v[mid] == x))
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	/* Merges runs of @width: each number's place is its own index and those before it opposite */
	template <class T> GLOOP_DEVICE void pass(T *team, uint32_t width, bool flipped) const
	{
		uint32_t start = h.starts[team->logicalBlock()];
		uint32_t n = h.starts[team->logicalBlock() + 1] - start;
		const uint32_t *from = (flipped ? h.keys : h.other) + start;
		uint32_t *to = (flipped ? h.other : h.keys) + start;

		for (uint32_t i = team->thread(); i < n; i += team->threads()) {
			uint32_t pair = i / (2 * width) * (2 * width), x = from[i];
			uint32_t mid = pair + width < n ? pair + width : n;
			uint32_t end = pair + 2 * width < n ? pair + 2 * width : n;
			uint32_t at = i < mid ? i + before(from + mid, end - mid, x, false) :
				      i - mid + pair + before(from + pair, mid - pair, x, true);

			to[at] = x;
		}
		team->barrier();
	}

	/* The result has to be in `keys` */
	template <class T> GLOOP_DEVICE void settle(T *team, bool flipped) const
	{
		uint32_t start = h.starts[team->logicalBlock()];
		uint32_t end = h.starts[team->logicalBlock() + 1];

		if (flipped)
			return;
		for (uint32_t i = start + team->thread(); i < end; i += team->threads())
			h.keys[i] = h.other[i];
	}

	template <class T> GLOOP_DEVICE uint32_t size(T *team) const
	{
		return h.starts[team->logicalBlock() + 1] - h.starts[team->logicalBlock()];
	}

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint32_t width, bool flipped) const
	{
		struct hybridsort_merge self = *this;
		uint32_t n = size(loop);

		while (width < n) {
			pass(loop, width, flipped);
			width *= 2;
			flipped = !flipped;
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, width, flipped);
			}))
				return;
		}
		settle(loop, flipped);
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, 1, false); }
	template <class T> GLOOP_DEVICE void plain(T *team) const
	{
		bool flipped = false;

		for (uint32_t width = 1; width < size(team); width *= 2, flipped = !flipped)
			pass(team, width, flipped);
		settle(team, flipped);
	}
};

class hybridsort_run {
public:
	/* @bits: there are 1 << bits buckets */
	hybridsort_run(uint32_t n, uint32_t bits, uint32_t threads, uint64_t seed)
		: threads(threads), numbers(make(n, seed)), keys(n), other(n), counts(1u << bits),
		  cursors(1u << bits), starts((1u << bits) + 1)
	{
		app = hybridsort{keys.get(), other.get(), n, 1u << bits, 32 - bits, counts.get(),
				 cursors.get(), starts.get()};
	}

	void load()
	{
		keys.put(numbers);
		counts.clear();
	}

	/* Three launches. @stats are of the last, with the time of all. */
	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr)
	{
		gloop::launch_stats first[2], last;

		config.threads = threads;
		config.pages = 0;
		config.logical = (app.n + app.chunk - 1) / app.chunk;
		config.shared_bytes = app.buckets * sizeof(uint32_t);
		launch<256, 8>(host, config, hybridsort_count{app}, first);
		places();
		config.shared_bytes = 0;
		launch<256, 8>(host, config, hybridsort_spread{app}, first + 1);
		config.logical = app.buckets;
		launch<256, 8>(host, config, hybridsort_merge{app}, &last);
		if (!stats)
			return;
		*stats = last;
		stats->wall_ns += first[0].wall_ns + first[1].wall_ns;
		stats->held_ns += first[0].held_ns + first[1].held_ns;
		stats->suspensions += first[0].suspensions + first[1].suspensions;
	}
#ifdef __CUDACC__
	void plain()
	{
		uint32_t chunks = (app.n + app.chunk - 1) / app.chunk;

		run_plain(chunks, threads, app.buckets * sizeof(uint32_t), hybridsort_count{app});
		places();
		run_plain(chunks, threads, 0, hybridsort_spread{app});
		run_plain(app.buckets, threads, 0, hybridsort_merge{app});
	}
#endif

	bool same() const
	{
		std::vector<uint32_t> want = numbers;

		std::sort(want.begin(), want.end());
		return keys.take() == want;
	}

	/* ordered() - what same() asks, as far as it can be told without sorting */
	bool ordered() const
	{
		std::vector<uint32_t> got = keys.take();
		uint64_t a = 0, b = 0;

		for (uint32_t i = 0; i < app.n; i++) {
			a += (uint64_t)got[i] * got[i];
			b += (uint64_t)numbers[i] * numbers[i];
		}
		return a == b && std::is_sorted(got.begin(), got.end());
	}

private:
	void places()
	{
		std::vector<uint32_t> c = counts.take(), s(app.buckets + 1);

		for (uint32_t b = 0; b < app.buckets; b++)
			s[b + 1] = s[b] + c[b];
		starts.put(s);
		s.pop_back();
		cursors.put(s);
	}

	static std::vector<uint32_t> make(uint32_t n, uint64_t seed)
	{
		std::vector<uint32_t> v;
		random next(seed);

		while (v.size() < n)
			v.push_back(next());
		return v;
	}

	uint32_t threads;
	std::vector<uint32_t> numbers;
	buffer<uint32_t> keys, other, counts, cursors, starts;

public:
	struct hybridsort app;
};

}	/* namespace apps */

#endif /* GLOOP_APPS_HYBRIDSORT_H */
