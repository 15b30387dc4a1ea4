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
	{ "load", "--rematch", 1, 1, tgctl_load, "FILE [--rematch]",
	  "put a specification in force",
	  "Checks FILE ('-': standard input) as `check` does, and sends it to the module only when\n"
	  "it is right: all of it or nothing. It decides about channels that are opened from then\n"
	  "on; with --rematch, about running clients too.\n" },
	{ "check", NULL, 1, -1, tgctl_check, "FILE...",
	  "check specifications, without the module",
	  "Says for each FILE ('-': standard input) how many entries it has, or what is wrong first\n"
	  "and where: FILE:LINE:COLUMN: what is wrong; what would be right.\n" },
	{ "policy", NULL, 0, 1, tgctl_policy, "[NAME]",
	  "print the policy in force, or switch to NAME",
	  "A name that the module does not know is answered with those that it knows.\n" },
	{ "clients", "--json", 0, 0, tgctl_clients, "[--json]",
	  "show the processes that use the GPU",
	  "One consistent reading of all of them. Times are in microseconds.\n" },
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

/* Sorts the arguments behind the verb into options and names; @args->names has room. */
static bool parse(const struct tgctl_verb *v, char **argv, struct tgctl_args *args)
{
	bool options = true;

	for (; *argv; argv++) {
		char *arg = *argv;

		if (options && !strcmp(arg, "--")) {
			options = false;
		} else if (options && arg[0] == '-' && arg[1]) {
			if (!v->flag || strcmp(arg, v->flag))
				return refuse(v, "unknown option", arg);
			if (args->flag)
				return refuse(v, "repeated option", arg);
			args->flag = true;
		} else {
			if (!*arg)
				return refuse(v, "empty argument", NULL);
			if (args->nr == v->max)
				return refuse(v, "one argument too many:", arg);
			args->names[args->nr++] = arg;
		}
	}
	if (args->nr < v->min)
		return refuse(v, "no FILE", NULL);
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
