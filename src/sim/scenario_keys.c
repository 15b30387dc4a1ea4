// SPDX-License-Identifier: GPL-2.0
/*
 * The keys of a scenario: one row of a table and one function each. Called by scenario.c with the
 * words behind the `=`. One thread.
 */
#include <errno.h>
#include <stdlib.h>

#include <tg/nice.h>

#include "lib/file.h"
#include "lib/number.h"
#include "mem.h"
#include "scenario_priv.h"

#define TIME_MAX	(1000000 * TG_SEC)	/* eleven days */

bool tgs_time_parse(const char *word, s64 *ns)
{
	struct time_text t;

	if (time_read(word, TIME_MAX, &t) != TIME_GOOD || t.fine)
		return false;
	*ns = t.ns;
	return true;
}

static int want_words(struct parser *p, u32 n)
{
	if (p->words == n)
		return 0;
	return tgs_fail(p, "%u words; %u wanted", p->words, n);
}

static int read_time(struct parser *p, u32 word, s64 min, s64 *ns)
{
	if (word >= p->words)
		return tgs_fail(p, "a time is missing; a number and ns, us, ms or s wanted");
	if (!tgs_time_parse(p->word[word], ns))
		return tgs_fail(p, "'%.40s' is not a time; a number and ns, us, ms or s wanted, "
				"at most %lld s", p->word[word], TIME_MAX / TG_SEC);
	if (*ns < min)
		return tgs_fail(p, "'%.40s' is too short; at least %lld ns wanted", p->word[word],
				(long long)min);
	return 0;
}

static int read_only_time(struct parser *p, s64 min, s64 *ns)
{
	int err = want_words(p, 1);

	return err ? err : read_time(p, 0, min, ns);
}

static int read_number(struct parser *p, u32 word, u64 least, u64 most, u64 *n)
{
	uint64_t value;

	if (word >= p->words)
		return tgs_fail(p, "a number is missing");
	if (!number_read(p->word[word], most, &value) || value < least)
		return tgs_fail(p, "'%.40s' is out of range; a number from %llu to %llu wanted",
				p->word[word], (unsigned long long)least, (unsigned long long)most);
	*n = value;
	return 0;
}

static int read_count(struct parser *p, u32 least, u32 most, u32 *n)
{
	u64 value;
	int err = want_words(p, 1);

	if (!err)
		err = read_number(p, 0, least, most, &value);
	if (!err)
		*n = value;
	return err;
}

/* ---- keys at the top -------------------------------------------------------------------- */

static int key_seed(struct parser *p)
{
	int err = want_words(p, 1);

	return err ? err : read_number(p, 0, 0, U64_MAX, &p->s->seed);
}

static int key_duration(struct parser *p)
{
	return read_only_time(p, 1, &p->s->duration);
}

/* ---- keys of a GPU ---------------------------------------------------------------------- */

static int read_policy(struct parser *p, u32 word, u32 *policy)
{
	int nr = tg_policy_find(p->word[word], strlen(p->word[word]));

	if (nr < 0)
		return tgs_fail(p, "no policy '%.40s'", p->word[word]);
	*policy = nr;
	return 0;
}

static int key_policy(struct parser *p)
{
	int err = want_words(p, 1);

	if (!err && p->gpu->nr_knobs)
		err = tgs_fail(p, "policy after knobs; a policy's knobs stand below it");
	return err ? err : read_policy(p, 0, &p->gpu->policy);
}

static int key_address(struct parser *p)
{
	int err = want_words(p, 1);
	u32 len;
	u64 pci;

	if (err)
		return err;
	len = strlen(p->word[0]);
	if (len >= TGS_ADDRESS_LEN || tg_spec_pci(p->word[0], len, &pci) != len)
		return tgs_fail(p, "'%.40s' is not a PCI address; one as 0000:01:00.0 wanted",
				p->word[0]);
	memcpy(p->gpu->address, p->word[0], len + 1);
	return 0;
}

