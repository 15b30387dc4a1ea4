/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Approximate image matching: for each query image, the first image of a database that is like it,
 * which is one whose pixels differ by less than `limit` in sum of squares. Each logical block takes
 * one query: it reads it, then reads the database piece by piece until it has found an image, and
 * writes the image's number into the output file.
 */
#ifndef GLOOP_APPS_MATCH_H
#define GLOOP_APPS_MATCH_H

#include "app.h"

namespace apps {

struct match {
	static constexpr uint32_t pixels = 1024;	/* bytes of an image */
	static constexpr uint32_t none = 0xffffffff;

	int queries, database, output;
	uint32_t count;			/* images of the database */
	uint32_t at_once;		/* images that are read at a time */
	uint32_t limit;
	uint8_t *query;			/* of each block: an image */
	uint8_t *pieces;		/* of each block: at_once images */
	uint32_t *found;		/* of each block */
	uint32_t *errors;

	GLOOP_DEVICE static uint32_t distance(const uint8_t *a, const uint8_t *b)
	{
		const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;
		uint32_t sum = 0;

		for (uint32_t i = 0; i < pixels / 4; i++) {
			for (uint32_t k = 0; k < 32; k += 8) {
				int d = (int)(x[i] >> k & 255) - (int)(y[i] >> k & 255);

				sum += d * d;
			}
		}
		return sum;
	}

	/* Compares the query with @n images, of which the first is number @first */
	template <class T>
	GLOOP_DEVICE void compare(T *team, const uint8_t *images, uint32_t first, uint32_t n) const
	{
		uint32_t block = team->logicalBlock();

		for (uint32_t i = team->thread(); i < n; i += team->threads())
			if (distance(query + block * pixels, images + i * pixels) < limit)
				gloop::env::fetch_min(found + block, first + i);
		team->barrier();
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		struct match self = *this;
		uint32_t block = loop->logicalBlock();

		gloop::fs::read(loop, queries, (uint64_t)block * pixels, pixels,
				query + block * pixels, [=](gloop::DeviceLoop *loop, int64_t n) {
			if (n == pixels)
				self.next(loop, 0);
			else
				self.failed(loop);
		});
	}

	GLOOP_DEVICE void failed(gloop::DeviceLoop *loop) const
	{
		if (!loop->thread())
			gloop::env::fetch_add(errors, 1u);
	}

	GLOOP_DEVICE void next(gloop::DeviceLoop *loop, uint32_t first) const
	{
		struct match self = *this;
		uint32_t block = loop->logicalBlock();
		uint8_t *piece = pieces + (size_t)block * at_once * pixels;

		if (first >= count || found[block] != none) {
			gloop::fs::write(loop, output, block * 4, 4, found + block,
					 [=](gloop::DeviceLoop *loop, int64_t n) {
				if (n != 4)
					self.failed(loop);
			});
			return;
		}
		gloop::fs::read(loop, database, (uint64_t)first * pixels, at_once * pixels, piece,
				[=](gloop::DeviceLoop *loop, int64_t n) {
			if (n < (int64_t)pixels) {
				self.failed(loop);
				return;
			}
			self.compare(loop, piece, first, n / pixels);
			self.next(loop, first + n / pixels);
		});
	}
};

#ifdef __CUDACC__
/* The plain form has the whole database in memory */
struct match_plain {
	struct match m;
	const uint8_t *database;

	template <class T> __device__ void plain(T *team) const
	{
		for (uint32_t i = 0; i < m.count && m.found[team->logicalBlock()] == m.none;
		     i += m.at_once) {
			team->barrier();
			m.compare(team, database + (size_t)i * m.pixels, i,
				  m.count - i < m.at_once ? m.count - i : m.at_once);
		}
	}
};
#endif

class match_run {
public:
	match_run(const std::string &folder, uint32_t count, uint32_t queries, uint32_t threads,
		  uint32_t at_once, uint64_t seed)
		: folder(folder), threads(threads), count(count), at_once(at_once),
		  images(make(count, seed)), wanted(make_queries(queries, seed)),
		  query(wanted.size()), pieces((size_t)queries * at_once * match::pixels),
		  found(queries), errors(1)
	{
		put("images", images);
		put("queries", wanted);
	}

