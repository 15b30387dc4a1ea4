// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl stats: every file below stats/, as a table or as JSON.
 */
#include "stats.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"

#define STATS	"stats"

/* Names and values, alternating. */
struct values {
	char **strings;
	size_t nr;
};

static void append(struct values *v, char *s)
{
	v->strings = tgctl_alloc(v->strings, (v->nr + 1) * sizeof(*v->strings));
	v->strings[v->nr++] = s;
}

static bool collect(struct values *v, const char *dir)
{
	char **names, **name;
	bool ok = true;

	if (sysfs_list(dir, &names) < 0)
		return false;
	for (name = names; *name; name++) {
		size_t size = strlen(dir) + strlen(*name) + 2;
		char *path = tgctl_alloc(NULL, size);
		char *value;
		bool gone;

		snprintf(path, size, "%s/%s", dir, *name);
		free(*name);
		if (sysfs_is_dir(path)) {
			ok = ok && collect(v, path);
			free(path);
			continue;
		}
		/* A GPU may go with its files. The others are there as long as the module is. */
		gone = false;
		value = !ok ? NULL : strncmp(path, STATS "/gpu", strlen(STATS "/gpu")) ?
			sysfs_read_value(path) : sysfs_read_listed(path, &gone);
		ok = ok && (value || gone);
		if (value) {
			append(v, path);
			append(v, value);
		}
	}
	free(names);
	return ok;
}

/* A number as JSON writes it: digits, no zero in front, perhaps a minus. */
static bool is_number(const char *s)
{
	size_t digits;

	if (*s == '-')
		s++;
	digits = strspn(s, "0123456789");
	return digits && !s[digits] && (digits == 1 || *s != '0');
}

static void print_json(const struct values *v)
{
	struct json j = { .to = stdout };
	size_t i;

	json_open(&j, NULL, '{');
	for (i = 0; i < v->nr; i += 2) {
		const char *name = v->strings[i] + strlen(STATS "/");
		const char *value = v->strings[i + 1];

		json_line(&j);
		if (is_number(value))
			fputs(value, json_raw(&j, name));
		else
			json_string(&j, name, value);
	}
	puts(v->nr ? "\n}" : "}");
}

static void print_table(const struct values *v)
{
	struct table t = { .align = "lr" };
	size_t i;

	for (i = 0; i < v->nr; i += 2) {
		const char *name = v->strings[i] + strlen(STATS "/");
		const char *value = v->strings[i + 1];

		table_add(&t, name, strlen(name));
		table_add(&t, value, strlen(value));
	}
	table_print(&t);
}

enum tgctl_status tgctl_stats(const struct tgctl_args *args)
{
	struct values v = { 0 };

	if (!collect(&v, STATS))
		return TGCTL_FAILED;
	if (args->flag)
		print_json(&v);
	else
		print_table(&v);
	return TGCTL_OK;
}
