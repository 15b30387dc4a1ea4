// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl knob --describe: what the knobs do, out of the tables of the core and the policies, which
 * this program has as the module has them; what they are now, out of sysfs, if the module is there.
 */
#include "describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/gpu.h>
#include <tg/knobs.h>
#include <tg/policy.h>

#include "host.h"
#include "sysfs.h"

static const char *unit_of(const char *name)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = { { "_us", "microseconds" }, { "_kib", "KiB" },
		    { "_percent", "percent" } };
	size_t i, len = strlen(name), n;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		n = strlen(units[i].suffix);
		if (len > n && !strcmp(name + len - n, units[i].suffix))
			return units[i].unit;
	}
	return "a number";
}

/* What sysfs has in the file for @knob; as the table has it where the module is not there. */
static void bound(const char *label, const char *knob, const char *suffix, s64 value)
{
	char path[300];
	char *text = NULL;

	snprintf(path, sizeof(path), "knobs/%s%s", knob, suffix);
	if (sysfs_loaded())
		text = sysfs_read_value(path);
	if (text)
		printf("%s%s", label, text);
	else
		printf("%s%lld", label, (long long)value);
	free(text);
}

/* tgd has no knob of what only the kernel module has. */
static bool is_there(const char *knob)
{
	char path[300], *text;
	size_t len;

	if (!host_is_user() || !host_loaded())
		return true;
	snprintf(path, sizeof(path), "knobs/%s", knob);
	text = host_read(path, false, &len);
	free(text);
	return text;
}

/* Those of @params that are @wanted (NULL: all), each of three lines. Return: how many. */
static int describe(const char *policy, const struct tg_param *params, const char *wanted)
{
	char name[100];
	int found = 0;

	for (; params && params->name; params++) {
		snprintf(name, sizeof(name), "%s%s%s", policy, *policy ? "_" : "", params->name);
		if ((wanted && strcmp(name, wanted)) || !is_there(name))
			continue;
		found++;
		printf("%s\n    %s\n    ", name, params->about);
		if (sysfs_loaded())
			bound("now ", name, "", params->def);
		else
			printf("now unknown");
		bound(", default ", name, "_default", params->def);
		bound(", least ", name, "_min", params->min);
		bound(", most ", name, "_max", params->max);
		printf("; %s\n", unit_of(params->name));
	}
	return found;
}

/* A tgd that is there and does not answer would be asked for each knob; false: after a message. */
static bool answers(void)
{
	char *version;

	if (!host_is_user() || !host_loaded())
		return true;
	version = sysfs_read("version", NULL);
	free(version);
	return version;
}

enum tgctl_status describe_knobs(const char *wanted)
{
	const struct tg_policy *p;
	int found;
	u32 i;

	if (!answers())
		return TGCTL_FAILED;
	found = describe("", tg_core_params, wanted) + describe("", tg_host_params, wanted);
	for (i = 0; (p = tg_policy_get(i)); i++)
		found += describe(p->name, p->params, wanted);
	if (found)
		return TGCTL_OK;
	tgctl_error("no knob '%s'; `tgctl knob --describe` tells of all", wanted);
	return TGCTL_FAILED;
}
