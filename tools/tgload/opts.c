// SPDX-License-Identifier: GPL-2.0
/*
 * The command line: one table of options, one loop over the arguments. Called once by main.c.
 */
#include "opts.h"

#include <stdio.h>
#include <string.h>

#include "units.h"

enum opt_type {
	OPT_TIME,
	OPT_NUMBER,
	OPT_NAME,
	OPT_PATH,
	OPT_KIND,
	OPT_SUBMIT,
	OPT_FLAG,
};

static const struct opt {
	const char *name;
	enum opt_type type;
	size_t offset;
	uint64_t min, max;
	const char *range;
} options[] = {
	{ "name", OPT_NAME, offsetof(struct tgl_opts, name), 0, 0, NULL },
	{ "device", OPT_PATH, offsetof(struct tgl_opts, device), 0, 0, NULL },
	{ "kind", OPT_KIND, offsetof(struct tgl_opts, kind), 0, 0, NULL },
	{ "cost", OPT_TIME, offsetof(struct tgl_opts, cost_ns),
	  1, 60 * TGL_NS_PER_SEC, "1ns to 60s" },
	{ "vary", OPT_NUMBER, offsetof(struct tgl_opts, vary), 0, 100, "0 to 100" },
	{ "seed", OPT_NUMBER, offsetof(struct tgl_opts, seed), 0, UINT32_MAX, "0 to 4294967295" },
	{ "every", OPT_TIME, offsetof(struct tgl_opts, every_ns),
	  0, 3600 * TGL_NS_PER_SEC, "0 to 3600s" },
	{ "groups", OPT_NUMBER, offsetof(struct tgl_opts, groups), 1, 1000, "1 to 1000" },
	{ "think", OPT_TIME, offsetof(struct tgl_opts, think_ns),
	  0, 3600 * TGL_NS_PER_SEC, "0 to 3600s" },
	{ "prepare", OPT_TIME, offsetof(struct tgl_opts, prepare_ns),
	  0, 3600 * TGL_NS_PER_SEC, "0 to 3600s" },
	{ "mem", OPT_NUMBER, offsetof(struct tgl_opts, mem), 0, 65536, "0 to 65536" },
	{ "vsync", OPT_TIME, offsetof(struct tgl_opts, vsync_ns),
	  TGL_NS_PER_US, 60 * TGL_NS_PER_SEC, "1us to 60s" },
	{ "depth", OPT_NUMBER, offsetof(struct tgl_opts, depth), 1, 64, "1 to 64" },
	{ "channels", OPT_NUMBER, offsetof(struct tgl_opts, channels), 1, 16, "1 to 16" },
	{ "for", OPT_TIME, offsetof(struct tgl_opts, for_ns),
	  1, 24 * 3600 * TGL_NS_PER_SEC, "1ns to a day" },
	{ "count", OPT_NUMBER, offsetof(struct tgl_opts, count),
	  1, 1000000000, "1 to 1000000000" },
	{ "stopped", OPT_FLAG, offsetof(struct tgl_opts, stopped), 0, 0, NULL },
	{ "submit", OPT_SUBMIT, offsetof(struct tgl_opts, exec), 0, 0, NULL },
	{ "verify", OPT_FLAG, offsetof(struct tgl_opts, verify), 0, 0, NULL },
	{ "json", OPT_FLAG, offsetof(struct tgl_opts, json), 0, 0, NULL },
};

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

static const char *set_number(const struct opt *opt, uint64_t *number, const char *value)
{
	const char *wrong;
	uint64_t n;

	wrong = opt->type == OPT_TIME ? tgl_parse_time(value, &n) : tgl_parse_count(value, &n);
	if (wrong)
		return wrong;
	if (n < opt->min || n > opt->max)
		return opt->range;
	*number = n;
	return NULL;
}

/* Returns NULL, or what is wrong with the value; the range alone if it is out of that. */
static const char *set_option(const struct opt *opt, struct tgl_opts *opts, const char *value)
{
	void *field = (char *)opts + opt->offset;

	switch (opt->type) {
	case OPT_NAME:
		return set_name(field, value);
	case OPT_PATH:
		*(const char **)field = value;
		return NULL;
	case OPT_KIND:
		return set_kind(field, value);
	case OPT_SUBMIT:
		return set_submit(field, value);
	case OPT_FLAG:
		*(int *)field = 1;
		return NULL;
	case OPT_TIME:
	case OPT_NUMBER:
		break;
	}
	return set_number(opt, field, value);
}

/* Finds the option that an argument names; *value is what follows '=', or NULL. */
static const struct opt *find_option(const char *arg, const char **value)
{
	size_t i, len;

	*value = strchr(arg, '=');
	len = *value ? (size_t)((*value)++ - arg) : strlen(arg);
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (strlen(options[i].name) == len && !strncmp(arg, options[i].name, len))
			return &options[i];
	return NULL;
}

enum tgl_parsed tgl_opts_parse(int argc, char **argv, struct tgl_opts *opts,
			       char *why, size_t why_size)
{
	int seen[ARRAY_SIZE(options)] = { 0 };
	int i;

	*opts = (struct tgl_opts) {
		.name = "tgload",
		.kind = TGL_COMPUTE,
		.cost_ns = TGL_NS_PER_MS,
		.groups = 1,
		.depth = 1,
		.channels = 1,
	};

	for (i = 1; i < argc; i++) {
		const char *arg = argv[i], *value, *wrong;
		const struct opt *opt;

		if (!strcmp(arg, "--help"))
			return TGL_HELP;
		if (strncmp(arg, "--", 2)) {
			snprintf(why, why_size, "%s: not an option; tgload --help lists them", arg);
			return TGL_BAD;
		}
		opt = find_option(arg + 2, &value);
		if (!opt) {
			snprintf(why, why_size, "%s: no such option; tgload --help lists them",
				 arg);
			return TGL_BAD;
		}
		if (seen[opt - options]++) {
			snprintf(why, why_size, "--%s: given twice", opt->name);
			return TGL_BAD;
		}
		if (opt->type == OPT_FLAG) {
			if (value) {
				snprintf(why, why_size, "--%s: takes no value", opt->name);
				return TGL_BAD;
			}
		} else if (!value) {
			if (i + 1 == argc) {
				snprintf(why, why_size, "--%s: its value is missing", opt->name);
				return TGL_BAD;
			}
			value = argv[++i];
		}
		wrong = set_option(opt, opts, value);
		if (wrong) {
			snprintf(why, why_size, "--%s %s: %s%s", opt->name, value,
				 wrong == opt->range ? "out of range, give " : "", wrong);
			return TGL_BAD;
		}
	}
	if (opts->mem && opts->exec) {
		snprintf(why, why_size, "--mem: only with --submit pushbuf");
		return TGL_BAD;
	}
	return TGL_RUN;
}
