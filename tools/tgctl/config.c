// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl save: what is in force, as a specification that brings all of it back: the policy, the
 * knobs that differ from their defaults, the clients. And why a specification has no effect.
 *
 * The text that was loaded is kept as it is, comments too, as long as the policy and the knobs in
 * force are those that it names. If they are not, its lines of policy and knobs go, and new ones
 * stand at its head; and its virtual GPUs, if somebody has changed them in vgpus/, at its end. What
 * is saved, loaded and saved again is the same, byte for byte.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/policy.h>

#include "host.h"
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

const char *tgctl_no_effect_of(const char *policy, bool dry)
{
	static char line[160];

	if (dry)
		return "a dry run: nothing is delayed; tgctl knob dry_run 0 ends it";
	if (strcmp(policy, "fifo") && strcmp(policy, "none"))
		return NULL;
	snprintf(line, sizeof(line), "policy %s: priorities and reserves have no effect; tgctl policy timegraph",
		 policy);
	return line;
}

const char *tgctl_no_effect(void)
{
	char *dry = quiet_value("knobs/dry_run"), *policy = quiet_value("policy");
	const char *why = tgctl_no_effect_of(policy ?: "", dry && !strcmp(dry, "1"));

	free(dry);
	free(policy);
	return why;
}

/* The file of a knob that @spec names. */
static void knob_file(const struct tg_spec *spec, const struct tg_spec_knob *knob, char full[300])
{
	const struct tg_policy *policy = spec->policy < 0 ? NULL : tg_policy_get(spec->policy);

	if (knob->of == TG_KNOB_OF_POLICY)
		snprintf(full, 300, "%s_%s", policy->name, policy->params[knob->nr].name);
	else
		snprintf(full, 300, "%s", knob->of == TG_KNOB_OF_CORE ?
			 tg_core_params[knob->nr].name : tg_host_params[knob->nr].name);
}

