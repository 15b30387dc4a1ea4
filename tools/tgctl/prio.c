// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl prio: priorities by hand, and by the periods of reserves.
 *
 * Rate-monotonic: the shorter the period, the higher the priority; the best fixed assignment
 * there is for periodic tasks whose deadlines are their periods (Liu and Layland 1973).
 */
#include "prio.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "bus.h"
#include "host.h"
#include "lib/number.h"
#include "snapshot.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"

/* A whole number, or -1. */
static long number(const char *word)
{
	uint64_t n;

	return number_read(word, LONG_MAX, &n) ? (long)n : -1;
}

static bool set_prio(u32 id, unsigned int prio)
{
	char file[32], value[16];
	int err;

	snprintf(file, sizeof(file), "clients/%u/prio", id);
	snprintf(value, sizeof(value), "%u", prio);
	err = sysfs_write_value(file, value);
	/* Of one's own client, downwards */
	if ((err == -EACCES || err == -EPERM) && !host_is_user() && bus_there())
		return bus_prio(id, prio);
	if (err == -ENOENT || err == -ENODEV)
		tgctl_error("client %u has gone", id);
	else if (err)
		sysfs_explain("write", file, -err);
	return !err;
}

/* One client by its number, or all of a name. */
static enum tgctl_status by_hand(const struct snapshot *snap, const char *who, unsigned int prio)
{
	const struct tg_snap_client *c;
	bool found = false, good = true;
	long id = number(who);
	u32 i;

	for (i = 0; i < snap->head.nr_clients; i++) {
		c = snapshot_client(snap, i);
		if (id >= 0 ? c->id != id : strncmp(c->comm, who, sizeof(c->comm)))
			continue;
		found = true;
		good = set_prio(c->id, prio) && good;
	}
	if (!found)
		tgctl_error("no client %s '%s'; see tgctl clients",
			    id >= 0 ? "of number" : "named", who);
	return found && good ? TGCTL_OK : TGCTL_FAILED;
}

static int by_period(const void *a, const void *b)
{
	const struct tg_snap_client *ca = a, *cb = b;

	if (ca->period != cb->period)
		return ca->period < cb->period ? -1 : 1;
	return ca->id < cb->id ? -1 : ca->id > cb->id;
}

/* Clients whose reserve is limited, shortest period first; the others keep what they have. */
static enum tgctl_status rate_monotonic(const struct snapshot *snap)
{
	struct tg_snap_client *c;
	struct table t = { .align = "rlrr" };
	unsigned int prio = TG_PRIO_MAX;
	bool good = true;
	char text[32];
	u32 i, nr = 0;

	c = tgctl_alloc(NULL, (snap->head.nr_clients + 1) * sizeof(*c));
	for (i = 0; i < snap->head.nr_clients; i++) {
		c[nr] = *snapshot_client(snap, i);
		nr += c[nr].resv != TG_BG && c[nr].capacity < c[nr].period;
	}
	if (!nr) {
		tgctl_error("prio: no client has a reserve smaller than its period");
		return TGCTL_FAILED;
	}
	qsort(c, nr, sizeof(*c), by_period);
	table_add(&t, "ID", 2);
	table_add(&t, "COMM", 4);
	table_add(&t, "PERIOD_US", 9);
	table_add(&t, "PRIO", 4);
	for (i = 0; i < nr; i++) {
		if (i && c[i].period != c[i - 1].period && prio > TG_PRIO_MIN)
			prio--;
		if (!set_prio(c[i].id, prio)) {
			good = false;
			continue;
		}
		table_add(&t, text, snprintf(text, sizeof(text), "%u", c[i].id));
		table_add(&t, c[i].comm, strnlen(c[i].comm, sizeof(c[i].comm)));
		table_add(&t, text, snprintf(text, sizeof(text), "%lld",
					     (long long)(c[i].period / TG_USEC)));
		table_add(&t, text, snprintf(text, sizeof(text), "%u", prio));
	}
	table_print(&t);
	return good ? TGCTL_OK : TGCTL_FAILED;
}

enum tgctl_status tgctl_prio(const struct tgctl_args *args)
{
	struct snapshot snap;
	long prio = 0;

	if (args->nr != (args->flag ? 0 : 2)) {
		tgctl_error("prio: CLIENT and PRIO wanted, or --rate-monotonic alone");
		return TGCTL_USAGE;
	}
	if (!args->flag) {
		prio = number(args->names[1]);
		if (prio < TG_PRIO_MIN || prio > TG_PRIO_MAX) {
			tgctl_error("prio: '%s' is no priority; 0 (lowest) to 99", args->names[1]);
			return TGCTL_USAGE;
		}
	}
	if (!snapshot_read(&snap))
		return TGCTL_FAILED;
	return args->flag ? rate_monotonic(&snap) : by_hand(&snap, args->names[0], prio);
}
