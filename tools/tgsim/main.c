// SPDX-License-Identifier: GPL-2.0
/*
 * tgsim: the core in virtual time. This file is its command line; src/sim simulates, src/trace
 * reads and replays traces.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocking.h"
#include "lib/file.h"
#include "lib/number.h"
#include "lib/opt.h"
#include "mem.h"
#include "replay.h"
#include "report.h"
#include "timeline.h"

#define USAGE	2
#define DONE	(-1)	/* of parse(): what was asked for has been printed */

static const struct opt run_options[] = {
	{ "json", 0, NULL, "results as JSON" },
	{ "csv", 0, NULL, "results as comma-separated values" },
	{ "plot", 0, "FILE", "draw who ran when, and shares over time (.png, .svg, .pdf)" },
	{ "trace", 0, "FILE", "write what went into the core and what came out" },
	{ "seed", 0, "N", "another seed than the scenario's" },
	{ "policy", 0, "NAME", "another policy than the scenario's, on every GPU" },
	{ 0 }
};

static const struct opt why_options[] = { { "job", 0, "N", "the job's number" }, { 0 } };

static const struct opt timeline_options[] = {
	{ "from", 0, "TIME", "groups that arrive from then on, since the trace's start: 1s, 16.7ms" },
	{ "until", 0, "TIME", "and before" },
	{ 0 }
};

static const struct opt no_options[] = { { 0 } };

static int run(char **argv), replay(char **argv), why(char **argv), blocking(char **argv),
	   timeline(char **argv);

static const struct command {
	const char *name, *usage, *brief;
	const struct opt *options;
	int (*run)(char **argv);
} commands[] = {
	{ "run", "[OPTION...] SCENARIO", "simulate", run_options, run },
	{ "replay", "TRACE", "same events, same actions?", no_options, replay },
	{ "why", "TRACE --job N", "why did job N wait?", why_options, why },
	{ "blocking", "TRACE", "how many lower-priority groups did jobs wait for?", no_options,
	  blocking },
	{ "timeline", "[OPTION...] TRACE", "who waited and who ran when", timeline_options,
	  timeline },
};

static void list(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		opt_list_verb(commands[i].name, commands[i].usage, commands[i].brief);
		opt_list(commands[i].name, commands[i].options);
	}
	opt_list("", opt_standard);
}

static void help(void)
{
	size_t i;
	int used;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		used = printf("%s tgsim %s %s", i ? "      " : "usage:", commands[i].name,
			      commands[i].usage);
		used += printf("%*s", max(41 - used, 1), "");
		opt_wrap(stdout, commands[i].brief, used, 41);
		putchar('\n');
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!commands[i].options->name)
			continue;
		printf("\n%s:\n", commands[i].name);
		opt_help(stdout, commands[i].options, 18);
	}
	fputs("\nall:\n", stdout);
	opt_help(stdout, opt_standard, 18);
	fputs("\n"
	      "SCENARIO: tgsim-scenario(5). TRACE: recorded by the kernel module or by --trace.\n"
	      "Status: 0 good; 1 no (different, no such job, cannot read or write); 2 usage.\n", stdout);
}

static int complain(int status, const char *what, const char *why)
{
	fprintf(stderr, "tgsim: %s: %s\n", what, why);
	return status;
}

static bool to_u64(const char *text, u64 *n)
{
	uint64_t value;

	if (!number_read(text, UINT64_MAX, &value))
		return false;
	*n = value;
	return true;
}

/*
 * Reads a command's arguments: @set is called for each option, and *@name is the last of @nr words.
 * Return: 0, DONE, or USAGE after a message.
 */
