// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl: control and observe timegraph.ko, or tgd. This file is the command line: the table of
 * verbs, their options, one function that reads the arguments of all of them, and help.
 */
#include "tgctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/types.h>

#include "clients.h"
#include "config.h"
#include "host.h"
#include "lib/opt.h"
#include "metrics.h"
#include "prio.h"
#include "run.h"
#include "settings.h"
#include "shm.h"
#include "spec.h"
#include "stats.h"
#include "top.h"
#include "totals.h"
#include "trace.h"
#include "why.h"

/**
 * struct tgctl_verb - one row of the table below
 * @name: the word
 * @options: the options that it takes, at most TGCTL_OPTIONS
 * @min: fewest names
 * @max: most names, or -1: any number
 * @run: does it
 * @usage: what follows the word in a usage line
 * @brief: one line for --help
 * @text: the rest of what `tgctl help VERB` says, which opt_wrap() wraps
 */
struct tgctl_verb {
	const char *name;
	const struct opt *options;
	int min, max;
	enum tgctl_status (*run)(const struct tgctl_args *args);
	const char *usage, *brief, *text;
};

static enum tgctl_status help(const struct tgctl_args *args);

/* Options of verbs, as `tgctl help VERB` prints them below the verb's own text. */
static const struct opt no_options[] = { { 0 } };
static const struct opt load_options[] = {
	{ "new-only", 0, NULL, "leave running clients as they are" },
	{ 0 }
};
static const struct opt init_options[] = {
	{ "force", 0, NULL, "replace FILE, and keep what was there as FILE.old" },
	{ 0 }
};
static const struct opt json_options[] = { { "json", 0, NULL, "the same as JSON" }, { 0 } };
static const struct opt top_options[] = {
	[TOP_ONCE] = { "once", 0, NULL, "one table, after one such time" },
	[TOP_JSON] = { "json", 0, NULL, "the same as JSON, on and on unless --once" },
	[TOP_EVERY] = { "every", 0, "TIME", "how often; 100ms to 60s (1s)" },
	[TOP_SORT] = { "sort", 0, "KEY",
		       "share, rate, latency, wait, wait99, latency99, gpu_time, prio, pid or comm (share)" },
	[TOP_FILTER] = { "filter", 0, "TEXT",
			 "only clients with TEXT in their name, reserve or virtual GPU, or of user TEXT" },
	[TOP_COLUMNS] = { "columns", 'o', "LIST", "names with commas between; a wrong one lists them all" },
	{ 0 }
};
static const struct opt why_options[] = {
	[WHY_LAST] = { "last", 0, "N", "of a trace: how many waits, 1 to 100 (3)" },
	[WHY_TRACE] = { "trace", 0, "FILE", "of a recorded trace, not of the module's" },
	[WHY_WORST] = { "worst", 0, "N", "of the recorder: how many waits, 1 to 10000 (3)" },
	[WHY_SINCE] = { "since", 0, "TIME", "only of the last TIME" },
	[WHY_CLIENT] = { "client", 0, "CLIENT", "only of that client" },
	[WHY_FROZEN] = { "frozen", 0, NULL, "of the copy that a wait above stutter_us has made" },
	[WHY_CLEAR] = { "clear", 0, NULL, "with --frozen: drop the copy after that" },
	{ 0 }
};
static const struct opt record_options[] = {
	[RECORD_FOR] = { "for", 0, "TIME", "wait so long first" },
	[RECORD_GPU] = { "gpu", 0, "N", "the trace of GPU N, from 0 (0)" },
	{ 0 }
};
static const struct opt knob_options[] = {
	{ "describe", 0, NULL, "what it does, or all do, with unit and bounds" },
	{ 0 }
};
static const struct opt plot_options[] = {
	[PLOT_PERFETTO] = { "perfetto", 0, NULL, "a trace for Perfetto instead of a picture" },
	[PLOT_FROM] = { "from", 0, "TIME", "only from TIME on, since the trace's start" },
	[PLOT_TO] = { "to", 0, "TIME", "only what is before TIME" },
	[PLOT_CLIENT] = { "client", 0, "CLIENT", "only that client, and who ran while it waited" },
	{ 0 }
};
static const struct opt metrics_options[] = {
	[METRICS_HTTP] = { "http", 0, NULL, "as the answer to an HTTP request on standard input" },
	[METRICS_TEXT] = { "text", 0, NULL, "in Prometheus' text format: for promtool and node_exporter" },
	{ 0 }
};
static const struct opt prio_options[] = {
	{ "rate-monotonic", 0, NULL, "the shorter a reserve's period, the higher" },
	{ 0 }
};
static const struct opt run_options[] = {
	[RUN_HOST] = { "host", 0, "WHERE", "user or kernel" },
	[RUN_PRIO] = { "prio", 0, "N", "priority, 0 (lowest) to 99 (50, or what your limit is)" },
	[RUN_RESERVE] = { "reserve", 0, "C/T", "the GPU for C of every T, such as 2.5ms/25ms; all processes share it" },
	[RUN_VGPU] = { "vgpu", 0, "NAME", "in that virtual GPU" },
	[RUN_MEM] = { "mem", 0, "SIZE", "VRAM set aside for each process, such as 512M" },
	{ 0 }
};
static const struct opt host_option[] = {
	{ "host", 0, "WHERE", "user: tgd; kernel: the module (whichever is there)" },
	{ 0 }
};