	~match_run()
	{
		for (const char *name : {"images", "queries", "found"})
			unlink((folder + "/" + name).c_str());
	}

	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr)
	{
		struct match m = prepare();

		config.logical = wanted.size() / match::pixels;
		config.threads = threads;
		config.page_bytes = at_once * match::pixels;
		m.queries = open((folder + "/queries").c_str(), O_RDONLY);
		m.database = open((folder + "/images").c_str(), O_RDONLY);
		m.output = open((folder + "/found").c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
		launch(host, config, m, stats);
		answer.assign(wanted.size() / match::pixels, 0);
		if (pread(m.output, answer.data(), answer.size() * 4, 0) != (ssize_t)answer.size() * 4)
			answer.clear();
		::close(m.queries);
		::close(m.database);
		::close(m.output);
	}
#ifdef __CUDACC__
	void plain()
	{
		std::vector<uint8_t> all(images.size());
		int fd = open((folder + "/images").c_str(), O_RDONLY);

		if (::read(fd, all.data(), all.size()) != (ssize_t)all.size())
			all.clear();
		::close(fd);
		buffer<uint8_t> database(all);
		query.put(wanted);
		run_plain(wanted.size() / match::pixels, threads, 0,
			  match_plain{prepare(), database.get()});
		answer = found.take();
	}
#endif

	bool same() const
	{
		if (errors.take()[0] || answer.size() != wanted.size() / match::pixels)
			return false;
		for (uint32_t q = 0; q < answer.size(); q++) {
			uint32_t want = match::none;

			for (uint32_t i = 0; i < count && want == match::none; i++)
				if (differ(&wanted[q * match::pixels], &images[i * match::pixels]) < limit)
					want = i;
			if (answer[q] != want)
				return false;
		}
		return true;
	}

private:
	static constexpr uint32_t limit = 4000000;

	struct match prepare()
	{
		found.put(std::vector<uint32_t>(wanted.size() / match::pixels, match::none));
		errors.clear();
		return apps::match{-1, -1, -1, count, at_once, limit, query.get(), pieces.get(),
				   found.get(), errors.get()};
	}

	static uint32_t differ(const uint8_t *a, const uint8_t *b)
	{
		uint32_t sum = 0;

		for (uint32_t i = 0; i < match::pixels; i++)
			sum += (a[i] - b[i]) * (a[i] - b[i]);
		return sum;
	}

	static std::vector<uint8_t> make(uint32_t n, uint64_t seed)
	{
		std::vector<uint8_t> v;
		random next(seed);

		while (v.size() < (size_t)n * match::pixels)
			v.push_back(next());
		return v;
	}

	/* Three of four are like an image of the database */
	std::vector<uint8_t> make_queries(uint32_t n, uint64_t seed) const
	{
		std::vector<uint8_t> v = make(n, seed + 1);
		random next(seed + 2);

		for (uint32_t q = 0; q < n; q++) {
			uint32_t from = next.below(count);

			for (uint32_t i = 0; q % 4 && i < match::pixels; i++)
				v[q * match::pixels + i] = images[from * match::pixels + i] ^
							   (next() & 15);
		}
		return v;
	}

	void put(const char *name, const std::vector<uint8_t> &v)
	{
		FILE *f = fopen((folder + "/" + name).c_str(), "w");

		if (!f || fwrite(v.data(), 1, v.size(), f) != v.size() || fclose(f)) {
			perror(name);
			exit(1);
		}
	}

	std::string folder;
	uint32_t threads, count, at_once;
	std::vector<uint8_t> images, wanted;
	std::vector<uint32_t> answer;
	buffer<uint8_t> query, pieces;
	buffer<uint32_t> found, errors;
};

}	/* namespace apps */

#endif /* GLOOP_APPS_MATCH_H */
