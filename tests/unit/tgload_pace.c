// SPDX-License-Identifier: GPL-2.0
/* When frames are shown and when the next one is due. */
#include <inttypes.h>

#include "pace.h"
#include "tgload_test.h"
#include "units.h"

static const struct {
	const char *name;
	uint64_t origin, vsync, done, want;
} shown[] = {
	{ "shown: at once without ticks", 100, 0, 117, 117 },
	{ "shown: at the next tick", 100, 10, 117, 120 },
	{ "shown: at this very tick", 100, 10, 120, 120 },
	{ "shown: just missed", 100, 10, 121, 130 },
	{ "shown: at the origin", 100, 10, 100, 100 },
	{ "shown: long after", 100, 10, 100099, 100100 },
};

static const struct {
	const char *name;
	uint64_t due, every, shown, want;
} next[] = {
	{ "due: in time", 100, 50, 120, 150 },
	{ "due: just in time", 100, 50, 150, 150 },
	{ "due: late, so at once", 100, 50, 170, 170 },
	{ "due: back to back", 100, 0, 120, 120 },
	{ "due: very late, nothing is made up for", 100, 50, 1170, 1170 },
};

/*
 * The demo's game alone, in units of 0.1 ms: 22 ms of work, due every 50 ms, ticks of 16.7 ms.
 * It must come to one frame in three ticks.
 */
static void check_game(void)
{
	uint64_t due = 0, at = 0, first = 0, frames;

	for (frames = 0; frames < 200; frames++) {
		at = tgl_shown(0, 167, due + 220);
		due = tgl_next_due(due, 500, at);
		if (!frames)
			first = at;
	}
	test_row("game: 200 frames in 199 periods, give or take a tick",
		 at - first + 167 >= 199 * 500 && at - first <= 199 * 500 + 167,
		 "%" PRIu64 " in all", at - first);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		uint64_t got = tgl_shown(shown[i].origin, shown[i].vsync, shown[i].done);

		test_row(shown[i].name, got == shown[i].want, "got %" PRIu64, got);
	}
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		uint64_t got = tgl_next_due(next[i].due, next[i].every, next[i].shown);

		test_row(next[i].name, got == next[i].want, "got %" PRIu64, got);
	}
	check_game();
	return test_end();
}
