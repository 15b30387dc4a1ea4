// SPDX-License-Identifier: GPL-2.0
/*
 * The command line: one table of options, one walk over the arguments. Called once by main.c.
 */
#include "opts.h"

#include <string.h>

#include "lib/opt.h"
#include "units.h"

enum type { TIME, NUMBER, NAME, PATH, KIND, SUBMIT, FLAG };

#define HOUR	(3600 * TGL_NS_PER_SEC)

/*
 * Each row: the option, its value and its line of help; how the value is read, where it goes, the
 * least and the most that it may be, and how a message says that.
 */
#define OPTIONS(row)									\
	row("name", "COMM", "the process's name, at most 15 bytes (tgload)",		\
	    NAME, name, 0, 0, NULL)							\
	row("device", "NODE", "render node of the GPU (the first that nouveau drives)",	\
	    PATH, device, 0, 0, NULL)							\
	row("kind", "KIND", "compute, fill, copy or upload (compute)",			\
	    KIND, kind, 0, 0, NULL)							\
	row("cost", "TIME", "GPU time of a group (1ms)",				\
	    TIME, cost_ns, 1, 60 * TGL_NS_PER_SEC, "1ns to 60s")			\
	row("vary", "PERCENT", "frames cost up to so much less or more (0)",		\
	    NUMBER, vary, 0, 100, "0 to 100")						\
	row("seed", "N", "which costs they have then (0)",				\
	    NUMBER, seed, 0, UINT32_MAX, "0 to 4294967295")				\
	row("groups", "N", "groups in a frame (1)",					\
	    NUMBER, groups, 1, 1000, "1 to 1000")					\
	row("every", "TIME", "distance at which frames are due, 0 for back to back (0)",	\
	    TIME, every_ns, 0, HOUR, "0 to 3600s")					\
	row("vsync", "TIME", "frames are shown at ticks of this distance (no ticks)",	\
	    TIME, vsync_ns, TGL_NS_PER_US, 60 * TGL_NS_PER_SEC, "1us to 60s")		\
	row("think", "TIME", "pause on the CPU between groups (0)",			\
	    TIME, think_ns, 0, HOUR, "0 to 3600s")					\
	row("prepare", "TIME", "pause on the CPU before each frame (0)",		\
	    TIME, prepare_ns, 0, HOUR, "0 to 3600s")					\
	row("mem", "N", "MiB of VRAM that each frame asks for, uses and gives back (0)",	\
	    NUMBER, mem, 0, 65536, "0 to 65536")					\
	row("depth", "N", "groups in flight at once (1)",				\
	    NUMBER, depth, 1, 64, "1 to 64")						\
	row("channels", "N", "channels, each in a thread of its own (1)",		\
	    NUMBER, channels, 1, 16, "1 to 16")						\
	row("for", "TIME", "start no group after this time (no bound)",			\
	    TIME, for_ns, 1, 24 * HOUR, "1ns to a day")					\
	row("count", "N", "groups on each channel (no bound)",				\
	    NUMBER, count, 1, 1000000000, "1 to 1000000000")				\
	row("stopped", NULL, "stop (SIGSTOP) when all is set up, and begin at SIGCONT",	\
	    FLAG, stopped, 0, 0, NULL)							\
	row("submit", "HOW", "pushbuf or exec (pushbuf); exec: by VM_BIND and EXEC, on Fermi",	\
	    SUBMIT, exec, 0, 0, NULL)							\
	row("verify", NULL, "check after each group that it did its work",		\
	    FLAG, verify, 0, 0, NULL)							\
	row("json", NULL, "report as one line of JSON",					\
	    FLAG, json, 0, 0, NULL)

#define OPTION(name, arg, help, ...)	{ name, 0, arg, help },
static const struct opt options[] = { OPTIONS(OPTION) { 0 } };

#define SETTING(name, arg, help, type, field, min, max, range)	\
	{ type, offsetof(struct tgl_opts, field), min, max, range },
static const struct setting {
	enum type type;
	size_t offset;
	uint64_t min, max;
	const char *range;
} settings[] = { OPTIONS(SETTING) };

static const char * const kind_names[] = {
	[TGL_COMPUTE] = "compute",
	[TGL_FILL] = "fill",
	[TGL_COPY] = "copy",
	[TGL_UPLOAD] = "upload",
};

const char *tgl_kind_name(enum tgl_kind kind)
{
	return kind_names[kind];
}

static const char *set_name(const char **name, const char *value)
{
	if (!*value)
		return "the name is empty";
	if (strlen(value) > TGL_NAME_MAX)
		return "the kernel keeps 15 bytes of a name, give at most that";
	*name = value;
	return NULL;
}

