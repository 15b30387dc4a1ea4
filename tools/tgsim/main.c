// SPDX-License-Identifier: GPL-2.0
/*
 * tgsim: the core in virtual time. Its command line; the work is done in src/sim.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "blocking.h"
#include "mem.h"
#include "replay.h"
#include "report.h"
#include "timeline.h"

#define USAGE	2

static const char help[] =
	"usage: tgsim run [OPTION...] SCENARIO    simulate\n"
	"       tgsim replay TRACE                same events, same actions?\n"
	"       tgsim why TRACE --job N           why did job N wait?\n"
	"       tgsim blocking TRACE              how many lower-priority groups did jobs wait for?\n"
	"       tgsim timeline [OPTION...] TRACE  who waited and who ran when\n"
	"\n"
	"run:\n"
	"  --json          results as JSON\n"
	"  --csv           results as comma-separated values\n"
	"  --plot FILE     draw who ran when, and shares over time (.png, .svg, .pdf)\n"
	"  --trace FILE    write what went into the core and what came out\n"
	"  --seed N        another seed than the scenario's\n"
	"  --policy NAME   another policy than the scenario's, on every GPU\n"
	"\n"
	"timeline:\n"
	"  --from TIME     groups that arrive from then on, since the trace's start: 1s, 16.7ms\n"
	"  --until TIME    and before\n"
	"\n"
	"SCENARIO: tgsim-scenario(5). TRACE: recorded by the kernel module or by --trace.\n"
	"Status: 0 good; 1 no (different, no such job, cannot read or write); 2 usage.\n";

static int complain(int status, const char *what, const char *why)
{
	fprintf(stderr, "tgsim: %s: %s\n", what, why);
	return status;
}

/* A whole file, NUL-terminated; NULL with errno. */
static char *read_file(const char *path, u64 *len)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *data = NULL;
	u64 n;
	int err;

	if (!file)
		return NULL;
	*len = 0;
	do {
		data = tgs_grow(data, 2 * *len + 65537, 1);
		n = fread(data + *len, 1, *len + 65536, file);
		*len += n;
	} while (n);
	data[*len] = '\0';
	err = ferror(file) ? errno : 0;
	if (file != stdin)
		fclose(file);
	if (!err)
		return data;
	free(data);
	errno = err;
	return NULL;
}

static bool to_u64(const char *text, u64 *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end;
}

struct run_options {
	bool json, csv;
	const char *plot, *trace, *seed, *policy;
};

static int parse_run_options(int argc, char **argv, struct run_options *o)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "csv", no_argument, NULL, 'c' },
		{ "plot", required_argument, NULL, 'p' },
		{ "trace", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },
		{ "policy", required_argument, NULL, 'P' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			o->json = true;
			break;
		case 'c':
			o->csv = true;
			break;
		case 'p':
			o->plot = optarg;
			break;
		case 't':
			o->trace = optarg;
			break;
		case 's':
			o->seed = optarg;
			break;
		case 'P':
			o->policy = optarg;
			break;
		default:
			return USAGE;
		}
	}
	if (o->json && o->csv)
		return complain(USAGE, "--json and --csv", "one of them wanted");
	if (argc - optind != 1)
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

static int run(int argc, char **argv)
{
	struct run_options o = { };
	struct tgs_scenario scenario;
	struct tgs_result result;
	char error[TGS_MESSAGE], *text, *dir, *slash;
	const char *path;
	u64 len;
	int status = parse_run_options(argc, argv, &o);

	if (status)
		return status;
	path = argv[optind];
	text = read_file(path, &len);
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

	data = read_file(path, &len);
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

static int why(int argc, char **argv)
{
	static const struct option options[] = { { "job", required_argument, NULL, 'j' }, { } };
	u64 job = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 'j')
			return USAGE;
		if (!to_u64(optarg, &job))
			return complain(USAGE, "--job", "a job's number wanted");
	}
	if (argc - optind != 1 || !job)
		return complain(USAGE, "why", "one trace and --job N wanted; see tgsim --help");
	return with_trace(argv[optind], look_why, &job);
}

static int timeline(int argc, char **argv)
{
	static const struct option options[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "until", required_argument, NULL, 'u' },
		{ }
	};
	struct tgs_timeline tl = { .until = TG_NEVER };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 'f' && c != 'u')
			return USAGE;
		if (!tgs_time_parse(optarg, c == 'f' ? &tl.from : &tl.until))
			return complain(USAGE, c == 'f' ? "--from" : "--until",
					"a time such as 16.7ms or 1s wanted");
	}
	if (argc - optind != 1)
		return complain(USAGE, "timeline", "one trace wanted; see tgsim --help");
	return with_trace(argv[optind], look_timeline, &tl);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int status;

	if (!strcmp(what, "--help")) {
		fputs(help, stdout);
		return 0;
	}
	if (!strcmp(what, "run"))
		status = run(argc - 1, argv + 1);
	else if (!strcmp(what, "why"))
		status = why(argc - 1, argv + 1);
	else if (!strcmp(what, "replay") && argc == 3)
		status = with_trace(argv[2], look_replay, NULL);
	else if (!strcmp(what, "blocking") && argc == 3)
		status = with_trace(argv[2], look_blocking, NULL);
	else if (!strcmp(what, "timeline"))
		status = timeline(argc - 1, argv + 1);
	else
		return complain(USAGE, *what ? what : "no command",
				"run SCENARIO, or replay, why, blocking or timeline TRACE wanted; see tgsim "
				"--help");
	if (fflush(stdout) || ferror(stdout))
		return complain(1, "output", strerror(errno));
	return status;
}
