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

static void append(struct text *t, const char *what)
{
	u32 n = strlen(what);

	t->text = tgs_grow(t->text, t->len + n + 1, 1);
	memcpy(t->text + t->len, what, n + 1);
	t->len += n;
}

static void end_line(struct parser *p, struct text *t)
{
	append(t, "\n");
	t->from = tgs_room(t->from, t->nr, sizeof(*t->from));
	t->from[t->nr++] = p->line;
}

/* Append NAME:VALUE to the clients' own spec lines; @value is what stands after `spec =`. */
static void add_spec_line(struct parser *p, const char *value)
{
	append(&p->own, p->client->name);
	append(&p->own, ":");
	append(&p->own, value);
	end_line(p, &p->own);
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

static int check_client(struct parser *p)
{
	struct tgs_client_conf *client = p->client;

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
	if (client->count > CLIENTS_MAX - p->clients)
		return tgs_fail(p, "too many clients; at most %u in all", CLIENTS_MAX);
	p->clients += client->count;
	if (!p->depth && client->arrival.kind <= TGS_BACK_TO_BACK)
		client->depth = 1;
	if (!client->depth && client->arrival.kind == TGS_BACK_TO_BACK)
		return tgs_fail(p, "client %s submits back to back without limit; depth = N wanted",
				client->name);
	if (!p->deadline && client->arrival.kind == TGS_PERIODIC)
		client->deadline = client->arrival.gap;
	return 0;
}

/* What a client lacks is told with the line on which its section begins. */
static int end_section(struct parser *p)
{
	const u32 line = p->line;
	int err;

	if (p->section != CLIENT)
		return 0;
	p->line = p->head;
	err = check_client(p);
	p->line = line;
	return err;
}

static bool name_is_good(const char *name)
{
	u32 i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i]))
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
	p->head = p->line;
	memset(p->given, 0, sizeof(p->given));
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
	char *value = strchr(line, '=');
	char *key, *word;

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
	p->words = 0;
	for (word = strtok(value, " \t"); word; word = strtok(NULL, " \t")) {
		if (p->words == WORDS_MAX)
			return tgs_fail(p, "too many words after '%s'", key);
		p->word[p->words++] = word;
	}
	return tgs_scenario_key(p, key);
}

static int parse_line(struct parser *p, char *line)
{
	const char *text = line + strspn(line, " \t");
	char *hash, *end;

	if (p->section == SPEC && (*text != '[' || !strncmp(text, "[vgpu", 5))) {
		append(&p->spec, line);
		end_line(p, &p->spec);
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

/* The line of the scenario that is line @nr of the spec, from 1. */
static u32 line_of(const struct parser *p, u32 nr)
{
	return nr <= p->spec.nr ? p->spec.from[nr - 1] : p->own.from[nr - p->spec.nr - 1];
}

static int bad_spec(struct parser *p, const struct tg_spec_error *error)
{
	const char *text = p->s->spec;
	u32 nr = min(error->line, p->spec.nr + p->own.nr), i;

	for (i = 1; i < nr; i++)
		text = strchr(text, '\n') + 1;
	p->line = line_of(p, nr);
	return tgs_fail(p, "column %u of '%.*s': %s; %s wanted", error->column,
			(int)min(strcspn(text, "\r\n"), (size_t)80), text, error->what, error->want);
}

/* The spec is parsed here too, so that mistakes are reported before anything runs. */
static int check_spec(struct parser *p)
{
	struct tgs_scenario *s = p->s;
	struct tg_spec_error error;
	struct tg_spec spec;
	int err;

	if (p->own.text)
		append(&p->spec, p->own.text);
	s->spec = p->spec.text;
	s->spec_len = p->spec.len;
	p->spec.text = NULL;
	if (!s->spec)
		return 0;
	if (s->spec_len > TG_SPEC_TEXT_MAX) {
		snprintf(p->error, TGS_MESSAGE, "spec of %u bytes; at most %u", s->spec_len,
			 TG_SPEC_TEXT_MAX);
		return -EINVAL;
	}
	spec.text = s->spec;
	spec.entries = tgs_alloc(tg_spec_room(s->spec, s->spec_len), sizeof(*spec.entries));
	err = tg_spec_parse(&spec, s->spec_len, &error) ? bad_spec(p, &error) : 0;
	if (!err && (spec.policy >= 0 || spec.nr_knobs)) {
		p->line = line_of(p, spec.policy >= 0 ? spec.policy_at.line :
				     spec.knobs[0].at.line);
		err = tgs_fail(p, "a scenario has its policy and knobs in [gpu]");
	}
	free(spec.entries);
	return err;
}

static bool user_is_told(const struct tgs_scenario *s, u32 user)
{
	u32 i;

	for (i = 0; i < s->nr_clients; i++)
		if (s->clients[i].user_set && s->clients[i].user == user)
			return true;
	return false;
}

/* A user of its own for each kind of clients that names none. */
static void give_users(struct tgs_scenario *s)
{
	u32 i, user = 0;

	for (i = 0; i < s->nr_clients; i++) {
		if (s->clients[i].user_set)
			continue;
		while (user_is_told(s, user))
			user++;
		s->clients[i].user = user++;
	}
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
	if (!err)
		give_users(s);
	free(p.spec.text);
	free(p.spec.from);
	free(p.own.text);
	free(p.own.from);
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
