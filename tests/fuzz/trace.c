// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzer: the reader of traces, with replay, why, the timeline and blocking behind it. Whatever the
 * bytes, they are replayed as far as they make sense, and something is said.
 */
#include <stdlib.h>

#include "blocking.h"
#include "replay.h"
#include "timeline.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static FILE *nowhere;
	char error[TGS_MESSAGE];
	struct tgs_timeline tl = { .until = TG_NEVER };
	struct tgs_trace t;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!tgs_trace_read(&t, data, size, error)) {
		tgs_replay(&t, nowhere);
		tgs_why(&t, 1, nowhere);
		tgs_blocking(&t, nowhere);
		tgs_timeline_read(&tl, &t, nowhere);
		tgs_timeline_deinit(&tl);
	}
	tgs_trace_deinit(&t);
	return 0;
}
