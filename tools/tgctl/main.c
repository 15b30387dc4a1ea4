// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl: control and observe timegraph.ko. This file is the command line: the table of verbs,
 * one reading of the arguments for all of them, and help.
 */
#include "tgctl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tg/types.h>

static enum tgctl_status help(const struct tgctl_args *args);

static const struct tgctl_verb verbs[] = {
	{ "load", "--new-only", 1, 1, tgctl_load, "FILE [--new-only]",
	  "put a specification in force",
	  "Checks FILE ('-': standard input) as `check` does, and sends it to the module only when\n"
	  "it is right: all of it or nothing. It decides about running clients, too; with\n"
	  "--new-only, only about channels that are opened from then on.\n" },
	{ "check", NULL, 1, -1, tgctl_check, "FILE...",
	  "check specifications, without the module",
	  "Says for each FILE ('-': standard input) how many entries it has, or what is wrong first\n"
	  "and where: FILE:LINE:COLUMN: what is wrong; what would be right.\n" },
	{ "admit", NULL, 1, 1, tgctl_admit, "FILE",
	  "limit what reserves may add up to",
	  "FILE ('-': standard input), /etc/timegraph.ac as a rule, holds one number: percent of the\n"
	  "GPU, 0 to 100. It decides about channels that are opened from then on, and about running\n"
	  "clients at the next `load`.\n" },
	{ "policy", NULL, 0, 1, tgctl_policy, "[NAME]",
	  "print the policy in force, or switch to NAME",
	  "A name that the module does not know is answered with those that it knows.\n" },
	{ "clients", "--json", 0, 0, tgctl_clients, "[--json]",
	  "show the processes that use the GPU",
	  "One consistent reading of all of them. Times are in microseconds.\n" },
	{ "top", "--once --json --every= --sort= --filter=", 0, 0, tgctl_top,
	  "[--once] [--json] [--every TIME] [--sort KEY] [--filter TEXT]",
	  "watch the clients",
	  "Shares, rates, waits and budgets, anew every second (--every 500ms: twice as often).\n"
	  "--once: one table, after one such time; --json: the same as JSON, on and on unless --once.\n"
	  "--sort: share, rate, latency, wait, gpu_time, prio, pid or comm. --filter: only clients\n"
	  "whose name or user or reserve contains TEXT. Keys are shown at the bottom; q ends it.\n" },
	{ "why", "--last= --trace=", 1, 1, tgctl_why, "CLIENT [--last N] [--trace FILE]",
	  "tell what a client's last waits were for",
	  "CLIENT: a number as `clients` shows it, a process's name, or pid=N. Needs the module's trace\n"
	  "(parameter trace_kib), or one that was recorded. Tells the last 3 waits, or N.\n" },
	{ "record", "--for= --gpu=", 1, 1, tgctl_record, "FILE [--for TIME] [--gpu N]",
	  "copy the module's trace to a file",
	  "At once, or after TIME. The trace begins when the module is loaded (parameter trace_kib).\n" },
	{ "plot", "--perfetto", 2, 2, tgctl_plot, "TRACE FILE [--perfetto]",
	  "draw who ran when, out of a trace",
	  "FILE ends in .png, .svg or .pdf (gnuplot draws); with --perfetto it is a JSON trace for\n"
	  "ui.perfetto.dev and chrome://tracing, with a track for each client and engine.\n" },
	{ "metrics", "--http", 0, 0, tgctl_metrics, "[--http]",
	  "print all counters as OpenMetrics",
	  "--http: as the answer to an HTTP request on standard input, for a systemd socket.\n" },
	{ "prio", "--rate-monotonic", 0, 2, tgctl_prio, "CLIENT PRIO | --rate-monotonic",
	  "set priorities of running clients",
	  "CLIENT is a number or a name (all clients of that name), as `clients` shows them; PRIO is 0\n"
	  "(lowest) to 99. With --rate-monotonic, clients with a reserve get 99 and less, those with the\n"
	  "shortest period the highest. It holds until the next `load`.\n" },
	{ "stats", "--json", 0, 0, tgctl_stats, "[--json]",
	  "show the counters of the module",
	  "Names are those of the files in stats/, in the order of their bytes.\n" },
	{ "knob", NULL, 0, 2, tgctl_knob, "[NAME [VALUE]]",
	  "list the knobs, print one, or set one",
	  "VALUE is a whole number within the knob's MIN and MAX; the unit is in its name.\n"
	  "A policy's knob starts with the policy's name, and is set while that is in force.\n" },
	{ "version", NULL, 0, 0, tgctl_version, "",
	  "print the versions of tgctl and of the module", "" },
	{ "help", NULL, 0, 1, help, "[VERB]",
	  "print help", "" },
};

