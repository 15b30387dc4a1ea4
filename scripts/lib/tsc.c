// SPDX-License-Identifier: GPL-2.0
/*
 * tsc - prints how fast this machine's time-stamp counter counts, in kHz. scripts/vm tells it to the
 * kernels that it boots: QEMU's emulated CPU has the host's counter.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

struct reading {
	unsigned long long tsc, ns;
};

/* Both at once: of some tries the one that took the shortest time. */
static struct reading read_both(void)
{
	struct reading best = { 0, 0 };
	unsigned long long shortest = ~0ull;

	for (int i = 0; i < 20; i++) {
		unsigned long long before = __rdtsc(), after;
		struct timespec ts;

		clock_gettime(CLOCK_MONOTONIC, &ts);
		after = __rdtsc();
		if (after - before < shortest) {
			shortest = after - before;
			best.tsc = before + shortest / 2;
			best.ns = ts.tv_sec * 1000000000ull + ts.tv_nsec;
		}
	}
	return best;
}

int main(void)
{
	struct reading a = read_both(), b;

	usleep(200000);
	b = read_both();
	printf("%llu\n", (b.tsc - a.tsc) * 1000000 / (b.ns - a.ns));
	return 0;
}
