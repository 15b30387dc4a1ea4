// SPDX-License-Identifier: GPL-2.0
/* tgload's command line: what each option sets, and the one line that a wrong one gets. */
#include <string.h>

#include "opts.h"
#include "tgload_test.h"
#include "units.h"

#define MS	TGL_NS_PER_MS
#define ARGS	20

/* The options by default, and what a row changes. */
#define DEFAULTS	.name = "tgload", .cost_ns = MS, .groups = 1, .depth = 1, .channels = 1

static struct {
	const char *name;
	const char *args[ARGS];
	struct tgl_opts want;
} good[] = {
	{ "nothing: defaults", { NULL }, { DEFAULTS } },
	{ "a game",
	  { "--name", "game", "--cost", "4ms", "--groups", "4", "--think", "2ms",
	    "--every", "50ms", "--vsync", "16.7ms", "--for", "10s", "--json" },
	  { .name = "game", .cost_ns = 4 * MS, .groups = 4, .think_ns = 2 * MS,
	    .every_ns = 50 * MS, .vsync_ns = 16700000, .for_ns = 10000 * MS, .json = 1,
	    .depth = 1, .channels = 1 } },
	{ "a bomb",
	  { "--name=bomb", "--kind=compute", "--cost=20ms", "--every=0", "--depth=2" },
	  { .name = "bomb", .cost_ns = 20 * MS, .depth = 2, .groups = 1, .channels = 1 } },
	{ "frames that differ",
	  { "--vary", "32", "--seed=4294967295" },
	  { DEFAULTS, .vary = 32, .seed = UINT32_MAX } },
	{ "memory for each frame",
	  { "--mem", "19", "--prepare=2955ms", "--groups", "2" },
	  { .name = "tgload", .cost_ns = MS, .depth = 1, .channels = 1, .mem = 19,
	    .prepare_ns = 2955 * MS, .groups = 2 } },
	{ "fills, verified",
	  { "--kind", "fill", "--verify", "--count", "7" },
	  { DEFAULTS, .kind = TGL_FILL, .verify = 1, .count = 7 } },
	{ "copies on two channels",
	  { "--channels", "2", "--kind", "copy" },
	  { .name = "tgload", .cost_ns = MS, .groups = 1, .depth = 1,
	    .kind = TGL_COPY, .channels = 2 } },
	{ "uploads", { "--kind=upload" }, { DEFAULTS, .kind = TGL_UPLOAD } },
	{ "stopped", { "--stopped" }, { DEFAULTS, .stopped = 1 } },
	{ "another GPU", { "--device", "/dev/dri/renderD129" },
	  { DEFAULTS, .device = "/dev/dri/renderD129" } },
	{ "by EXEC", { "--submit", "exec" }, { DEFAULTS, .exec = 1 } },
	{ "by PUSHBUF, said", { "--submit=pushbuf" }, { DEFAULTS } },
	{ "longest name", { "--name", "123456789012345" },
	  { .name = "123456789012345", .cost_ns = MS, .groups = 1, .depth = 1, .channels = 1 } },
	{ "name with an equals sign", { "--name=a=b" },
	  { .name = "a=b", .cost_ns = MS, .groups = 1, .depth = 1, .channels = 1 } },
};

