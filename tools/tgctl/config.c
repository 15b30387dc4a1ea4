// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl save: what is in force, as a specification that brings all of it back: the policy, the
 * knobs that differ from their defaults, the clients. And why a specification has no effect.
 *
 * The text that was loaded is kept as it is, comments too, as long as the policy and the knobs in
 * force are those that it names. If they are not, its lines of policy and knobs go, and new ones
 * stand at its head. What is saved, loaded and saved again is the same, byte for byte.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/policy.h>

#include "lines.h"
#include "settings.h"
#include "spec.h"
#include "sysfs.h"
#include "write.h"

/* The value of a file that may be missing or not for us; NULL then. */
static char *quiet_value(const char *name)
{
	return sysfs_readable(name) ? sysfs_read_value(name) : NULL;
}

const char *tgctl_no_effect(void)
{
	static char line[160];
	char *dry = quiet_value("knobs/dry_run"), *policy = quiet_value("policy");

	line[0] = '\0';
	if (dry && !strcmp(dry, "1"))
		snprintf(line, sizeof(line),
			 "a dry run: nothing is delayed; tgctl knob dry_run 0 ends it");
	else if (policy && (!strcmp(policy, "fifo") || !strcmp(policy, "none")))
		snprintf(line, sizeof(line), "policy %s delays nothing: priorities and reserves "
			 "have no effect; tgctl policy timegraph", policy);
	free(dry);
	free(policy);
	return *line ? line : NULL;
}

/* The value that @spec gives the knob with the file @name; false: it does not name it. */
static bool named(const struct tg_spec *spec, const char *name, s64 *value)
{
	const struct tg_policy *policy = spec->policy < 0 ? NULL : tg_policy_get(spec->policy);
	const struct tg_spec_knob *knob;
	char full[300];

	for (knob = spec->knobs; knob < spec->knobs + spec->nr_knobs; knob++) {
		if (knob->of == TG_KNOB_OF_POLICY)
			snprintf(full, sizeof(full), "%s_%s", policy->name,
				 policy->params[knob->nr].name);
		else
			snprintf(full, sizeof(full), "%s", knob->of == TG_KNOB_OF_CORE ?
				 tg_core_params[knob->nr].name : tg_host_params[knob->nr].name);
		*value = knob->value;
		if (!strcmp(full, name))
			return true;
	}
	return false;
}

/*
 * Writes `knob` lines for those that differ from their defaults. @same becomes false where @spec
 * says something else. Return: false, after a message.
 */
static bool put_knobs(FILE *to, const struct tg_spec *spec, bool *same)
{
	char **knobs = settings_knobs();
	long long value, usual;
	s64 wanted;

	for (; knobs && *knobs; knobs++) {
		if (!settings_value(*knobs, "", &value) ||
		    !settings_value(*knobs, "_default", &usual))
			return false;
		if (value != usual)
			fprintf(to, "knob %s %lld\n", *knobs, value);
		if (!named(spec, *knobs, &wanted))
			wanted = usual;
		*same &= wanted == value;
	}
	return knobs;
}

/* Is line @nr one that sets the policy or a knob? */
static bool sets(const struct tg_spec *spec, u32 nr)
{
	u32 i;

	if (spec->policy >= 0 && spec->policy_at.line == nr)
		return true;
	for (i = 0; i < spec->nr_knobs; i++)
		if (spec->knobs[i].at.line == nr)
			return true;
	return false;
}

/* The text without its lines of policy and knobs. */
static void put_rest(FILE *to, const struct tg_spec *spec, u32 len)
{
	u32 at, end, line = 1;

	for (at = 0; at < len; at = end, line++) {
		for (end = at; end < len && spec->text[end++] != '\n';)
			;
		if (!sets(spec, line))
			fwrite(spec->text + at, 1, end - at, to);
	}
}

/* What is in force, as @spec says of @len bytes and the module of the rest; NULL after a message. */
static char *compose(const struct tg_spec *spec, u32 len, size_t *size)
{
	char *policy = sysfs_read_value("policy"), *text = NULL;
	FILE *to = open_memstream(&text, size);
	bool same, good;

	if (!policy || !to)
		return NULL;
	same = spec->policy >= 0 && !strcmp(tg_policy_get(spec->policy)->name, policy);
	fprintf(to, "policy %s\n", policy);
	good = put_knobs(to, spec, &same);
	put_rest(to, spec, len);
	free(policy);
	if (fclose(to) || !good)
		return NULL;
	if (!same)
		return text;
	free(text);
	*size = len;
	return memcpy(tgctl_alloc(NULL, len + 1), spec->text, len);
}

char *config_in_force(size_t *size)
{
	struct tg_spec spec;
	size_t len;
	char *text;

	spec.text = sysfs_read("spec", &len);
	if (!spec.text || !spec_parse_bytes(&spec, len, sysfs_path("spec")))
		return NULL;
	text = compose(&spec, len, size);
	free(spec.entries);
	free((char *)spec.text);
	return text;
}

enum tgctl_status tgctl_save(const struct tgctl_args *args)
{
	const char *file = args->nr ? args->names[0] : "-";
	struct tg_spec saved;
	size_t size;
	char *text = config_in_force(&size);

	/* Lines of `tgctl run` end with its programs. */
	size = text ? lines_strip(text, size) : 0;
	saved.text = text;
	/* What cannot be loaded is not worth saving: one that has become too long. */
	if (!text || !spec_parse_bytes(&saved, size, "what is in force"))
		return TGCTL_FAILED;
	return write_whole(file, text, size, true) ? TGCTL_OK : TGCTL_FAILED;
}