void tgctl_error(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("tgctl: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

bool tgctl_time(const char *text, s64 *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "ns", 1 }, { "us", TG_USEC }, { "ms", TG_MSEC }, { "s", TG_SEC },
	};
	size_t i, digits = strspn(text, "0123456789.");
	double value;
	char *end;

	value = strtod(text, &end);
	for (i = 0; digits && end == text + digits && i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit) || value * units[i].ns > 1e15)
			continue;
		*ns = value * units[i].ns;
		return true;
	}
	return false;
}

void *tgctl_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (p)
		return p;
	tgctl_error("out of memory");
	exit(TGCTL_FAILED);
}

static const struct tgctl_verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	fflush(stdout);
	fprintf(stderr, "tgctl: unknown verb '%s'; known:", name);
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(stderr, "%s %s", i ? "," : "", verbs[i].name);
	fputc('\n', stderr);
	return NULL;
}

static void help_verb(const struct tgctl_verb *v)
{
	printf("usage: tgctl %s%s%s\n%c%s.\n%s", v->name, *v->usage ? " " : "", v->usage,
	       v->brief[0] - 'a' + 'A', v->brief + 1, v->text);
}

static void help_all(void)
{
	struct table t = { .align = "ll" };
	char line[80];
	size_t i;

	puts("usage: tgctl VERB [ARGUMENT...]\n"
	     "Controls and observes timegraph, the GPU scheduler in the kernel.\n");
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		snprintf(line, sizeof(line), "  %s %s", verbs[i].name, verbs[i].usage);
		table_add(&t, line, strlen(line));
		table_add(&t, verbs[i].brief, strlen(verbs[i].brief));
	}
	table_print(&t);
	puts("\nExit status: 0 done, 1 failed, 2 wrong command line.\n"
	     "`tgctl help VERB` says more, tgctl(8) all.");
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

/* The option at *@argv, and its value: behind `=` or in the next argument. */
static bool option(const struct tgctl_verb *v, char ***argv, struct tgctl_args *args)
{
	const char *known = v->flag ? v->flag : "";
	char *arg = **argv;
	size_t len;
	int nr;

	for (nr = 0; *known; nr++, known += strspn(known, " ")) {
		len = strcspn(known, " =");
		if (strncmp(arg, known, len) ||
		    (arg[len] && (known[len] != '=' || arg[len] != '='))) {
			known += strcspn(known, " ");
			continue;
		}
		if (args->option[nr])
			return refuse(v, "repeated option", arg);
		args->option[nr] = "";
		if (known[len] == '=') {
			args->option[nr] = arg[len] ? arg + len + 1 : *++*argv;
			if (!args->option[nr] || !*args->option[nr])
				return refuse(v, "no value for", arg);
		}
		args->flag = args->option[0];
		return true;
	}
	return refuse(v, "unknown option", arg);
}

/* Sorts the arguments behind the verb into options and names; @args->names has room. */
static bool parse(const struct tgctl_verb *v, char **argv, struct tgctl_args *args)
{
	bool options = true;
	char what[32];

	for (; *argv; argv++) {
		char *arg = *argv;

		if (options && !strcmp(arg, "--")) {
			options = false;
		} else if (options && arg[0] == '-' && arg[1]) {
			if (!option(v, &argv, args))
				return false;
		} else {
			if (!*arg)
				return refuse(v, "empty argument", NULL);
			if (args->nr == v->max)
				return refuse(v, "one argument too many:", arg);
			args->names[args->nr++] = arg;
		}
	}
	if (args->nr < v->min) {
		snprintf(what, sizeof(what), "no %.*s", (int)strcspn(v->usage, " ."), v->usage);
		return refuse(v, what, NULL);
	}
	return true;
}

static enum tgctl_status run(int argc, char **argv)
{
	const struct tgctl_verb *v;
	struct tgctl_args args = { 0 };

	if (argc < 2) {
		tgctl_error("no verb; see tgctl --help");
		return TGCTL_USAGE;
	}
	if (!strcmp(argv[1], "--help")) {
		if (argc > 2) {
			tgctl_error("--help stands alone; `tgctl help VERB` tells of one verb");
			return TGCTL_USAGE;
		}
		help_all();
		return TGCTL_OK;
	}
	if (argv[1][0] == '-') {
		tgctl_error("unknown option '%s'; the verb comes first, see tgctl --help", argv[1]);
		return TGCTL_USAGE;
	}
	v = find_verb(argv[1]);
	if (!v)
		return TGCTL_USAGE;
	if (argc == 3 && !strcmp(argv[2], "--help")) {
		help_verb(v);
		return TGCTL_OK;
	}
	args.names = tgctl_alloc(NULL, argc * sizeof(*args.names));
	return parse(v, argv + 2, &args) ? v->run(&args) : TGCTL_USAGE;
}

int main(int argc, char **argv)
{
	enum tgctl_status status = run(argc, argv);

	errno = EIO;	/* should an earlier write have failed and not this one */
	if (fflush(stdout) || ferror(stdout)) {
		tgctl_error("cannot write to standard output: %s", strerror(errno));
		return TGCTL_FAILED;
	}
	return status;
}
