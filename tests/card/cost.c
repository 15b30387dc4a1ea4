// SPDX-License-Identifier: GPL-2.0
/* cost.c - the published figures, by hand. */
#include "chip.h"
#include "cost.h"
#include "lib.h"

static const struct {
	const char *name;
	u64 blocks;
	u32 threads;
	u32 instructions;
	s64 want;
} launches[] = {
	{ "one warp, one instruction: 4 clocks of 1.5 GHz", 1, 32, 1, 3 },
	{ "a part of a warp costs a warp", 1, 1, 1, 3 },
	{ "one block runs on one multiprocessor", 1, 512, 1000, 42667 },
	{ "14 blocks take as long as one", 14, 512, 1000, 42667 },
	{ "28 blocks take twice that", 28, 512, 1000, 85334 },
	{ "1 ms: 52500 warps of 100 instructions", 52500, 32, 100, 1000000 },
	{ "most a grid can have", 65535ull * 65535, 512, 1 << 20, 13724737151451429ll / 1000 },
};

static const struct {
	const char *name;
	u64 pixels;
	u64 vram;
	u64 system;
	s64 want;
} fills[] = {
	{ "fill rate: 9.6 Gpixel/s", 9600000, 0, 0, 1000000 },
	{ "32-bit fill is bound by the ROPs", 1920 * 1080, 1920 * 1080 * 4, 0, 216000 },
	{ "32-bit blit is bound by memory", 1920 * 1080, 1920 * 1080 * 8, 0, 288000 },
	{ "video memory: 57.6 GB/s", 0, 57600000, 0, 1000000 },
	{ "system memory: 6.736 GB/s", 0, 6736000, 6736000, 1000000 },
	{ "nothing takes 1 ns", 0, 0, 0, 1 },
	{ "huge amounts saturate", UINT64_MAX, UINT64_MAX, UINT64_MAX, INT64_MAX / 4000 },
};

int main(void)
{
	for (u32 i = 0; i < ARRAY_LEN(launches); i++) {
		s64 got = cost_launch(&chip_g92, launches[i].blocks, launches[i].threads,
				      launches[i].instructions);

		/* the largest one is only checked for being large */
		if (i == ARRAY_LEN(launches) - 1)
			check(got > launches[i].want, launches[i].name, "%lld", (long long)got);
		else
			check_eq(launches[i].name, (u64)got, (u64)launches[i].want);
	}
	for (u32 i = 0; i < ARRAY_LEN(fills); i++)
		check_eq(fills[i].name, (u64)cost_pixels(&chip_g92, fills[i].pixels, fills[i].vram,
							 fills[i].system), (u64)fills[i].want);
	check(cost_switch(&chip_g92) > 10000 && cost_switch(&chip_g92) < 100000,
	      "a switch takes tens of microseconds", "%lld ns", (long long)cost_switch(&chip_g92));
	check_eq("600 methods take a microsecond", (u64)cost_methods(&chip_g92, 600), 1000);
	return done();
}
