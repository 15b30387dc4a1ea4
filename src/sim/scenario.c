// SPDX-License-Identifier: GPL-2.0
/*
 * Text to scenario (docs/man/tgsim-scenario.5): lines, sections, and the spec. What the value of a
 * key means is in scenario_keys.c. Called by tgsim before a run. One thread.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

#include "mem.h"
#include "scenario_priv.h"

int tgs_fail(struct parser *p, const char *format, ...)
{
	va_list args;
	int n = snprintf(p->error, TGS_MESSAGE, "line %u: ", p->line);

	va_start(args, format);
	vsnprintf(p->error + n, TGS_MESSAGE - n, format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- sections --------------------------------------------------------------------------- */

static void append(char **text, u32 *len, const char *what)
{
	u32 n = strlen(what);

	*text = tgs_grow(*text, *len + n + 1, 1);
	memcpy(*text + *len, what, n + 1);
	*len += n;
}

/* Append NAME:VALUE to the clients' own spec lines; @value is what stands after `spec =`. */
static void add_spec_line(struct parser *p, const char *value)
{
	u32 len = p->lines ? strlen(p->lines) : 0;

	append(&p->lines, &len, p->client->name);
	append(&p->lines, &len, ":");
	append(&p->lines, &len, value);
	append(&p->lines, &len, "\n");
}

static struct tgs_gpu_conf *add_gpu(struct tgs_scenario *s, const char *name)
{
	struct tgs_gpu_conf *gpu;

	s->gpus = tgs_grow(s->gpus, s->nr_gpus + 1, sizeof(*s->gpus));
	gpu = &s->gpus[s->nr_gpus++];
	*gpu = (struct tgs_gpu_conf){ .policy = tg_policy_find("timegraph", 9), .engines = 1,
				      .poll = 3 * TG_USEC / 2 };
	strcpy(gpu->name, name);
	return gpu;
}

static struct tgs_client_conf *add_client(struct tgs_scenario *s, const char *name)
{
	struct tgs_client_conf *client;

	s->clients = tgs_grow(s->clients, s->nr_clients + 1, sizeof(*s->clients));
	client = &s->clients[s->nr_clients++];
	*client = (struct tgs_client_conf){ .count = 1, .channels = 1, .engines = 1,
					    .stop = TG_NEVER, .deadline = TG_NEVER };
	strcpy(client->name, name);
	return client;
}

static int end_section(struct parser *p)
{
	struct tgs_client_conf *client = p->client;

	if (p->section != CLIENT)
		return 0;
	if (!p->arrival)
		return tgs_fail(p, "client %s has no arrival", client->name);
	if (!p->cost && client->arrival.kind != TGS_TRACE)
		return tgs_fail(p, "client %s has no cost", client->name);
	if (p->cost && client->arrival.kind == TGS_TRACE)
		return tgs_fail(p, "client %s has a cost, and a trace that tells its costs",
				client->name);
	if (client->engines >> p->s->gpus[client->gpu].engines)
		return tgs_fail(p, "client %s uses an engine that GPU %s does not have",
				client->name, p->s->gpus[client->gpu].name);
	if (!p->depth && client->arrival.kind <= TGS_BACK_TO_BACK)
		client->depth = 1;
	if (!client->depth && client->arrival.kind == TGS_BACK_TO_BACK)
		return tgs_fail(p, "client %s submits back to back without limit; depth = N wanted",
				client->name);
	if (!p->deadline && client->arrival.kind == TGS_PERIODIC)
		client->deadline = client->arrival.gap;
	return 0;
}

static bool name_is_good(const char *name)
{
	u32 i;

	for (i = 0; name[i]; i++)
		if (!isalnum(name[i]) && !strchr("-_.", name[i]))
			return false;
	return i > 0 && i < TGS_NAME_LEN;
}

static int begin_section(struct parser *p, char *line)
{
	char *end = strchr(line, ']');
	char *kind = strtok(line + 1, " \t]");
	char *name = strtok(NULL, " \t]");
	struct tgs_scenario *s = p->s;
	u32 i;
	int err = end_section(p);

	if (err)
		return err;
	if (!end || end[1] || !kind || strtok(NULL, " \t]"))
		return tgs_fail(p, "[gpu NAME], [client NAME] or [spec] wanted");
	if (!strcmp(kind, "spec") && !name) {
		p->section = SPEC;
		return 0;
	}
	if ((strcmp(kind, "gpu") && strcmp(kind, "client")) || !name || !name_is_good(name))
		return tgs_fail(p, "[gpu NAME], [client NAME] or [spec] wanted; a name is 1 to %d "
				"letters, digits, '-', '_', '.'", TGS_NAME_LEN - 1);
	if (!strcmp(kind, "gpu")) {
		if (s->nr_clients)
			return tgs_fail(p, "GPU after a client; GPUs come first");
		for (i = 0; i < s->nr_gpus; i++)
			if (!strcmp(s->gpus[i].name, name))
				return tgs_fail(p, "GPU '%s' is there already", name);
		p->section = GPU;
		p->gpu = add_gpu(s, name);
		return 0;
	}
	for (i = 0; i < s->nr_clients; i++)
		if (!strcmp(s->clients[i].name, name))
			return tgs_fail(p, "client '%s' is there already", name);
	if (!s->nr_gpus)
		add_gpu(s, "gpu");
	p->section = CLIENT;
	p->client = add_client(s, name);
	p->arrival = false;
	p->cost = false;
	p->depth = false;
	p->deadline = false;
	return 0;
}