static const struct tgctl_verb verbs[] = {
	{ "load", load_options, 1, 1, tgctl_load, "FILE [--new-only]",
	  "put a specification in force",
	  "Checks FILE ('-': standard input) as `check` does, and sends it to the module only when "
	  "it is right: its policy, its knobs and its clients, all of it or nothing. It decides about "
	  "running clients, too.\n" },
	{ "check", no_options, 1, -1, tgctl_check, "FILE...",
	  "check specifications, without the module",
	  "Says for each FILE ('-': standard input) how many entries it has, or what is wrong first "
	  "and where: FILE:LINE:COLUMN: what is wrong; what would be right. Warns of reserves that "
	  "are more than the GPU together, and of virtual GPUs that no line defines.\n" },
	{ "save", no_options, 0, 1, tgctl_save, "[FILE]",
	  "write what is in force, as a specification",
	  "The policy, the knobs that differ from their defaults, and the clients: `load` brings all of "
	  "it back. To standard output, or to FILE; what was there stays as FILE.old. At boot the unit "
	  "timegraph loads /etc/timegraph.spec.\n" },
	{ "init", init_options, 0, 1, tgctl_init, "[FILE] [--force]",
	  "write a first specification for this desktop",
	  "Above all the compositor and the X servers that run now, then users' programs, that of the "
	  "foreground window first, then the rest. To /etc/timegraph.spec, FILE, or ('-') standard "
	  "output. A file that is there stays, or, with --force, becomes FILE.old.\n" },
	{ "admit", no_options, 1, 1, tgctl_admit, "FILE",
	  "limit what reserves may add up to",
	  "FILE ('-': standard input), /etc/timegraph.ac as a rule, holds one number: percent of the "
	  "GPU, 0 to 100. It decides about channels that are opened from then on, and about running "
	  "clients at the next `load`.\n" },
	{ "policy", no_options, 0, 1, tgctl_policy, "[POLICY]",
	  "print the policy in force, or switch to another one",
	  "A name that the module does not know is answered with those that it knows.\n" },
	{ "clients", json_options, 0, 0, tgctl_clients, "[--json]",
	  "show the processes that use the GPU",
	  "One consistent reading of all of them. Times are in microseconds.\n" },
	{ "top", top_options, 0, 0, tgctl_top,
	  "[--once] [--json] [--every TIME] [--sort KEY] [--filter TEXT] [--columns LIST]",
	  "watch the clients",
	  "Waits, shares, rates and budgets, anew every second (--every 500ms: twice as often). "
	  "Without a terminal: tables, on and on. Keys are shown at the bottom; q ends it.\n" },
	{ "totals", json_options, 0, 0, tgctl_totals, "[--json]",
	  "show what each user and cgroup has used",
	  "Since the module was loaded, or tgd began, clients that have gone included. Others' "
	  "totals are root's.\n" },
	{ "shm", no_options, 0, 0, tgctl_shm, "",
	  "list device memory that processes share by key",
	  "Segments of this IPC namespace that you own or have made; root sees all of them. STATE says "
	  "which ones are removed, or volatile, and go when no process is attached to them any more.\n" },
	{ "why", why_options, 0, 1, tgctl_why,
	  "[CLIENT] [--client CLIENT] [--worst N] [--since TIME] [--frozen] [--clear] [--last N] "
	  "[--trace FILE]",
	  "tell which waits were the longest, and who ran instead",
	  "Out of the flight recorder, which is always on: the longest waits of all clients, or of "
	  "CLIENT. Root sees all clients, others their own. CLIENT alone, where the module keeps a "
	  "full trace (parameter trace_kib), of tgd, or with --last or --trace: the last waits of "
	  "that client in the trace, with each cause. CLIENT: a number as `clients` shows it, a "
	  "process's name, or pid=N.\n" },
	{ "record", record_options, 1, 1, tgctl_record, "FILE [--for TIME] [--gpu N]",
	  "copy the module's trace to a file",
	  "To FILE, or ('-') to standard output, at once, or after TIME. The trace begins when the "
	  "module is loaded (parameter trace_kib).\n" },
	{ "plot", plot_options, 2, 2, tgctl_plot,
	  "TRACE FILE [--perfetto] [--from TIME] [--to TIME] [--client CLIENT]",
	  "draw who ran when, out of a trace",
	  "FILE ends in .png, .svg or .pdf (gnuplot draws); with --perfetto, in .pftrace or "
	  ".perfetto-trace, for ui.perfetto.dev and trace_processor: waits with their causes, flows "
	  "from them to who ran, budgets, on a clock that an ftrace of the machine shares.\n" },
	{ "metrics", metrics_options, 0, 0, tgctl_metrics, "[--http] [--text]",
	  "print all counters as OpenMetrics",
	  "A systemd socket starts it with --http: GET or HEAD of /metrics, OpenMetrics or Prometheus' "
	  "text format, whichever the request would rather have.\n" },
	{ "prio", prio_options, 0, 2, tgctl_prio, "CLIENT PRIO | --rate-monotonic",
	  "set priorities of running clients",
	  "CLIENT is a number or a name (all clients of that name), as `clients` shows them; PRIO is 0 "
	  "(lowest) to 99. With --rate-monotonic, clients with a reserve get 99 and less, those with the "
	  "shortest period the highest. It holds until the next `load`.\n" },
	{ "stats", json_options, 0, 0, tgctl_stats, "[--json]",
	  "show the counters of the module",
	  "Names are those of the files in stats/, in the order of their bytes.\n" },
	{ "knob", knob_options, 0, 2, tgctl_knob, "[KNOB [VALUE]] [--describe]",
	  "list the knobs, print one, or set one",
	  "VALUE is a whole number within the knob's MIN and MAX; the unit is in its name. Where that "
	  "is us, a time with a unit is good, too: 2.5ms. "
	  "A policy's knob starts with the policy's name, and is set while that is in force.\n" },
	{ "run", run_options, 1, -1, tgctl_run,
	  "[--prio N] [--reserve C/T] [--vgpu NAME] [--mem SIZE] [--host WHERE] -- COMMAND...",
	  "run a program with a priority or a reserve, or under the user's host",
	  "With --prio, --reserve, --vgpu or --mem: COMMAND, and all that it starts, runs in a cgroup of "
	  "its own, and a line above the others of the specification in force says what it gets. The "
	  "line goes when the cgroup is empty. Ordinary users need limits in /etc/timegraph.limits.\n"
	  "With --host user, or where no module is loaded: COMMAND's OpenCL calls go through tgd, which "
	  "its first such program starts (tgd(1)). With --host kernel, where no module is loaded, COMMAND "
	  "does not start.\n" },
	{ "version", no_options, 0, 0, tgctl_version, "",
	  "print the versions of tgctl and of the module", "" },
	{ "help", no_options, 0, 1, help, "[VERB]",
	  "print help", "" },
};