static int key_then(struct parser *p)
{
	struct tgs_gpu_conf *gpu = p->gpu;
	struct tgs_then then;
	int err = want_words(p, 2);

	if (!err)
		err = read_time(p, 0, 1, &then.at);
	if (!err)
		err = read_policy(p, 1, &then.policy);
	if (!err && gpu->nr_then && then.at <= gpu->then[gpu->nr_then - 1].at)
		err = tgs_fail(p, "not after the switch before; later ones stand below");
	if (err)
		return err;
	gpu->then = tgs_grow(gpu->then, gpu->nr_then + 1, sizeof(*gpu->then));
	gpu->then[gpu->nr_then++] = then;
	return 0;
}

static int key_engines(struct parser *p)
{
	return read_count(p, 1, TG_ENGINES_MAX, &p->gpu->engines);
}

static int key_submit(struct parser *p)
{
	return read_only_time(p, 0, &p->gpu->submit);
}

static int key_interrupt(struct parser *p)
{
	return read_only_time(p, 0, &p->gpu->interrupt);
}

static int key_switch(struct parser *p)
{
	return read_only_time(p, 0, &p->gpu->switch_cost);
}

static int key_slice(struct parser *p)
{
	return read_only_time(p, 0, &p->gpu->slice);
}

static int key_poll(struct parser *p)
{
	return read_only_time(p, 1, &p->gpu->poll);
}

static bool find_param(const struct tg_param *params, const char *name, u32 *nr)
{
	for (*nr = 0; params && params[*nr].name; ++*nr)
		if (!strcmp(params[*nr].name, name))
			return true;
	return false;
}

/* A whole number; of a knob in microseconds, also a time of whole ones. */
static int read_value(struct parser *p, const struct tg_param *param, s64 *value)
{
	const size_t len = strlen(param->name);
	u64 n;
	s64 ns;
	int err;

	if (len > 3 && !strcmp(param->name + len - 3, "_us") && strchr(p->word[1], 's') &&
	    tgs_time_parse(p->word[1], &ns) && !(ns % TG_USEC) && ns / TG_USEC >= param->min &&
	    ns / TG_USEC <= param->max) {
		*value = ns / TG_USEC;
		return 0;
	}
	err = read_number(p, 1, param->min, param->max, &n);
	if (!err)
		*value = n;
	return err;
}

static int key_knob(struct parser *p)
{
	const struct tg_param *params = tg_core_params;
	struct tgs_gpu_conf *gpu = p->gpu;
	struct tgs_knob *knob = &gpu->knobs[gpu->nr_knobs];
	u32 i;
	int err = want_words(p, 2);

	if (err)
		return err;
	if (gpu->nr_knobs == ARRAY_SIZE(gpu->knobs))
		return tgs_fail(p, "too many knobs; at most %zu", ARRAY_SIZE(gpu->knobs));
	if (!find_param(params, p->word[0], &knob->nr)) {
		knob->of_policy = true;
		params = tg_policy_get(gpu->policy)->params;
		if (!find_param(params, p->word[0], &knob->nr))
			return tgs_fail(p, "no knob '%.40s' in the core or in policy %s",
					p->word[0], tg_policy_get(gpu->policy)->name);
	}
	for (i = 0; i < gpu->nr_knobs; i++)
		if (gpu->knobs[i].of_policy == knob->of_policy && gpu->knobs[i].nr == knob->nr)
			return tgs_fail(p, "knob '%s' is set above already", p->word[0]);
	err = read_value(p, &params[knob->nr], &knob->value);
	if (!err)
		gpu->nr_knobs++;
	return err;
}

/* ---- keys of a client ------------------------------------------------------------------- */

static int key_gpu(struct parser *p)
{
	int err = want_words(p, 1);
	u32 i;

	if (err)
		return err;
	for (i = 0; i < p->s->nr_gpus; i++)
		if (!strcmp(p->s->gpus[i].name, p->word[0])) {
			p->client->gpu = i;
			return 0;
		}
	return tgs_fail(p, "no GPU '%.40s' above", p->word[0]);
}

static int key_count(struct parser *p)
{
	return read_count(p, 1, CLIENTS_MAX, &p->client->count);
}

