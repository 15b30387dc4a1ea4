// SPDX-License-Identifier: GPL-2.0
/* ptimer.c - the counter follows the host's time, can be set, and rings. */
#include "lib.h"

enum { TIME_0 = 0x9400, TIME_1 = 0x9410, ALARM = 0x9420, INTR = 0x9100, INTR_EN = 0x9140 };

static u64 now(struct bench *b)
{
	return rd(b, TIME_0) | (u64)rd(b, TIME_1) << 32;
}

static const struct {
	const char *name;
	u64 set;
	s64 pass;
	u64 want;
} times[] = {
	{ "starts where it is set", 0, 0, 0 },
	{ "counts nanoseconds", 1000000, 64000, 1064000 },
	{ "in steps of 32", 1024, 33, 1024 + 32 },
	{ "carries into the high word", 0xffffffe0, 64, 0x100000020 },
	{ "keeps the high word", 0x500000000, 1600, 0x500000640 },
};

static const struct {
	const char *name;
	u64 start;
	u32 alarm;
	u32 enable;
	s64 early;		/* still silent after this long */
	s64 late;		/* has rung after this long */
	bool rings;
} alarms[] = {
	{ "rings when the low word is reached", 0, 32000, 1, 31999, 32000, true },
	{ "the high word does not matter", 0x700000000, 3200, 1, 3199, 3200, true },
	{ "silent when not enabled", 0, 3200, 0, 3199, 32000, false },
	{ "past: a whole turn later", 6400, 3200, 1, 0xfffff37f, 0xfffff380, true },
};

int main(void)
{
	struct bench b;

	for (u32 i = 0; i < ARRAY_LEN(times); i++) {
		bench_init(&b, 1);
		wr(&b, TIME_1, times[i].set >> 32);
		wr(&b, TIME_0, (u32)times[i].set);
		bench_pass(&b, times[i].pass);
		check_eq(times[i].name, now(&b), times[i].want);
		bench_fini(&b);
	}
	for (u32 i = 0; i < ARRAY_LEN(alarms); i++) {
		s64 start;
		u32 early, late;

		bench_init(&b, 1);
		wr(&b, R_PMC_INTR_EN, 1);
		wr(&b, TIME_1, alarms[i].start >> 32);
		wr(&b, TIME_0, (u32)alarms[i].start);
		wr(&b, ALARM, alarms[i].alarm);
		wr(&b, INTR_EN, alarms[i].enable);
		start = b.now;
		bench_run(&b, start + alarms[i].early);
		early = rd(&b, INTR);
		bench_run(&b, start + alarms[i].late);
		late = rd(&b, INTR);
		check(!early && late == alarms[i].rings && b.intx == alarms[i].rings,
		      alarms[i].name, "interrupt %u before, %u after, pin %d", early, late, b.intx);
		wr(&b, INTR, 1);
		check(!b.intx, "acknowledged", "the pin is still high");
		bench_fini(&b);
	}
	return done();
}