/* How parsing a verb's arguments has ended. */
enum parsed { PARSED, PRINTED, WRONG };

static const struct tgctl_verb *find_verb(const char *name)
{
	char known[512] = "";
	size_t i, len = 0;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
		len += snprintf(known + len, sizeof(known) - len, "%s %s", i ? "," : "", verbs[i].name);
	}
	tgctl_error("unknown verb '%s'; known:%s", name, known);
	return NULL;
}

static void help_verb(const struct tgctl_verb *v)
{
	int used = printf("usage: tgctl %s%s", v->name, *v->usage ? " " : "");

	opt_wrap(stdout, v->usage, used, used);
	printf("\n%c%s.\n", v->brief[0] - 'a' + 'A', v->brief + 1);
	opt_wrap(stdout, v->text, 0, 0);
	opt_help(stdout, v->options, 20);
}

/* All verbs and options, for scripts. */
static void list_all(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		opt_list_verb(verbs[i].name, verbs[i].usage, verbs[i].brief);
		opt_list(verbs[i].name, verbs[i].options);
	}
	opt_list("", host_option);
	opt_list("", opt_standard);
}

static void help_all(void)
{
	size_t i;

	puts("usage: tgctl [--host user|kernel] VERB [ARGUMENT...]\n"
	     "Controls and observes timegraph, the GPU scheduler: in the kernel, or tgd.\n");
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		printf("  %-18s", verbs[i].name);
		opt_wrap(stdout, verbs[i].brief, 20, 20);
		putchar('\n');
	}
	puts("\nOptions in front of the verb:");
	opt_help(stdout, host_option, 20);
	puts("\nOptions everywhere:");
	opt_help(stdout, opt_standard, 20);
	puts("\nExit status: 0 done, 1 failed, 2 wrong command line; run: that of COMMAND.\n"
	     "`tgctl help VERB` tells a verb's arguments, tgctl(8) all.");
}