static int key_user(struct parser *p)
{
	p->client->user_set = true;
	return read_count(p, 0, U32_MAX, &p->client->user);
}

/* The path, and the one above it that is the nearest of a cgroup that is not delegated. */
static int key_cgroup(struct parser *p)
{
	struct tgs_client_conf *client = p->client;
	const char *path = p->words ? p->word[0] : "", *above = p->words > 1 ? p->word[1] : path;
	size_t len = strlen(above);

	if (p->words < 1 || p->words > 2 || *path != '/')
		return tgs_fail(p, "a cgroup's path wanted, which begins with /");
	if (strlen(path) >= sizeof(client->cgroup))
		return tgs_fail(p, "the path is too long; at most %zu bytes wanted",
				sizeof(client->cgroup) - 1);
	if (!len || strncmp(path, above, len) || (len > 1 && path[len] && path[len] != '/'))
		return tgs_fail(p, "'%.80s' is not above the cgroup", above);
	memcpy(client->cgroup, path, strlen(path) + 1);
	client->undelegated = len;
	return 0;
}

/* The words from @word on: a nice value or a scheduling class. */
static int read_nice(struct parser *p, u32 word, u8 *level)
{
	const char *text = p->word[word];
	const bool minus = *text == '-';
	uint64_t value;

	if (!strcmp(text, "rt") && word + 2 == p->words &&
	    number_read(p->word[word + 1], TG_RT_MAX, &value) && value) {
		*level = tg_nice_level(TG_CLASS_RT, value);
		return 0;
	}
	if (word + 1 == p->words && !strcmp(text, "idle")) {
		*level = tg_nice_level(TG_CLASS_IDLE, 0);
		return 0;
	}
	if (word + 1 == p->words && !strcmp(text, "deadline")) {
		*level = tg_nice_level(TG_CLASS_DEADLINE, 0);
		return 0;
	}
	if (word + 1 == p->words && number_read(text + minus, minus ? 20 : TG_NICE_LOWEST, &value)) {
		*level = tg_nice_level(TG_CLASS_NORMAL, minus ? -(s32)value : (s32)value);
		return 0;
	}
	return tgs_fail(p, "'%.40s': one of: -20 to 19; rt 1 to 99; idle; deadline", text);
}

/* What the process has on the CPU, from a time on. */
static int key_nice(struct parser *p)
{
	struct tgs_client_conf *client = p->client;
	struct tgs_nice next = { };
	int err;

	if (p->words < 2)
		return tgs_fail(p, "two words at least wanted: since when, and a nice value or class");
	err = read_time(p, 0, 0, &next.from);
	if (!err)
		err = read_nice(p, 1, &next.level);
	if (!err && client->nr_nice && next.from <= client->nice[client->nr_nice - 1].from)
		err = tgs_fail(p, "not after the change before; later ones stand below");
	if (err)
		return err;
	client->nice = tgs_grow(client->nice, client->nr_nice + 1, sizeof(*client->nice));
	client->nice[client->nr_nice++] = next;
	return 0;
}

static int key_channels(struct parser *p)
{
	return read_count(p, 1, 64, &p->client->channels);
}

static int key_on(struct parser *p)
{
	u64 engine = 0;
	u32 i;
	int err;

	p->client->engines = 0;
	for (i = 0; i < p->words; i++) {
		err = read_number(p, i, 0, TG_ENGINES_MAX - 1, &engine);
		if (err)
			return err;
		p->client->engines |= 1u << engine;
	}
	return p->client->engines ? 0 : tgs_fail(p, "no engine; numbers from 0 wanted");
}

static int key_depth(struct parser *p)
{
	p->depth = true;
	if (p->words == 1 && !strcmp(p->word[0], "unlimited")) {
		p->client->depth = 0;
		return 0;
	}
	return read_count(p, 1, 1000000, &p->client->depth);
}

static int key_start(struct parser *p)
{
	return read_only_time(p, 0, &p->client->start);
}

static int key_life(struct parser *p)
{
	return read_only_time(p, 1, &p->client->life);
}

static int key_stagger(struct parser *p)
{
	return read_only_time(p, 0, &p->client->stagger);
}

