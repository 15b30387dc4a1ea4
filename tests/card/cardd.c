// SPDX-License-Identifier: GPL-2.0
/*
 * cardd.c - parts of cardd around the card: how many complaints it prints; the ground truth as JSON,
 * for which the card catches up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "../../tools/cardd/complaints.h"
#include "../../tools/cardd/truth.h"

static void run_complaints(void)
{
	u32 printed = 0, n = 0;

	for (u32 i = 0; i < 1000; i++)
		n += complaint_next(&printed);
	check_eq("complaints: the first 64 are printed", n, 64);
	check_eq("... and the count stays there, so that it never wraps", printed, 64);
}

/* ---- the ground truth ------------------------------------------------------------------------ */

/* The clock, and how long each look at it takes. */
static s64 clock_at, clock_step;

s64 clock_ns(void)
{
	s64 now = clock_at;

	clock_at += clock_step;
	return now;
}

/* The first number of that name. */
static long long number(const char *json, const char *name)
{
	char key[32];
	const char *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(json, key);
	return at ? atoll(at + strlen(key)) : -1;
}

/* More ring entries than one call works through, each a method of the engine's. */
static void fill_ring(struct bench *b)
{
	u32 start = b->chan[1].push, ring = 0x2000000 + 0x20000 + 0x1f000;

	for (u32 i = 0; i < 100; i++)
		chan_mthd(b, 1, SUB_COMPUTE, 0x3a4, i);
	for (u32 i = 0; i < 500; i++) {
		vram_set32(b, ring + 8 * ((b->chan[1].put + i) & 511), start);
		vram_set32(b, ring + 4 + 8 * ((b->chan[1].put + i) & 511), 200 << 10);
	}
	wr(b, 0xc00000 + 0x2000 + 0x8c, (b->chan[1].put + 500) & 511);
}

static void run_truth(void)
{
	struct vfu *vfu = vfu_create();
	struct bench b;
	char *json;
	size_t len;

	for (u32 slow = 0; slow < 2; slow++) {
		bench_init(&b, 1);
		bench_start(&b);
		chan_open(&b, 1);
		chan_bind(&b, 1, SUB_COMPUTE);
		chan_kick(&b, 1);
		bench_run(&b, b.now + 1000000);
		fill_ring(&b);
		clock_at = b.now + 10000000;
		clock_step = slow ? 600000000 : 0;
		json = truth_json(b.card, vfu, &len);
		check(json && strlen(json) == len && json[len - 1] == '\n', "truth: a line", "%zu", len);
		check_eq("... with the card's own lateness", (u64)number(json, "self_late_ns"), 0);
		if (!slow) {
			check_eq("truth: the card catches up", (u64)number(json, "behind_ns"), 0);
			check_eq("... with all the time", (u64)number(json, "elapsed_ns"), 11000000);
			check(number(json, "busy_ns") > 80000, "... and all the work", "%lld",
			      number(json, "busy_ns"));
		} else {
			check(number(json, "behind_ns") > 0, "truth: not for ever", "%lld",
			      number(json, "behind_ns"));
			check_eq("... but up to where it is",
				 (u64)(number(json, "elapsed_ns") + number(json, "behind_ns")),
				 11000000);
		}
		free(json);
		bench_fini(&b);
	}
	vfu_destroy(vfu);
}

int main(void)
{
	run_complaints();
	run_truth();
	return done();
}