static enum tgctl_status help(const struct tgctl_args *args)
{
	const struct tgctl_verb *v;

	if (!args->nr) {
		help_all();
		return TGCTL_OK;
	}
	v = find_verb(args->names[0]);
	if (!v)
		return TGCTL_USAGE;
	help_verb(v);
	return TGCTL_OK;
}

/* Says what is wrong with @arg and how the verb is used. */
static bool refuse(const struct tgctl_verb *v, const char *what, const char *arg)
{
	tgctl_error("%s: %s%s%s%s; usage: tgctl %s%s%s", v->name, what, arg ? " '" : "",
		    arg ? arg : "", arg ? "'" : "", v->name, *v->usage ? " " : "", v->usage);
	return false;
}

/* The option that the walk has found. */
static bool option(const struct tgctl_verb *v, const struct opts *o, struct tgctl_args *args)
{
	const char **value = &args->option[o->opt - v->options];

	if (*value)
		return refuse(v, "repeated option", o->word);
	*value = o->opt->arg ? o->value : "";
	if (o->opt->arg && !**value)
		return refuse(v, "no value for", o->word);
	args->flag = args->option[0];
	return true;
}

/* Sorts the arguments behind the verb into options and names; @args->names has room. */
static enum parsed parse(const struct tgctl_verb *v, char **argv, struct tgctl_args *args)
{
	struct opts o = { .table = v->options, .argv = argv };
	enum opt_what what;
	const char *first;
	char missing[32];
	int i;
	bool good = true;