static int key_stop(struct parser *p)
{
	return read_only_time(p, 1, &p->client->stop);
}

static int key_deadline(struct parser *p)
{
	p->deadline = true;
	return read_only_time(p, 1, &p->client->deadline);
}

static int key_cost(struct parser *p)
{
	static const struct {
		const char *name;
		enum tgs_dist_kind kind;
		u32 least, most;
	} kinds[] = {
		{ "fixed", TGS_FIXED, 1, 1 },
		{ "uniform", TGS_UNIFORM, 2, 2 },
		{ "exponential", TGS_EXPONENTIAL, 1, 1 },
		{ "normal", TGS_NORMAL, 2, 2 },
		{ "choice", TGS_CHOICE, 1, TGS_DIST_VALUES },
		{ "alike", TGS_ALIKE, 1, TGS_DIST_VALUES },
	};
	struct tgs_dist *dist = &p->client->cost;
	u32 i, k;
	int err;

	for (k = 0; k < ARRAY_SIZE(kinds); k++)
		if (p->words && !strcmp(p->word[0], kinds[k].name))
			break;
	if (k == ARRAY_SIZE(kinds))
		return tgs_fail(p, "cost starts with fixed, uniform, exponential, normal, choice "
				"or alike");
	if (p->words - 1 < kinds[k].least || p->words - 1 > kinds[k].most)
		return tgs_fail(p, "%u times after '%s'; %u to %u wanted", p->words - 1,
				kinds[k].name, kinds[k].least, kinds[k].most);
	dist->kind = kinds[k].kind;
	dist->nr = p->words - 1;
	for (i = 0; i < dist->nr; i++) {
		err = read_time(p, i + 1, 0, &dist->value[i]);
		if (err)
			return err;
	}
	if (dist->kind == TGS_UNIFORM && dist->value[0] > dist->value[1])
		return tgs_fail(p, "uniform goes from the smaller to the larger time");
	p->cost = true;
	return 0;
}

static int parse_want(struct parser *p, struct tgs_arrival *a, char *line, u32 nr)
{
	struct tgs_want *want;
	char *at, *cost;

	line[strcspn(line, "#")] = '\0';
	at = strtok(line, " \t\r");
	cost = strtok(NULL, " \t\r");
	if (!at)
		return 0;
	a->trace = tgs_grow(a->trace, a->traced + 1, sizeof(*a->trace));
	want = &a->trace[a->traced];
	if (!cost || strtok(NULL, " \t\r") || !tgs_time_parse(at, &want->at) ||
	    !tgs_time_parse(cost, &want->cost))
		return tgs_fail(p, "%.80s, line %u: two times wanted: when, since the client's "
				"start, and how much work", p->word[1], nr);
	if (a->traced && want->at < want[-1].at)
		return tgs_fail(p, "%.80s, line %u: time goes backwards", p->word[1], nr);
	a->traced++;
	return 0;
}

static int parse_wants(struct parser *p, struct tgs_arrival *a)
{
	const char *name = p->word[1];
	char path[4096], *text, *line, *next;
	u64 len;
	u32 nr = 0;
	int err = 0;

	snprintf(path, sizeof(path), "%s%s%s", *name == '/' ? "" : p->dir,
		 *name == '/' ? "" : "/", name);
	text = file_read(path, &len);
	if (!text)
		return tgs_fail(p, "cannot read '%.80s': %s", p->word[1], strerror(errno));
	if (strlen(text) < len)
		err = tgs_fail(p, "%.80s: a NUL byte in it", p->word[1]);
	for (line = text; line && !err; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		err = parse_want(p, a, line, ++nr);
	}
	free(text);
	return err;
}

/* 100/s, or the mean gap. */
static int parse_rate(struct parser *p, s64 *gap)
{
	char *per = strstr(p->word[1], "/s");
	uint64_t rate;

	if (!per || per[2])
		return read_time(p, 1, 1, gap);
	*per = '\0';
	if (!number_read(p->word[1], TG_SEC, &rate) || !rate)
		return tgs_fail(p, "'%.40s/s' is not a rate; a whole number of submissions per "
				"second wanted", p->word[1]);
	*gap = TG_SEC / rate;
	return 0;
}

