/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * MUMmerGPU: where do pieces of DNA match a reference? match() finds, for each position of each
 * query, the longest match with any place of the reference, by a suffix array. Its blocks are long:
 * they look at the outside after each search. report() then writes, for each match that is long
 * enough, the first place in the reference and the number of places. Its blocks are short.
 */
#ifndef GLOOP_APPS_MUMMER_H
#define GLOOP_APPS_MUMMER_H

#include "app.h"

namespace apps {

struct mummer {
	struct match { uint32_t low, high, length; };	/* suffixes low to high - 1 */
	struct line { uint32_t first, places, length; };

	const char *text;		/* the reference, and a 0 */
	const uint32_t *suffixes;	/* in order */
	uint32_t size;
	const char *queries;
	uint32_t count, length, least;
	match *matches;			/* of each position of each query */
	line *lines;

	/* How many characters of @q the suffix at @s begins with, of @n; and which comes first */
	GLOOP_DEVICE uint32_t common(const char *q, uint32_t n, uint32_t s, bool *less) const
	{
		const char *t = text + suffixes[s];
		uint32_t i = 0;

		while (i < n && t[i] == q[i])
			i++;
		*less = i < n && t[i] < q[i];
		return i;
	}

	/* The first suffix that is not before @q; or, @past, that does not begin with it either */
	GLOOP_DEVICE uint32_t bound(const char *q, uint32_t n, bool past) const
	{
		uint32_t low = 0, high = size;

		while (low < high) {
			uint32_t mid = (low + high) / 2;
			bool less;
			uint32_t same = common(q, n, mid, &less);

			if (less || (past && same == n))
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	/*
	 * One of three searches for position @p: the longest match, its first suffix, the one past
	 * its last. What a thread has found is in `matches`: a callback captures nothing of its own.
	 */
	GLOOP_DEVICE void search(const char *q, uint32_t n, uint32_t stage, match *m) const
	{
		uint32_t at, best = 0, other;
		bool less;

		if (stage == 0) {
			at = bound(q, n, false);
			if (at < size)
				best = common(q, n, at, &less);
			if (at > 0) {
				other = common(q, n, at - 1, &less);
				best = other > best ? other : best;
			}
			*m = match{0, 0, best};
		} else if (m->length >= least) {
			at = bound(q, m->length, stage == 2);
			if (stage == 1)
				m->low = at;
			else
				m->high = at;
		}
	}

	template <class T> GLOOP_DEVICE void work(T *team, uint32_t i) const
	{
		uint32_t q = team->logicalBlock() * team->threads() + team->thread(), p = i / 3;

		if (q < count)
			search(queries + q * length + p, length - p, i % 3, matches + q * length + p);
	}

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, uint32_t i) const
	{
		struct mummer self = *this;

		while (i < 3 * length) {
			work(loop, i++);
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, i);
			}))
				return;
		}
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { step(loop, 0); }
	template <class T> GLOOP_DEVICE void plain(T *team) const
	{
		for (uint32_t i = 0; i < 3 * length; i++)
			work(team, i);
	}
};

struct mummer_report {
	struct mummer m;

	template <class T> GLOOP_DEVICE void print(T *team) const
	{
		uint32_t i = team->logicalBlock() * team->threads() + team->thread();
		mummer::match a;
		mummer::line out = {};

		if (i >= m.count * m.length)
			return;
		a = m.matches[i];
		if (a.low < a.high) {
			out = mummer::line{m.suffixes[a.low], a.high - a.low, a.length};
			for (uint32_t s = a.low + 1; s < a.high; s++)
				out.first = m.suffixes[s] < out.first ? m.suffixes[s] : out.first;
		}
		m.lines[i] = out;
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const { print(loop); }
	template <class T> GLOOP_DEVICE void plain(T *team) const { print(team); }
};

class mummer_run {
public:
	mummer_run(uint32_t size, uint32_t count, uint32_t length, uint32_t threads, uint64_t seed)
		: threads(threads), dna(make(size, seed)), pieces(make_queries(count, length, seed)),
		  text(dna), suffixes(sorted()), queries(pieces), matches(count * length),
		  lines(count * length)
	{
		app = mummer{text.get(), suffixes.get(), size, queries.get(), count, length, 8,
			     matches.get(), lines.get()};
	}

	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr)
	{
		gloop::launch_stats second;

		config.threads = threads;
		config.pages = 0;
		config.logical = (app.count + threads - 1) / threads;
		launch(host, config, app, stats);
		config.logical = (app.count * app.length + threads - 1) / threads;
		launch(host, config, mummer_report{app}, &second);
		if (stats) {
			stats->suspensions += second.suspensions;
			stats->wall_ns += second.wall_ns;
			stats->held_ns += second.held_ns;
		}
	}
#ifdef __CUDACC__
	void plain()
	{
		run_plain((app.count + threads - 1) / threads, threads, 0, app);
		run_plain((app.count * app.length + threads - 1) / threads, threads, 0,
			  mummer_report{app});
	}
#endif

	/* Compares the lines of @most queries, 0: of all */
	bool same(uint32_t most = 0) const
	{
		std::vector<mummer::line> got = lines.take();
		uint32_t n = most ? most : app.count;

		for (uint32_t i = 0; i < n * app.length; i++) {
			const char *q = pieces.data() + i;
			uint32_t left = app.length - i % app.length;
			mummer::line want = {};

			for (uint32_t s = 0; s < app.size; s++) {
				uint32_t k = 0;

				while (k < left && dna[s + k] == q[k])
					k++;
				if (k < app.least || k < want.length)
					continue;
				if (k > want.length)
					want = mummer::line{s, 0, k};
				want.places++;
			}
			if (want.first != got[i].first || want.places != got[i].places ||
			    want.length != got[i].length)
				return false;
		}
		return true;
	}

private:
	static std::vector<char> make(uint32_t size, uint64_t seed)
	{
		std::vector<char> v;
		random next(seed);

		while (v.size() < size)
			v.push_back("ACGT"[next.below(4)]);
		v.push_back(0);
		return v;
	}

	/* Pieces of the reference, with errors */
	std::vector<char> make_queries(uint32_t count, uint32_t length, uint64_t seed) const
	{
		std::vector<char> v;
		random next(seed + 1);

		while (v.size() < (size_t)count * length) {
			uint32_t at = next.below(dna.size() - length);

			for (uint32_t i = 0; i < length; i++)
				v.push_back(next.below(20) ? dna[at + i] : "ACGT"[next.below(4)]);
		}
		return v;
	}

	std::vector<uint32_t> sorted() const
	{
		std::vector<uint32_t> v(dna.size() - 1);
		const char *d = dna.data();

		for (uint32_t i = 0; i < v.size(); i++)
			v[i] = i;
		std::sort(v.begin(), v.end(), [=](uint32_t a, uint32_t b) {
			return strcmp(d + a, d + b) < 0;
		});
		return v;
	}

	uint32_t threads;
	std::vector<char> dna, pieces;
	buffer<char> text;
	buffer<uint32_t> suffixes;
	buffer<char> queries;
	buffer<mummer::match> matches;
	buffer<mummer::line> lines;

public:
	struct mummer app;
};

}	/* namespace apps */

#endif /* GLOOP_APPS_MUMMER_H */