	while (good && (what = opt_next(&o)) != OPT_END) {
		switch (what) {
		case OPT_HELP:
			help_verb(v);
			return PRINTED;
		case OPT_VERSION:
			opt_version("tgctl");
			return PRINTED;
		case OPT_LIST:
			list_all();
			return PRINTED;
		case OPT_GIVEN:
			good = option(v, &o, args);
			break;
		case OPT_NO_VALUE:
			good = refuse(v, "no value for", o.word);
			break;
		case OPT_DASHES:
			break;
		case OPT_WORD:
			if (!*o.word)
				good = refuse(v, "empty argument", NULL);
			else if (args->nr == v->max)
				good = refuse(v, "one argument too many:", o.word);
			else
				args->names[args->nr++] = o.argv[-1];
			break;
		case OPT_STRAY_VALUE:
			good = refuse(v, "takes no value:", o.word);
			break;
		default:
			good = refuse(v, v->run == tgctl_run && args->nr ?
				      "COMMAND and its options stand behind --: unknown option" :
				      "unknown option", o.word);
			break;
		}
	}
	if (good && args->nr < v->min) {
		first = v->usage;
		while (*first == '[' || *first == '-')		/* options in front of it */
			first += strcspn(first, *first == '[' ? "]" : " ") + 1 + (*first == '[');
		for (i = 0; i < args->nr; i++) {		/* arguments that are there */
			first += strcspn(first, " ");
			first += strspn(first, " ");
		}
		snprintf(missing, sizeof(missing), "no %.*s", (int)strcspn(first, " ."), first);
		good = refuse(v, missing, NULL);
	}
	return good ? PARSED : WRONG;
}

/* `--host WHERE` before the verb. Return: how many arguments that were, or -1. */
static int choose_host(char **argv)
{
	struct opts o = { .table = host_option, .argv = argv };

	switch (opt_next(&o)) {
	case OPT_GIVEN:
		return host_choose(o.value) ? (int)(o.argv - argv) : -1;
	case OPT_NO_VALUE:
		host_choose("");	/* for its message */
		return -1;
	default:
		return 0;
	}
}

static enum tgctl_status run(int argc, char **argv)
{
	int skip = argc > 1 ? choose_host(argv + 1) : 0;
	struct opts first = { .table = no_options };
	const struct tgctl_verb *v;
	struct tgctl_args args = { 0 };

	if (skip < 0)
		return TGCTL_USAGE;
	argc -= skip;
	argv += skip;
	first.argv = argv + 1;
	if (argc < 2) {
		tgctl_error("no verb; see tgctl --help");
		return TGCTL_USAGE;
	}
	switch (opt_next(&first)) {
	case OPT_HELP:
		if (argc > 2) {
			tgctl_error("--help stands alone; `tgctl help VERB` tells of one verb");
			return TGCTL_USAGE;
		}
		help_all();
		return TGCTL_OK;
	case OPT_VERSION:
		opt_version("tgctl");
		return TGCTL_OK;
	case OPT_LIST:
		list_all();
		return TGCTL_OK;
	default:
		break;
	}
	if (argv[1][0] == '-') {
		tgctl_error("unknown option '%s'; the verb comes first, see tgctl --help", argv[1]);
		return TGCTL_USAGE;
	}
	v = find_verb(argv[1]);
	if (!v)
		return TGCTL_USAGE;
	args.names = tgctl_alloc(NULL, argc * sizeof(*args.names));
	switch (parse(v, argv + 2, &args)) {
	case PARSED:
		args.names[args.nr] = NULL;	/* there is room: the verb is no name */
		return v->run(&args);
	case PRINTED:
		return TGCTL_OK;
	default:
		return TGCTL_USAGE;
	}
}

int main(int argc, char **argv)
{
	enum tgctl_status status = run(argc, argv);

	return tgctl_flush() ? status : TGCTL_FAILED;
}