static struct {
	const char *name;
	const char *args[ARGS];
	const char *why;
} bad[] = {
	{ "another way to submit", { "--submit", "both" },
	  "--submit both: not a way to submit: give pushbuf or exec" },
	{ "no such option", { "--frobnicate" },
	  "--frobnicate: no such option; tgload --help lists them" },
	{ "abbreviation", { "--co", "4ms" }, "--co: no such option; tgload --help lists them" },
	{ "two dashes alone", { "--" }, "--: no such option; tgload --help lists them" },
	{ "short option", { "-n", "x" }, "-n: not an option; tgload --help lists them" },
	{ "stray word", { "4ms" }, "4ms: not an option; tgload --help lists them" },
	{ "empty word", { "" }, ": not an option; tgload --help lists them" },
	{ "value missing", { "--cost" }, "--cost: its value is missing" },
	{ "flag with a value", { "--json=1" }, "--json: takes no value" },
	{ "given twice", { "--depth", "1", "--depth=2" }, "--depth: given twice" },
	{ "time without unit", { "--cost", "4" },
	  "--cost 4: a time needs a unit (ns, us, ms or s), as in 2.5ms" },
	{ "cost of nothing", { "--cost", "0" }, "--cost 0: out of range, give 1ns to 60s" },
	{ "cost too long", { "--cost", "61s" }, "--cost 61s: out of range, give 1ns to 60s" },
	{ "frames that cost less than nothing", { "--vary", "101" },
	  "--vary 101: out of range, give 0 to 100" },
	{ "a percent sign", { "--vary", "32%" }, "--vary 32%: not a whole number, such as 4" },
	{ "seed too big", { "--seed", "4294967296" },
	  "--seed 4294967296: out of range, give 0 to 4294967295" },
	{ "no groups", { "--groups", "0" }, "--groups 0: out of range, give 1 to 1000" },
	{ "no depth", { "--depth", "0" }, "--depth 0: out of range, give 1 to 64" },
	{ "too deep", { "--depth", "65" }, "--depth 65: out of range, give 1 to 64" },
	{ "no channels", { "--channels", "0" }, "--channels 0: out of range, give 1 to 16" },
	{ "too many channels", { "--channels", "17" },
	  "--channels 17: out of range, give 1 to 16" },
	{ "no count", { "--count", "0" }, "--count 0: out of range, give 1 to 1000000000" },
	{ "tick of nothing", { "--vsync", "0" }, "--vsync 0: out of range, give 1us to 60s" },
	{ "no time at all", { "--for", "0" }, "--for 0: out of range, give 1ns to a day" },
	{ "count with a unit", { "--count", "5ms" },
	  "--count 5ms: not a whole number, such as 4" },
	{ "too much memory", { "--mem", "65537" }, "--mem 65537: out of range, give 0 to 65536" },
	{ "memory with a unit", { "--mem", "5M" }, "--mem 5M: not a whole number, such as 4" },
	{ "memory and EXEC", { "--mem", "5", "--submit", "exec" },
	  "--mem: only with --submit pushbuf" },
	{ "prepared without a unit", { "--prepare", "4" },
	  "--prepare 4: a time needs a unit (ns, us, ms or s), as in 2.5ms" },
	{ "unknown kind", { "--kind", "magic" },
	  "--kind magic: not a kind of work: give compute, fill, copy or upload" },
	{ "empty name", { "--name", "" }, "--name : the name is empty" },
	{ "long name", { "--name", "1234567890123456" },
	  "--name 1234567890123456: the kernel keeps 15 bytes of a name, give at most that" },
};

static int count(const char *const *args)
{
	int n = 0;

	while (n < ARGS && args[n])
		n++;
	return n;
}

static enum tgl_parsed parse(const char *const *args, struct tgl_opts *opts, char *why, size_t size)
{
	char *argv[ARGS + 2] = { (char *)"tgload" };
	int n = count(args);

	memcpy(argv + 1, args, n * sizeof(*argv));
	return tgl_opts_parse(n + 1, argv, opts, why, size);
}

static int same(const struct tgl_opts *a, const struct tgl_opts *b)
{
	return !strcmp(a->name, b->name) && a->kind == b->kind && a->cost_ns == b->cost_ns &&
	       !a->device == !b->device && (!a->device || !strcmp(a->device, b->device)) &&
	       a->vary == b->vary && a->seed == b->seed &&
	       a->every_ns == b->every_ns && a->groups == b->groups &&
	       a->think_ns == b->think_ns && a->prepare_ns == b->prepare_ns &&
	       a->mem == b->mem && a->vsync_ns == b->vsync_ns &&
	       a->depth == b->depth && a->channels == b->channels && a->for_ns == b->for_ns &&
	       a->count == b->count && a->stopped == b->stopped && a->exec == b->exec &&
	       a->verify == b->verify && a->json == b->json;
}

int main(void)
{
	static const char *const help[] = { "--json", "--help", "--nonsense", NULL };
	static const char *const dash_h[] = { "-h", NULL }, *const dash_v[] = { "-V", NULL };
	static const char *const version[] = { "--version", "x", NULL };
	struct tgl_opts opts;
	enum tgl_parsed got;
	char why[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		why[0] = 0;
		got = parse(good[i].args, &opts, why, sizeof(why));
		test_row(good[i].name, got == TGL_RUN && same(&opts, &good[i].want),
			 "returned %d, %s", got, why[0] ? why : "options differ");
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		why[0] = 0;
		got = parse(bad[i].args, &opts, why, sizeof(why));
		test_row(bad[i].name, got == TGL_BAD && !strcmp(why, bad[i].why),
			 "returned %d, '%s'", got, why);
	}
	got = parse(help, &opts, why, sizeof(why));
	test_row("help comes first", got == TGL_HELP, "returned %d", got);
	got = parse(dash_h, &opts, why, sizeof(why));
	test_row("help by a letter", got == TGL_HELP, "returned %d", got);
	got = parse(version, &opts, why, sizeof(why));
	test_row("version", got == TGL_VERSION, "returned %d", got);
	got = parse(dash_v, &opts, why, sizeof(why));
	test_row("version by a letter", got == TGL_VERSION, "returned %d", got);
	return test_end();
}