static int parse_key(struct parser *p, char *line)
{
	static const char *const where[] = { "at the top", "in [gpu]", "in [client]" };
	char *value = strchr(line, '=');
	char *key, *word;
	int (*read)(struct parser *p);

	if (!value)
		return tgs_fail(p, "'%.40s' is not KEY = VALUE", line);
	*value++ = '\0';
	value += strspn(value, " \t");
	key = strtok(line, " \t");
	if (!key || strtok(NULL, " \t"))
		return tgs_fail(p, "one word wanted before '='");
	if (p->section == CLIENT && !strcmp(key, "spec")) {
		add_spec_line(p, value);
		return 0;
	}
	read = tgs_scenario_key(p->section, key);
	if (!read)
		return tgs_fail(p, "no key '%.40s' %s", key, where[p->section]);
	p->words = 0;
	for (word = strtok(value, " \t"); word; word = strtok(NULL, " \t")) {
		if (p->words == WORDS_MAX)
			return tgs_fail(p, "too many words after '%s'", key);
		p->word[p->words++] = word;
	}
	return read(p);
}

static int parse_line(struct parser *p, char *line)
{
	const char *text = line + strspn(line, " \t");
	char *hash, *end;

	if (p->section == SPEC && (*text != '[' || !strncmp(text, "[vgpu", 5))) {
		append(&p->s->spec, &p->s->spec_len, line);
		append(&p->s->spec, &p->s->spec_len, "\n");
		return 0;
	}
	hash = strchr(line, '#');
	if (hash)
		*hash = '\0';
	line += strspn(line, " \t\r");
	for (end = line + strlen(line); end > line && strchr(" \t\r", end[-1]); end--)
		;
	*end = '\0';
	if (!*line)
		return 0;
	return *line == '[' ? begin_section(p, line) : parse_key(p, line);
}

/* The spec is parsed here too, so that mistakes are reported before anything runs. */
static int check_spec(struct parser *p)
{
	struct tgs_scenario *s = p->s;
	struct tg_spec_error error;
	struct tg_spec spec;
	int err;

	if (p->lines)
		append(&s->spec, &s->spec_len, p->lines);
	if (!s->spec)
		return 0;
	if (s->spec_len > TG_SPEC_TEXT_MAX) {
		snprintf(p->error, TGS_MESSAGE, "spec of %u bytes; at most %u", s->spec_len,
			 TG_SPEC_TEXT_MAX);
		return -EINVAL;
	}
	spec.text = s->spec;
	spec.entries = tgs_alloc(tg_spec_room(s->spec, s->spec_len), sizeof(*spec.entries));
	err = tg_spec_parse(&spec, s->spec_len, &error);
	if (err)
		snprintf(p->error, TGS_MESSAGE, "line %u of the spec ([spec], then the clients' "
			 "own lines), column %u: %s; %s wanted", error.line, error.column,
			 error.what, error.want);
	if (!err && (spec.policy >= 0 || spec.nr_knobs)) {
		snprintf(p->error, TGS_MESSAGE, "line %u of the spec: a scenario has its policy and "
			 "knobs in [gpu]", spec.policy >= 0 ? spec.policy_at.line :
			 spec.knobs[0].at.line);
		err = -EINVAL;
	}
	free(spec.entries);
	return err;
}

int tgs_scenario_parse(struct tgs_scenario *s, const char *text, const char *dir, char *error)
{
	struct parser p = { .s = s, .dir = dir, .error = error };
	u32 len = strlen(text) + 1;
	char *copy = memcpy(tgs_alloc(len, 1), text, len);
	char *line, *next;
	int err = 0;

	memset(s, 0, sizeof(*s));
	for (line = copy; line && !err; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p.line++;
		err = parse_line(&p, line);
	}
	if (!err)
		err = end_section(&p);
	if (!err && !s->duration)
		err = tgs_fail(&p, "duration is missing; duration = TIME wanted at the top");
	if (!err && !s->nr_clients)
		err = tgs_fail(&p, "no client; at least one [client NAME] wanted");
	if (!err)
		err = check_spec(&p);
	free(p.lines);
	free(copy);
	return err;
}

void tgs_scenario_deinit(struct tgs_scenario *s)
{
	u32 i;

	for (i = 0; i < s->nr_clients; i++) {
		free(s->clients[i].arrival.trace);
		free(s->clients[i].nice);
	}
	for (i = 0; i < s->nr_gpus; i++)
		free(s->gpus[i].then);
	free(s->clients);
	free(s->gpus);
	free(s->spec);
	memset(s, 0, sizeof(*s));
}