static int key_arrival(struct parser *p)
{
	struct tgs_arrival *a = &p->client->arrival;
	const char *kind = p->words ? p->word[0] : "";
	u64 burst;
	int err;

	p->arrival = true;
	if (!strcmp(kind, "periodic") && p->words == 2) {
		a->kind = TGS_PERIODIC;
		return read_time(p, 1, 1, &a->gap);
	}
	if (!strcmp(kind, "back-to-back") && p->words <= 2) {
		a->kind = TGS_BACK_TO_BACK;
		return p->words == 1 ? 0 : read_time(p, 1, 0, &a->gap);
	}
	if (!strcmp(kind, "poisson") && p->words == 2) {
		a->kind = TGS_POISSON;
		return parse_rate(p, &a->gap);
	}
	if (!strcmp(kind, "bursts") && p->words == 4 && !strcmp(p->word[2], "every")) {
		a->kind = TGS_BURSTS;
		err = read_number(p, 1, 1, 1000000, &burst);
		a->burst = burst;
		return err ? err : read_time(p, 3, 1, &a->gap);
	}
	if (!strcmp(kind, "trace") && p->words == 2 && !a->trace) {
		a->kind = TGS_TRACE;
		return parse_wants(p, a);
	}
	return tgs_fail(p, "arrival is one of: periodic TIME; back-to-back [TIME]; poisson N/s; "
			"bursts N every TIME; trace FILE");
}

/* ---- the table ------------------------------------------------------------------------- */

/* How often it may stand in its section. */
enum times { ONCE, AGAIN };

static const struct key {
	enum section section;
	const char *name;
	int (*read)(struct parser *p);
	enum times times;
} keys[] = {
	{ TOP, "seed", key_seed, ONCE },
	{ TOP, "duration", key_duration, ONCE },
	{ GPU, "policy", key_policy, ONCE },
	{ GPU, "address", key_address, ONCE },
	{ GPU, "then", key_then, AGAIN },
	{ GPU, "engines", key_engines, ONCE },
	{ GPU, "submit", key_submit, ONCE },
	{ GPU, "interrupt", key_interrupt, ONCE },
	{ GPU, "switch", key_switch, ONCE },
	{ GPU, "slice", key_slice, ONCE },
	{ GPU, "poll", key_poll, ONCE },
	{ GPU, "knob", key_knob, AGAIN },
	{ CLIENT, "gpu", key_gpu, ONCE },
	{ CLIENT, "count", key_count, ONCE },
	{ CLIENT, "user", key_user, ONCE },
	{ CLIENT, "cgroup", key_cgroup, ONCE },
	{ CLIENT, "channels", key_channels, ONCE },
	{ CLIENT, "nice", key_nice, AGAIN },
	{ CLIENT, "engines", key_on, ONCE },
	{ CLIENT, "arrival", key_arrival, ONCE },
	{ CLIENT, "cost", key_cost, ONCE },
	{ CLIENT, "depth", key_depth, ONCE },
	{ CLIENT, "start", key_start, ONCE },
	{ CLIENT, "stagger", key_stagger, ONCE },
	{ CLIENT, "stop", key_stop, ONCE },
	{ CLIENT, "life", key_life, ONCE },
	{ CLIENT, "deadline", key_deadline, ONCE },
};

_Static_assert(ARRAY_SIZE(keys) <= KEYS_MAX, "struct parser has room for all");

int tgs_scenario_key(struct parser *p, const char *name)
{
	static const char *const where[] = { "at the top", "in [gpu]", "in [client]" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].section == p->section && !strcmp(keys[i].name, name))
			break;
	if (i == ARRAY_SIZE(keys))
		return tgs_fail(p, "no key '%.40s' %s", name, where[p->section]);
	if (p->given[i] && keys[i].times == ONCE)
		return tgs_fail(p, "'%s' stands on line %u already; once wanted", name, p->given[i]);
	p->given[i] = p->line;
	return keys[i].read(p);
}
