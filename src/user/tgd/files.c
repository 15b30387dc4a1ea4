// SPDX-License-Identifier: GPL-2.0
/*
 * What tools read and write: the files of /sys/kernel/timegraph, by their names, with the same
 * content (docs/sysfs-abi.md), and `trace`. One that the kernel's host has and this one has not is
 * ENOENT.
 *
 * Root and the daemon's own user may write, and see everything. A system daemon serves others too:
 * of the clients they see their own, and no counters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tg/snap.h>

#include "device.h"
#include "files.h"
#include "lease.h"
#include "main.h"
#include "settings.h"
#include "socket.h"
#include "tgd.h"
#include "totals.h"
#include "version.h"

static char spec_result[256] = "ok 0";

static bool may_all(const struct conn *conn)
{
	return !conn->uid || conn->uid == getuid();
}

/* --- spec --- */

static int write_spec(struct conn *conn, const char *data, u32 offset, u32 len)
{
	if (!offset)
		conn->spec_len = 0;
	if (offset != conn->spec_len)
		return -EINVAL;
	if (offset + len > TG_SPEC_TEXT_MAX + 1)
		return -EFBIG;
	conn->spec = need(realloc(conn->spec, offset + len + 1));
	memcpy(conn->spec + offset, data, len);
	conn->spec_len = offset + len;
	return 0;
}

static int write_commit(struct conn *conn, const char *word)
{
	int ret = 0;

	if (!strcmp(word, "1") || !strcmp(word, "new-only"))
		ret = spec_commit(conn->spec ?: "", conn->spec_len, *word == '1', spec_result,
				  sizeof(spec_result));
	else if (strcmp(word, "0"))
		ret = -EINVAL;
	conn->spec_len = 0;
	return ret;
}

/* --- clients --- */

static void record(const struct device *d, const struct tg_client *c, struct tg_snap_client *s)
{
	struct client *client = c->host;

	totals_add(client);
	tg_snap_client(s, &d->core, c, 0);
	s->gpu_time = client->totalled[TOTAL_GPU_TIME];
	s->pid = client->identity.pid;
	s->uid = client->identity.uid;
	s->gpu = d->index;
	memcpy(s->comm, client->identity.comm, sizeof(s->comm));
	s->submitted += client->open;
	memcpy(s->waits, client->waits, sizeof(s->waits));
	memcpy(s->latencies, client->latencies, sizeof(s->latencies));
}

/* The part of the snapshot that tells of the engines. */
static void engines(FILE *to)
{
	struct tg_snap_part part = { TG_PART_ENGINES, sizeof(struct tg_snap_engine), 0, 0 };
	struct tg_snap_engine e;
	u32 i, k;

	for (i = 0; i < nr_devices; i++)
		part.nr += devices[i]->core.nr_engines;
	fwrite(&part, sizeof(part), 1, to);
	for (i = 0; i < nr_devices; i++) {
		for (k = 0; k < devices[i]->core.nr_engines; k++) {
			const struct tg_engine *engine = &devices[i]->core.engine[k];

			e = (struct tg_snap_engine){
				i, k, engine->inflight, engine->queued,
				tg_snap_grown(&devices[i]->busy_seen[k], engine->used) };
			fwrite(&e, sizeof(e), 1, to);
		}
	}
}

/* Likewise of the devices: their PCI addresses; of one without, its key. */
static void gpus(FILE *to)
{
	struct tg_snap_part part = { TG_PART_GPUS, sizeof(struct tg_snap_gpu), nr_devices, 0 };
	struct tg_snap_gpu gpu;
	u32 i;

	fwrite(&part, sizeof(part), 1, to);
	for (i = 0; i < nr_devices; i++) {
		memset(&gpu, 0, sizeof(gpu));
		gpu.gpu = i;
		snprintf(gpu.device, sizeof(gpu.device), "%s", device_name(devices[i]));
		fwrite(&gpu, sizeof(gpu), 1, to);
	}
}

/* All clients that the reader may see; what went under a lease is fed first. */
static void snapshot(FILE *to, const struct conn *conn)
{
	struct tg_snap_head head = {
		.magic = TG_SNAP_MAGIC, .version = TG_SNAP_VERSION,
		.client_size = sizeof(struct tg_snap_client), .gpus = nr_devices, .now = now(),
	};
	struct tg_snap_client s;
	struct tg_client *c;
	u32 i, pass;

	strncpy(head.policy, tg_policy_get(settings.policy)->name, sizeof(head.policy) - 1);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < nr_devices; i++) {
			if (!pass)
				lease_end(devices[i]);
			list_for_each_entry(c, &devices[i]->core.all_clients, all) {
				record(devices[i], c, &s);
				if (!may_all(conn) && s.uid != conn->uid)
					continue;
				if (pass)
					fwrite(&s, sizeof(s), 1, to);
				else
					head.nr_clients++;
			}
		}
		if (!pass)
			fwrite(&head, sizeof(head), 1, to);
	}
	if (may_all(conn))
		engines(to);
	gpus(to);
	totals_write(to, conn->uid, may_all(conn));
	for (i = 0; i < nr_devices; i++)
		device_settle(devices[i]);
}