static int parse(char **argv, const struct opt *table, int (*set)(void *to, const struct opts *o),
		 void *to, const char **name, int *nr)
{
	struct opts o = { .table = table, .argv = argv, .abbreviate = true };
	enum opt_what what;
	int status = 0;

	*nr = 0;
	while (!status && (what = opt_next(&o)) != OPT_END) {
		switch (what) {
		case OPT_HELP:
			help();
			return DONE;
		case OPT_VERSION:
			opt_version("tgsim");
			return DONE;
		case OPT_LIST:
			list();
			return DONE;
		case OPT_GIVEN:
			status = set(to, &o);
			break;
		case OPT_WORD:
			*name = o.word;
			++*nr;
			break;
		case OPT_DASHES:
			break;
		default:
			opt_complain("tgsim", &o, what);
			return USAGE;
		}
	}
	return status;
}

struct run_options {
	bool json, csv;
	const char *plot, *trace, *seed, *policy;
};

static int set_run_option(void *to, const struct opts *given)
{
	struct run_options *o = to;

	if (opt_is(given, "json"))
		o->json = true;
	else if (opt_is(given, "csv"))
		o->csv = true;
	else if (opt_is(given, "plot"))
		o->plot = given->value;
	else if (opt_is(given, "trace"))
		o->trace = given->value;
	else if (opt_is(given, "seed"))
		o->seed = given->value;
	else
		o->policy = given->value;
	return 0;
}

static int parse_run_options(char **argv, struct run_options *o, const char **scenario)
{
	int nr, status = parse(argv, run_options, set_run_option, o, scenario, &nr);

	if (status)
		return status;
	if (o->json && o->csv)
		return complain(USAGE, "--json and --csv", "one of them wanted");
	if (nr != 1)
		return complain(USAGE, "run", "one scenario wanted; see tgsim --help");
	return 0;
}

static int override(struct tgs_scenario *s, const struct run_options *o)
{
	int policy;
	u32 i;

	if (o->seed && !to_u64(o->seed, &s->seed))
		return complain(USAGE, "--seed", "a whole number wanted");
	if (!o->policy)
		return 0;
	policy = tg_policy_find(o->policy, strlen(o->policy));
	if (policy < 0)
		return complain(USAGE, o->policy, "no such policy");
	for (i = 0; i < s->nr_gpus; i++) {
		struct tgs_gpu_conf *gpu = &s->gpus[i];
		u32 j, kept = 0;

		/* the old policy's knobs are nothing to the new one */
		for (j = 0; j < gpu->nr_knobs; j++)
			if (!gpu->knobs[j].of_policy || gpu->policy == (u32)policy)
				gpu->knobs[kept++] = gpu->knobs[j];
		gpu->nr_knobs = kept;
		gpu->nr_then = 0;
		gpu->policy = policy;
	}
	return 0;
}

static int report(const struct tgs_result *result, const struct run_options *o)
{
	char error[TGS_MESSAGE];

	if (o->json)
		tgs_report_json(result, stdout);
	else if (o->csv)
		tgs_report_csv(result, stdout);
	else
		tgs_report_text(result, stdout);
	if (o->plot && tgs_report_plot(result, o->plot, error))
		return complain(1, "--plot", error);
	return 0;
}

static int run(char **argv)
{
	struct run_options o = { };
	struct tgs_scenario scenario;
	struct tgs_result result;
	char error[TGS_MESSAGE], *text, *dir, *slash;
	const char *path;
	u64 len;
	int status = parse_run_options(argv, &o, &path);

	if (status)
		return status;
	text = file_read(path, &len);
	if (!text)
		return complain(1, path, strerror(errno));
	dir = strdup(path);
	slash = strrchr(dir, '/');
	strcpy(slash ? slash + (slash == dir) : dir, slash ? "" : ".");

	status = strlen(text) < len ? complain(1, path, "a NUL byte in it") : 0;
	if (!status) {
		if (tgs_scenario_parse(&scenario, text, dir, error))
			status = complain(1, path, error);
		else
			status = override(&scenario, &o);
		if (!status) {
			status = tgs_run(&scenario, o.trace, &result, error) ?
				 complain(1, "--trace", error) : report(&result, &o);
			tgs_result_deinit(&result);
		}
		tgs_scenario_deinit(&scenario);
	}
	free(text);
	free(dir);
	return status;
}