static const char *set_kind(enum tgl_kind *kind, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kind_names); i++) {
		if (!strcmp(value, kind_names[i])) {
			*kind = i;
			return NULL;
		}
	}
	return "not a kind of work: give compute, fill, copy or upload";
}

static const char *set_submit(int *exec, const char *value)
{
	*exec = !strcmp(value, "exec");
	return *exec || !strcmp(value, "pushbuf") ? NULL :
	       "not a way to submit: give pushbuf or exec";
}

static const char *set_number(const struct setting *how, uint64_t *number, const char *value)
{
	const char *wrong;
	uint64_t n;

	wrong = how->type == TIME ? tgl_parse_time(value, &n) : tgl_parse_count(value, &n);
	if (wrong)
		return wrong;
	if (n < how->min || n > how->max)
		return how->range;
	*number = n;
	return NULL;
}

/* Returns NULL, or what is wrong with the value; the range alone if it is out of that. */
static const char *set(const struct setting *how, struct tgl_opts *opts, const char *value)
{
	void *field = (char *)opts + how->offset;

	switch (how->type) {
	case NAME:
		return set_name(field, value);
	case PATH:
		*(const char **)field = value;
		return NULL;
	case KIND:
		return set_kind(field, value);
	case SUBMIT:
		return set_submit(field, value);
	case FLAG:
		*(int *)field = 1;
		return NULL;
	case TIME:
	case NUMBER:
		break;
	}
	return set_number(how, field, value);
}

/* Says what is wrong with the argument that the walk has found; false: nothing, it is an option. */
static bool refuse(const struct opts *walk, enum opt_what what, char *why, size_t why_size)
{
	switch (what) {
	case OPT_NO_VALUE:
		snprintf(why, why_size, "--%s: its value is missing", walk->opt->name);
		return true;
	case OPT_STRAY_VALUE:
		snprintf(why, why_size, "--%s: takes no value", walk->opt->name);
		return true;
	case OPT_DASHES:
	case OPT_UNKNOWN:
		if (!strncmp(walk->word, "--", 2)) {
			snprintf(why, why_size, "%s: no such option; tgload --help lists them",
				 walk->word);
			return true;
		}
		break;
	case OPT_WORD:
		break;
	default:
		return false;
	}
	snprintf(why, why_size, "%s: not an option; tgload --help lists them", walk->word);
	return true;
}

enum tgl_parsed tgl_opts_parse(int argc, char **argv, struct tgl_opts *opts,
			       char *why, size_t why_size)
{
	struct opts walk = { .table = options, .argv = argv + (argc > 0) };
	bool seen[ARRAY_SIZE(settings)] = { 0 };
	const struct setting *how;
	enum opt_what what;
	const char *wrong;

	*opts = (struct tgl_opts) {
		.name = "tgload",
		.kind = TGL_COMPUTE,
		.cost_ns = TGL_NS_PER_MS,
		.groups = 1,
		.depth = 1,
		.channels = 1,
	};

	while ((what = opt_next(&walk)) != OPT_END) {
		if (refuse(&walk, what, why, why_size))
			return TGL_BAD;
		if (what == OPT_HELP)
			return TGL_HELP;
		if (what == OPT_VERSION)
			return TGL_VERSION;
		if (what == OPT_LIST)
			return TGL_LIST;
		how = &settings[walk.opt - options];
		if (seen[how - settings]) {
			snprintf(why, why_size, "--%s: given twice", walk.opt->name);
			return TGL_BAD;
		}
		seen[how - settings] = true;
		wrong = set(how, opts, walk.value);
		if (wrong) {
			snprintf(why, why_size, "--%s %s: %s%s", walk.opt->name, walk.value,
				 wrong == how->range ? "out of range, give " : "", wrong);
			return TGL_BAD;
		}
	}
	if (opts->mem && opts->exec) {
		snprintf(why, why_size, "--mem: only with --submit pushbuf");
		return TGL_BAD;
	}
	return TGL_RUN;
}

void tgl_opts_list(void)
{
	opt_list_all(options);
}

void tgl_opts_help(FILE *to)
{
	fputs("Usage: tgload [OPTION...]\n"
	      "Put a load on a GPU through nouveau and report rates and latencies.\n\n", to);
	opt_help(to, options, 19);
	opt_help(to, opt_standard, 19);
	fputs("\nTIME is a number and a unit, ns, us, ms or s, as in 16.7ms; 0 needs no unit.\n"
	      "Without --for and --count the load goes on until SIGINT or SIGTERM.\n"
	      "Exit status: 0 every group submitted completed, 1 an error, 2 wrong usage.\n", to);
}