static int write_prio(const char *name, s64 value)
{
	struct tg_event ev = { .kind = TG_EV_PRIO };
	unsigned int id, i, end = 0;
	struct client *c;
	int ret;

	if (sscanf(name, "clients/%u/prio%n", &id, &end) != 1 || !end || name[end])
		return -ENOENT;
	if (value < TG_PRIO_MIN || value > TG_PRIO_MAX)
		return -EINVAL;
	for (i = 0; i < nr_devices; i++) {
		for (c = devices[i]->clients; c && c->id != id; c = c->next)
			;
		if (!c)
			continue;
		ev.client = id;
		ev.prio.level = value;
		lease_end(devices[i]);
		ret = device_feed(devices[i], &ev);
		device_settle(devices[i]);
		return ret;
	}
	return -ENODEV;
}

/* --- stats --- */

static const char *const stat_names[STATS] = {
	[STAT_SUBMITTED] = "submitted",
	[STAT_BYPASSED] = "bypassed",
	[STAT_LEASES] = "leases",
	[STAT_ESCAPED] = "escaped",
	[STAT_COMPLETED] = "completed",
	[STAT_LOST] = "lost",
	[STAT_REFUSED_EVENTS] = "refused_events",
	[STAT_NOTES] = "notes",
	[STAT_CLIENTS] = "clients",
	[STAT_TURNED_AWAY] = "turned_away",
	[STAT_HUNG_UP] = "hung_up",
};

static int read_stat(FILE *to, const char *name)
{
	u32 i;

	for (i = 0; i < STATS; i++) {
		if (strcmp(name, stat_names[i]))
			continue;
		fprintf(to, "%llu\n", (unsigned long long)stats[i]);
		return 0;
	}
	return -ENOENT;
}

/* --- by name --- */

static int read_trace(FILE *to, const char *which)
{
	char *end;
	u32 nr = strtoul(which, &end, 10);

	if (*end || !settings.trace_kib)
		return -ENOENT;
	if (nr >= nr_devices || !devices[nr]->trace.bytes)
		return -ENODEV;
	lease_end(devices[nr]);
	device_settle(devices[nr]);
	fwrite(devices[nr]->trace.bytes, 1, devices[nr]->trace.len, to);
	return 0;
}

static int read_named(FILE *to, const struct conn *conn, const char *name)
{
	const struct tg_policy *p;
	u32 i;

	if (!strcmp(name, "version")) {
		fputs(TIMEGRAPH_VERSION "\n", to);
	} else if (!strcmp(name, "policy")) {
		fprintf(to, "%s\n", settings_policy_name());
	} else if (!strcmp(name, "policies")) {
		for (i = 0; (p = tg_policy_get(i)); i++)
			if (!p->sample)
				fprintf(to, "%s\n", p->name);
	} else if (!strcmp(name, "spec")) {
		if (settings.spec)
			fwrite(settings.spec->spec.text, 1, settings.spec->len, to);
	} else if (!strcmp(name, "spec_result")) {
		fprintf(to, "%s\n", spec_result);
	} else if (!strcmp(name, "snapshot")) {
		snapshot(to, conn);
	} else if (!strncmp(name, "knobs/", 6)) {
		return settings_read_knob(to, name + 6);
	} else if (!strncmp(name, "stats/", 6)) {
		return may_all(conn) ? read_stat(to, name + 6) : -EACCES;
	} else if (!strncmp(name, "trace", 5)) {
		return may_all(conn) ? read_trace(to, name + 5) : -EACCES;
	} else {
		return -ENOENT;
	}
	return 0;
}

static FILE *begin(struct conn *conn)
{
	free(conn->content);
	conn->content = NULL;
	conn->len = 0;
	return need(open_memstream(&conn->content, &conn->len));
}

/** file_read() - make the content of a file anew, in conn->content */
int file_read(struct conn *conn, const char *name)
{
	FILE *to = begin(conn);
	int ret = read_named(to, conn, name);

	fclose(to);
	return ret;
}

/** file_list() - names in a directory, a line each */
int file_list(struct conn *conn, const char *name)
{
	FILE *to = begin(conn);
	int ret = 0;
	u32 i;

	if (!*name) {
		fputs("knobs/\npolicies\npolicy\nsnapshot\nspec\nspec_result\nstats/\nversion\n", to);
	} else if (!strcmp(name, "knobs")) {
		settings_list_knobs(to);
	} else if (!strcmp(name, "stats")) {
		for (i = 0; i < STATS; i++)
			fprintf(to, "%s\n", stat_names[i]);
	} else {
		ret = -ENOENT;
	}
	fclose(to);
	return ret;
}

/** file_write() - write to a file */
int file_write(struct conn *conn, const char *name, const char *data, u32 offset, u32 len)
{
	char word[64], *end;
	s64 value;

	if (!may_all(conn))
		return -EPERM;
	if (!strcmp(name, "spec"))
		return write_spec(conn, data, offset, len);
	if (len >= sizeof(word) || offset)
		return -EINVAL;
	memcpy(word, data, len);
	word[len] = '\0';
	word[strcspn(word, "\n")] = '\0';
	if (!strcmp(name, "policy"))
		return settings_set_policy(word);
	if (!strcmp(name, "spec_commit"))
		return write_commit(conn, word);
	errno = 0;
	value = strtoll(word, &end, 10);
	if (!*word || *end || errno)
		return -EINVAL;
	if (!strncmp(name, "knobs/", 6))
		return settings_set_knob(name + 6, value);
	return write_prio(name, value);
}
