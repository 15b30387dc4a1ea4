// SPDX-License-Identifier: GPL-2.0
/*
 * The ground truth as JSON: for each device what its engines did, and for each client, those that are
 * gone too, what it has had of it. Commands that are under way count up to now. mockcld.c calls it.
 */
#include <string.h>

#include "engine.h"
#include "lib/json.h"

static const char *const busy_key[] = { "compute_ns", "copy_ns" };
static const char *const command_key[] = { "compute_commands", "copy_commands" };

static uint64_t under_way(const struct device *d, unsigned int n, const struct client *c, uint64_t now)
{
	const struct engine *e = &d->engine[n];

	return e->busy && (!c || e->client == c) && now > e->start ? now - e->start : 0;
}

static void client_truth(struct json *j, const struct card *card, const struct client *c, unsigned int dev,
			 uint64_t now)
{
	const struct account *a = &c->account[dev];
	unsigned int n;

	json_line(j);
	json_open(j, NULL, '{');
	json_u64(j, "pid", c->pid);
	json_u64(j, "uid", c->uid);
	json_string(j, "name", c->name);
	json_bool(j, "there", c->page);
	for (n = 0; n < MOCK_ENGINES; n++) {
		json_u64(j, busy_key[n], a->busy[n] + under_way(&card->device[dev], n, c, now));
		json_u64(j, command_key[n], a->commands[n]);
	}
	json_u64(j, "first_ns", a->first);
	json_u64(j, "last_ns", a->last);
	json_u64(j, "memory", a->memory);
	json_u64(j, "memory_peak", a->peak);
	json_u64(j, "refused", a->refused);
	json_close(j, '}');
}

void card_truth(const struct card *card, FILE *to, uint64_t now)
{
	struct json j = { .to = to };
	const struct client *c;
	unsigned int dev, n;
	uint64_t busy;

	json_open(&j, NULL, '{');
	json_u64(&j, "now_ns", now);
	json_open(&j, "devices", '[');
	for (dev = 0; dev < card->devices; dev++) {
		const struct device *d = &card->device[dev];

		json_line(&j);
		json_open(&j, NULL, '{');
		for (n = 0; n < MOCK_ENGINES; n++) {
			for (busy = under_way(d, n, NULL, now), c = card->clients; c; c = c->next)
				busy += c->account[dev].busy[n];
			json_u64(&j, busy_key[n], busy);
		}
		json_u64(&j, "memory", d->memory);
		json_u64(&j, "held", d->held);
		json_bool(&j, "lost", d->lost);
		json_open(&j, "clients", '[');
		for (c = card->clients; c; c = c->next)
			if (c->page || c->fd < 0)	/* one that is neither only asks for this */
				client_truth(&j, card, c, dev, now);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	fputc('\n', to);
}
