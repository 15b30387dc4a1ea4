// SPDX-License-Identifier: GPL-2.0
/*
 * What reserves with a priori enforcement give: for each C/T from 10 to 80 % and each kind of cost,
 * a client that always has work gets C/T over a minute, alone and beside one of lower priority that
 * has work, too. In tgsim. It prints every figure, with how busy the GPU is.
 */
#include "../lib/test.h"
#include "run.h"

#define SECONDS	60
#define POINT	100		/* shares are in 1/100 of a point */

/* @below: how far below C/T its share may be, in points. @longest: no group costs more, ns. */
static const struct load {
	const char *name, *cost;
	u32 depth, below;
	s64 longest;
} loads[] = {
	{ "fixed", "fixed 4ms", 2, 1, 4 * TG_MSEC },
	{ "uniform", "uniform 1ms 9ms", 2, 1, 9 * TG_MSEC },
	{ "exponential", "exponential 4ms", 2, 1, 80 * TG_MSEC },
	{ "normal", "normal 5ms 1.5ms", 2, 1, 14 * TG_MSEC },
	{ "two kinds", "choice 1ms 10ms", 2, 1, 10 * TG_MSEC },
	{ "bimodal", "alike 1ms 10ms", 2, 2, 10 * TG_MSEC },
	{ "longer than C", "fixed 30ms", 2, 1, 30 * TG_MSEC },
	{ "rarely long", "alike 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 1ms 20ms", 2, 2, 20 * TG_MSEC },
	{ "bimodal, eight deep", "alike 0.5ms 7ms", 8, 2, 7 * TG_MSEC },
};

/* Return: the share of time that the client with the reserve has had; @both: with the other one. */
static s64 measure(const struct load *load, u32 percent, bool company, s64 *both, char *error)
{
	struct tgs_scenario s;
	struct tgs_result r;
	char text[1024];
	s64 share;

	snprintf(text, sizeof(text), "duration = %us\nseed = %u\n[gpu g]\nsubmit = 20us\n"
		 "interrupt = 10us\nswitch = 20us\n[client ae]\narrival = back-to-back\n"
		 "cost = %s\ndepth = %u\nspec = prt:ae:50:%u:25000\n%s", SECONDS, percent,
		 load->cost, load->depth, percent * 250,
		 company ? "[client other]\narrival = back-to-back\ncost = fixed 3ms\n"
			   "depth = 2\nspec = prt:bg:1:0:0\n" : "");
	if (tgs_scenario_parse(&s, text, ".", error))
		return -1;
	if (tgs_run(&s, NULL, &r, error)) {
		tgs_scenario_deinit(&s);
		return -1;
	}
	share = r.clients[0].stats.used / (SECONDS * TG_SEC / (100 * POINT));
	*both = share;
	if (company)
		*both += r.clients[1].stats.used / (SECONDS * TG_SEC / (100 * POINT));
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
	return share;
}

int main(void)
{
	char error[TGS_MESSAGE] = "", name[128];
	u32 i, percent, company;
	s64 share, both, most;

	for (company = 0; company < 2; company++)
		for (i = 0; i < ARRAY_SIZE(loads); i++)
			for (percent = 10; percent <= 80; percent += 10) {
				share = measure(&loads[i], percent, company, &both, error);
				most = percent * POINT + POINT / 10 +
				       loads[i].longest / (SECONDS * TG_SEC / (100 * POINT)) + 1;
				snprintf(name, sizeof(name), "%u %%, %s%s", percent, loads[i].name,
					 company ? ", in company" : "");
				printf("# %s: %lld.%02lld %%, the GPU is %lld.%02lld %% busy\n",
				       name, (long long)share / POINT, (long long)share % POINT,
				       (long long)both / POINT, (long long)both % POINT);
				test_row(name, share <= most &&
					 share >= (percent - loads[i].below) * POINT,
					 "%lld.%02lld %% %s", (long long)share / POINT,
					 (long long)share % POINT, error);
			}
	return test_end();
}
