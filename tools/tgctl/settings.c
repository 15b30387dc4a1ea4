// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl policy, tgctl knob, tgctl version: single values of the module. An unknown name is refused
 * with a list of the known ones, before anything is written.
 */
#include "settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"
#include "version.h"

/* Room for "knobs/", a file's name and "_default". */
#define PATH_SIZE	300

static bool known(char **names, const char *wanted)
{
	for (; *names; names++) {
		if (!strcmp(*names, wanted))
			return true;
	}
	return false;
}

static void refuse_unknown(const char *what, const char *wanted, char **names)
{
	char *list = NULL;
	size_t size;
	FILE *f = open_memstream(&list, &size);
	int i;

	if (!f) {
		tgctl_error("out of memory");
		return;
	}
	for (i = 0; names[i]; i++)
		fprintf(f, "%s%s", i ? ", " : "", names[i]);
	fclose(f);
	tgctl_error("unknown %s '%s'; known: %s", what, wanted, *list ? list : "none");
	free(list);
}

/* The lines of the file @name, NULL-terminated. */
static char **read_lines(const char *name)
{
	char *text = sysfs_read(name, NULL);
	char **lines = NULL;
	char *line;
	int nr = 0;

	if (!text)
		return NULL;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		lines = tgctl_alloc(lines, (nr + 2) * sizeof(*lines));
		lines[nr++] = line;
	}
	lines = tgctl_alloc(lines, (nr + 1) * sizeof(*lines));
	lines[nr] = NULL;
	return lines;
}

static enum tgctl_status print_value(const char *name)
{
	char *value = sysfs_read_value(name);

	if (!value)
		return TGCTL_FAILED;
	puts(value);
	free(value);
	return TGCTL_OK;
}

enum tgctl_status tgctl_policy(const struct tgctl_args *args)
{
	char **names;
	int err;

	if (!args->nr)
		return print_value("policy");
	names = read_lines("policies");
	if (!names)
		return TGCTL_FAILED;
	if (!known(names, args->names[0])) {
		refuse_unknown("policy", args->names[0], names);
		return TGCTL_FAILED;
	}
	err = sysfs_write_value("policy", args->names[0]);
	if (err)
		sysfs_explain("write", "policy", -err);
	return err ? TGCTL_FAILED : TGCTL_OK;
}

/* The name of a knob's file, or of one beside it, in @buf. */
static const char *knob_path(char buf[PATH_SIZE], const char *knob, const char *suffix)
{
	snprintf(buf, PATH_SIZE, "knobs/%s%s", knob, suffix);
	return buf;
}

char **settings_knobs(void)
{
	char **all, **knobs;
	char beside[PATH_SIZE];
	int nr, i, kept = 0;

	nr = sysfs_list("knobs", &all);
	if (nr < 0)
		return NULL;
	knobs = tgctl_alloc(NULL, (nr + 1) * sizeof(*knobs));
	for (i = 0; i < nr; i++) {
		snprintf(beside, sizeof(beside), "%s_min", all[i]);
		if (known(all, beside))
			knobs[kept++] = all[i];
	}
	knobs[kept] = NULL;
	return knobs;
}

static enum tgctl_status print_knobs(char **knobs)
{
	static const char *const heads[] = { "NAME", "VALUE", "MIN", "MAX", "DEFAULT" };
	static const char *const suffixes[] = { "", "_min", "_max", "_default" };
	struct table t = { .align = "lrrrr" };
	char path[PATH_SIZE];
	char *value;
	size_t i;

	for (i = 0; i < 5; i++)
		table_add(&t, heads[i], strlen(heads[i]));
	for (; *knobs; knobs++) {
		table_add(&t, *knobs, strlen(*knobs));
		for (i = 0; i < 4; i++) {
			value = sysfs_read_value(knob_path(path, *knobs, suffixes[i]));
			if (!value)
				return TGCTL_FAILED;
			table_add(&t, value, strlen(value));
			free(value);
		}
	}
	table_print(&t);
	return TGCTL_OK;
}

/* Digits, perhaps a minus, and within what a long long holds. */
static bool read_number(const char *s, long long *value)
{
	const char *digits = *s == '-' ? s + 1 : s;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return false;
	errno = 0;
	*value = strtoll(s, NULL, 10);
	return !errno;
}

bool settings_value(const char *knob, const char *suffix, long long *value)
{
	char path[PATH_SIZE];
	char *text = sysfs_read_value(knob_path(path, knob, suffix));
	bool ok;

	if (!text)
		return false;
	ok = read_number(text, value);
	if (!ok)
		tgctl_error("%s holds '%s', which is no number", sysfs_path(path), text);
	free(text);
	return ok;
}

/* Does its name say that it is in microseconds? */
static bool is_time(const char *knob)
{
	size_t len = strlen(knob);

	return len > 3 && !strcmp(knob + len - 3, "_us");
}

/* A number of microseconds, or a time with a unit. */
static bool read_time(const char *s, long long *us)
{
	s64 ns;

	if (read_number(s, us))
		return true;
	if (!tgctl_time(s, &ns) || ns % TG_USEC)
		return false;
	*us = ns / TG_USEC;
	return true;
}

static enum tgctl_status set_knob(const char *knob, const char *text)
{
	long long value, least, most;
	char path[PATH_SIZE];
	char number[32];
	int err;

	if (is_time(knob) && !read_time(text, &value)) {
		tgctl_error("knob: '%s' is no time; 2500, 2500us and 2.5ms are the same", text);
		return TGCTL_USAGE;
	}
	if (!is_time(knob) && !read_number(text, &value)) {
		tgctl_error("knob: '%s' is no value; a whole number is one", text);
		return TGCTL_USAGE;
	}
	if (!settings_value(knob, "_min", &least) || !settings_value(knob, "_max", &most))
		return TGCTL_FAILED;
	if (value < least || value > most) {
		tgctl_error("%s: %lld is out of range; %lld to %lld", knob, value, least, most);
		return TGCTL_FAILED;
	}
	snprintf(number, sizeof(number), "%lld", value);
	err = sysfs_write_value(knob_path(path, knob, ""), number);
	if (err == -EBUSY)
		tgctl_error("%s: its policy is not in force; switch to that policy first", knob);
	else if (err)
		sysfs_explain("write", path, -err);
	return err ? TGCTL_FAILED : TGCTL_OK;
}

enum tgctl_status tgctl_knob(const struct tgctl_args *args)
{
	char path[PATH_SIZE];
	char **knobs;

	if (args->flag && args->nr > 1) {
		tgctl_error("knob: --describe sets nothing; one KNOB at most");
		return TGCTL_USAGE;
	}
	if (args->flag)
		return describe_knobs(args->nr ? args->names[0] : NULL);
	knobs = settings_knobs();
	if (!knobs)
		return TGCTL_FAILED;
	if (!args->nr)
		return print_knobs(knobs);
	if (!known(knobs, args->names[0])) {
		refuse_unknown("knob", args->names[0], knobs);
		return TGCTL_FAILED;
	}
	if (args->nr == 1)
		return print_value(knob_path(path, args->names[0], ""));
	return set_knob(args->names[0], args->names[1]);
}

enum tgctl_status tgctl_version(const struct tgctl_args *args)
{
	char *version;

	(void)args;
	puts("tgctl " TIMEGRAPH_VERSION);
	if (!sysfs_loaded()) {
		puts("timegraph not loaded");
		return TGCTL_OK;
	}
	version = sysfs_read_value("version");
	if (!version)
		return TGCTL_FAILED;
	printf("timegraph %s\n", version);
	free(version);
	return TGCTL_OK;
}