/* Read the trace at @path and let @look have it. */
static int with_trace(const char *path, int (*look)(const struct tgs_trace *t, void *arg),
		      void *arg)
{
	char error[TGS_MESSAGE], *data;
	struct tgs_trace trace;
	u64 len;
	int status;

	data = file_read(path, &len);
	if (!data)
		return complain(1, path, strerror(errno));
	if (tgs_trace_read(&trace, data, len, error))
		status = complain(1, path, error);
	else
		status = look(&trace, arg);
	tgs_trace_deinit(&trace);
	free(data);
	return status;
}

static int look_replay(const struct tgs_trace *t, void *arg)
{
	return tgs_replay(t, stdout);
}

static int look_blocking(const struct tgs_trace *t, void *arg)
{
	return tgs_blocking(t, stdout);
}

static int look_why(const struct tgs_trace *t, void *arg)
{
	return tgs_why(t, *(u64 *)arg, stdout);
}

static int look_timeline(const struct tgs_trace *t, void *arg)
{
	struct tgs_timeline *tl = arg;
	int status = tgs_timeline_read(tl, t, stderr);

	tgs_timeline_print(tl, stdout);
	tgs_timeline_deinit(tl);
	return status;
}

static int set_job(void *to, const struct opts *given)
{
	return to_u64(given->value, to) ? 0 : complain(USAGE, "--job", "a job's number wanted");
}

static int why(char **argv)
{
	const char *trace;
	u64 job = 0;
	int nr, status = parse(argv, why_options, set_job, &job, &trace, &nr);

	if (status)
		return status;
	if (nr != 1 || !job)
		return complain(USAGE, "why", "one trace and --job N wanted; see tgsim --help");
	return with_trace(trace, look_why, &job);
}

static int set_span(void *to, const struct opts *given)
{
	struct tgs_timeline *tl = to;
	bool from = opt_is(given, "from");

	if (tgs_time_parse(given->value, from ? &tl->from : &tl->until))
		return 0;
	return complain(USAGE, from ? "--from" : "--until", "a time such as 16.7ms or 1s wanted");
}

static int timeline(char **argv)
{
	struct tgs_timeline tl = { .until = TG_NEVER };
	const char *trace;
	int nr, status = parse(argv, timeline_options, set_span, &tl, &trace, &nr);

	if (status)
		return status;
	if (nr != 1)
		return complain(USAGE, "timeline", "one trace wanted; see tgsim --help");
	return with_trace(trace, look_timeline, &tl);
}

static int no_command(const char *what)
{
	return complain(USAGE, *what ? what : "no command",
			"run SCENARIO, or replay, why, blocking or timeline TRACE wanted; see tgsim "
			"--help");
}

/* replay and blocking: one trace and no option */
static int with_one_trace(char **argv, int (*look)(const struct tgs_trace *t, void *arg))
{
	const char *trace;
	int nr, status = parse(argv, no_options, NULL, NULL, &trace, &nr);

	if (status)
		return status;
	return nr == 1 ? with_trace(trace, look, NULL) : no_command(argv[-1]);
}

static int replay(char **argv)
{
	return with_one_trace(argv, look_replay);
}

static int blocking(char **argv)
{
	return with_one_trace(argv, look_blocking);
}

static int command(char **argv)
{
	struct opts first = { .table = no_options, .argv = argv };
	const char *what = *argv ? *argv : "";
	size_t i;

	switch (opt_next(&first)) {
	case OPT_HELP:
		help();
		return 0;
	case OPT_VERSION:
		opt_version("tgsim");
		return 0;
	case OPT_LIST:
		list();
		return 0;
	default:
		break;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(what, commands[i].name))
			return commands[i].run(argv + 1);
	return no_command(what);
}

int main(int argc, char **argv)
{
	int status = command(argv + (argc > 0));

	if (fflush(stdout) || ferror(stdout))
		return complain(1, "output", strerror(errno));
	return status == DONE ? 0 : status;
}