/* The value that @spec gives the knob with the file @name; false: it does not name it. */
static bool named(const struct tg_spec *spec, const char *name, s64 *value)
{
	const struct tg_spec_knob *knob;
	char full[300];

	for (knob = spec->knobs; knob < spec->knobs + spec->nr_knobs; knob++) {
		knob_file(spec, knob, full);
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

/* Does line @nr set a policy or a knob that is not in force any more? */
static bool outdated(const struct tg_spec *spec, u32 nr)
{
	const struct tg_spec_knob *knob = spec->knobs;
	char *policy = spec->policy < 0 ? NULL : sysfs_read_value("policy"), full[300];
	const bool other = policy && strcmp(tg_policy_get(spec->policy)->name, policy);
	long long value;

	free(policy);
	if (spec->policy >= 0 && spec->policy_at.line == nr)
		return other;
	while (knob < spec->knobs + spec->nr_knobs && knob->at.line != nr)
		knob++;
	if (knob == spec->knobs + spec->nr_knobs)
		return false;
	knob_file(spec, knob, full);
	return (other && knob->of == TG_KNOB_OF_POLICY) || !settings_value(full, "", &value) ||
	       value != knob->value;
}

/* Is line @nr a virtual GPU? */
static bool is_vgpu(const struct tg_spec *spec, u32 nr)
{
	u32 i;

	for (i = 0; i < spec->nr_vgpus; i++)
		if (spec->vgpus[i].line == nr)
			return true;
	return false;
}

/* The text without some of its lines; with @vgpus (NULL: it keeps its own) in place of its virtual GPUs. */
static void put_rest(FILE *to, const struct tg_spec *spec, u32 len,
		     bool (*drop)(const struct tg_spec *spec, u32 nr), const char *vgpus)
{
	u32 at, end, line = 1;

	for (at = 0; at < len; at = end, line++) {
		for (end = at; end < len && spec->text[end++] != '\n';)
			;
		if (!drop(spec, line) && !(vgpus && is_vgpu(spec, line)))
			fwrite(spec->text + at, 1, end - at, to);
	}
	if (vgpus)
		fprintf(to, "%s%s", len && spec->text[len - 1] != '\n' ? "\n" : "", vgpus);
}

/* A value of the place @nr for a virtual GPU; NULL: the host does not show it, as tgd does not. */
static char *vgpu_value(u32 nr, const char *file)
{
	char name[32];

	if (host_is_user())
		return NULL;
	snprintf(name, sizeof(name), "vgpus/%u/%s", nr, file);
	return quiet_value(name);
}

/*
 * Writes the virtual GPUs that there are, as lines, to @to. Return: they are those of @spec; else
 * somebody has changed them by hand since.
 */
static bool put_vgpus(FILE *to, const struct tg_spec *spec)
{
	static const char *const files[TG_VGPU_SHARES] = { "compute", "copy", "memory" };
	u32 nr, i, k, same = 0, all = 0;
	char *name, *value;
	bool equal;

	for (nr = 1; nr <= TG_VGPUS_MAX; nr++) {
		name = vgpu_value(nr, "name");
		if (!name && nr == 1)
			return true;
		if (name && *name) {
			for (i = 0; i < spec->nr_vgpus; i++)
				if (spec->vgpus[i].name.len == strlen(name) &&
				    !memcmp(spec->text + spec->vgpus[i].name.off, name, strlen(name)))
					break;
			equal = i < spec->nr_vgpus;
			fprintf(to, "[vgpu \"%s\"]", name);
			for (k = 0; k < TG_VGPU_SHARES; k++) {
				value = vgpu_value(nr, files[k]);
				fprintf(to, " : %s", value ? value : "1");
				equal &= equal && value && atoi(value) == spec->vgpus[i].share[k];
				free(value);
			}
			fputc('\n', to);
			all++;
			same += equal;
		}
		free(name);
	}
	return same == all && all == spec->nr_vgpus;
}

/* The same into memory: the lines, or NULL after a message. */
static char *vgpus_of(const struct tg_spec *spec, bool *same)
{
	char *lines = NULL;
	size_t size;
	FILE *to = open_memstream(&lines, &size);

	*same = to && put_vgpus(to, spec);
	if (to && !fclose(to))
		return lines;
	tgctl_error("out of memory");
	return NULL;
}

/* What is in force, as @spec says of @len bytes and the module of the rest; NULL after a message. */
static char *compose(const struct tg_spec *spec, u32 len, size_t *size)
{
	char *policy = sysfs_read_value("policy"), *text = NULL, *vgpus;
	FILE *to = open_memstream(&text, size);
	bool same, same_vgpus, good;

	vgpus = policy && to ? vgpus_of(spec, &same_vgpus) : NULL;
	if (!vgpus)
		return NULL;
	same = spec->policy >= 0 && !strcmp(tg_policy_get(spec->policy)->name, policy);
	fprintf(to, "policy %s\n", policy);
	good = put_knobs(to, spec, &same);
	put_rest(to, spec, len, sets, same_vgpus ? NULL : vgpus);
	free(policy);
	free(vgpus);
	if (fclose(to) || !good)
		return NULL;
	if (!same || !same_vgpus)
		return text;
	free(text);
	*size = len;
	return memcpy(tgctl_alloc(NULL, len + 1), spec->text, len);
}

/* The text in force, parsed; false after a message. */
static bool read_spec(struct tg_spec *spec, size_t *len)
{
	spec->text = sysfs_read("spec", len);
	return spec->text && spec_parse_bytes(spec, *len, sysfs_path("spec"));
}

static void free_spec(struct tg_spec *spec)
{
	free(spec->entries);
	free((char *)spec->text);
}

char *config_kept(size_t *size)
{
	char *text = NULL, *vgpus;
	struct tg_spec spec;
	bool same;
	size_t len;
	FILE *to;

	if (!read_spec(&spec, &len))
		return NULL;
	vgpus = vgpus_of(&spec, &same);
	to = vgpus ? open_memstream(&text, size) : NULL;
	if (to)
		put_rest(to, &spec, len, outdated, same ? NULL : vgpus);
	if (vgpus && (!to || fclose(to))) {
		tgctl_error("out of memory");
		text = NULL;
	}
	free(vgpus);
	free_spec(&spec);
	return text;
}

enum tgctl_status tgctl_save(const struct tgctl_args *args)
{
	const char *file = args->nr ? args->names[0] : "-";
	struct tg_spec spec, saved;
	size_t len, size;
	char *text;

	if (!read_spec(&spec, &len))
		return TGCTL_FAILED;
	text = compose(&spec, len, &size);
	/* Lines of `tgctl run` end with its programs. */
	size = text ? lines_strip(text, size) : 0;
	saved.text = text;
	/* What cannot be loaded is not worth saving: one that has become too long. */
	if (!text || !spec_parse_bytes(&saved, size, "what is in force"))
		return TGCTL_FAILED;
	return write_whole(file, text, size, true) ? TGCTL_OK : TGCTL_FAILED;
}
