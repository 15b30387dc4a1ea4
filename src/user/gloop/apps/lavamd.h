/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * LavaMD: forces between particles that are near each other. Space is a cube of boxes. Each logical
 * block takes the particles of one box against those of the 27 boxes around it and itself.
 *
 * The blocks are many and short, and the paper leaves them whole. Where a GPU holds thousands of
 * them at a time, one takes hundreds of microseconds, so here each has a scheduling point after
 * each neighbour.
 */
#ifndef GLOOP_APPS_LAVAMD_H
#define GLOOP_APPS_LAVAMD_H

#include <math.h>

#include "app.h"

namespace apps {

struct lavamd {
	static constexpr uint32_t particles = 100;	/* of a box */
	struct alignas(16) particle { float x, y, z, charge; };
	struct alignas(16) force { float x, y, z, energy; };

	const particle *all;
	force *forces;
	uint32_t side;			/* boxes along an edge of the cube */

	GLOOP_DEVICE static force pull(const particle &a, const particle &b, force f)
	{
		float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
		float weight = expf(-0.5f * (dx * dx + dy * dy + dz * dz)) * b.charge;

		f.energy += weight;
		f.x += weight * dx;
		f.y += weight * dy;
		f.z += weight * dz;
		return f;
	}

	template <class T> GLOOP_DEVICE void begin(T *team) const
	{
		uint32_t b = team->logicalBlock();

		for (uint32_t i = team->thread(); i < particles; i += team->threads())
			forces[b * particles + i] = force{};
	}

	/* The particles of the box against those of neighbour @o of 27 */
	template <class T> GLOOP_DEVICE void neighbour(T *team, int o) const
	{
		uint32_t b = team->logicalBlock();
		int s = side, bx = b % s, by = b / s % s, bz = b / s / s;
		int x = bx + o % 3 - 1, y = by + o / 3 % 3 - 1, z = bz + o / 9 - 1;
		particle *there = (particle *)team->shared();

		if (x < 0 || y < 0 || z < 0 || x >= s || y >= s || z >= s)
			return;
		team->barrier();
		for (uint32_t i = team->thread(); i < particles; i += team->threads())
			there[i] = all[((z * s + y) * s + x) * particles + i];
		team->barrier();
		for (uint32_t i = team->thread(); i < particles; i += team->threads()) {
			particle p = all[b * particles + i];
			force f = forces[b * particles + i];

			for (uint32_t j = 0; j < particles; j++)
				f = pull(p, there[j], f);
			forces[b * particles + i] = f;
		}
	}

	GLOOP_DEVICE void step(gloop::DeviceLoop *loop, int o) const
	{
		struct lavamd self = *this;

		while (o < 27) {
			neighbour(loop, o++);
			if (gloop::postTaskIfNecessary(loop, [=](gloop::DeviceLoop *loop) {
				self.step(loop, o);
			}))
				return;
		}
	}

	GLOOP_DEVICE void operator()(gloop::DeviceLoop *loop) const
	{
		begin(loop);
		step(loop, 0);
	}

	template <class T> GLOOP_DEVICE void plain(T *team) const
	{
		begin(team);
		for (int o = 0; o < 27; o++)
			neighbour(team, o);
	}
};

class lavamd_run {
public:
	static constexpr uint32_t shared_bytes = lavamd::particles * sizeof(lavamd::particle);

	lavamd_run(uint32_t side, uint32_t threads, uint64_t seed)
		: blocks(side * side * side), threads(threads), cube(make(side, seed)), all(cube),
		  forces(cube.size()), app{all.get(), forces.get(), side}
	{
	}

	void gloop(gloop::HostLoop *host, gloop::launch_config config,
		   gloop::launch_stats *stats = nullptr)
	{
		config.logical = blocks;
		config.threads = threads;
		config.shared_bytes = shared_bytes;
		config.pages = 0;
		launch<128, 16>(host, config, app, stats);
	}
#ifdef __CUDACC__
	void plain() { run_plain(blocks, threads, shared_bytes, app); }
#endif

	/* Compares @most boxes, 0: all. @slack: the GPU's expf() and sums round otherwise. */
	bool same(uint32_t most = 0, float slack = 0) const
	{
		std::vector<lavamd::force> got = forces.take();
		uint32_t step = most ? blocks / most + 1 : 1;
		int s = app.side;

		for (uint32_t b = 0; b < blocks; b += step) {
			int bx = b % s, by = b / s % s, bz = b / s / s;

			for (uint32_t i = 0; i < lavamd::particles; i++) {
				lavamd::force want = sum(bx, by, bz, cube[b * lavamd::particles + i]);
				lavamd::force have = got[b * lavamd::particles + i];

				if (!near(want.x, have.x, slack) || !near(want.y, have.y, slack) ||
				    !near(want.z, have.z, slack) ||
				    !near(want.energy, have.energy, slack))
					return false;
			}
		}
		return true;
	}

private:
	static bool near(float a, float b, float slack)
	{
		return fabsf(a - b) <= slack * (1 + fabsf(a));
	}

	lavamd::force sum(int bx, int by, int bz, const lavamd::particle &p) const
	{
		lavamd::force f = {};
		int s = app.side;

		for (int z = bz - 1; z <= bz + 1; z++)
			for (int y = by - 1; y <= by + 1; y++)
				for (int x = bx - 1; x <= bx + 1; x++) {
					if (x < 0 || y < 0 || z < 0 || x >= s || y >= s || z >= s)
						continue;
					f = add(cube.data() + ((z * s + y) * s + x) *
						lavamd::particles, p, f);
				}
		return f;
	}

	static lavamd::force add(const lavamd::particle *box, const lavamd::particle &p,
				 lavamd::force f)
	{
		for (uint32_t j = 0; j < lavamd::particles; j++) {
			float dx = p.x - box[j].x, dy = p.y - box[j].y, dz = p.z - box[j].z;
			float w = expf(-0.5f * (dx * dx + dy * dy + dz * dz)) * box[j].charge;

			f.energy += w;
			f.x += w * dx;
			f.y += w * dy;
			f.z += w * dz;
		}
		return f;
	}

	static std::vector<lavamd::particle> make(uint32_t side, uint64_t seed)
	{
		std::vector<lavamd::particle> v;
		random next(seed);

		for (uint32_t i = 0; i < side * side * side * lavamd::particles; i++) {
			uint32_t b = i / lavamd::particles;

			v.push_back(lavamd::particle{b % side + next.below(1000) / 1000.0f,
						     b / side % side + next.below(1000) / 1000.0f,
						     b / side / side + next.below(1000) / 1000.0f,
						     next.below(1000) / 1000.0f});
		}
		return v;
	}

	uint32_t blocks, threads;
	std::vector<lavamd::particle> cube;
	buffer<lavamd::particle> all;
	buffer<lavamd::force> forces;

public:
	struct lavamd app;
};

}	/* namespace apps */

#endif /* GLOOP_APPS_LAVAMD_H */
