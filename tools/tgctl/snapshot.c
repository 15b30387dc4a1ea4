// SPDX-License-Identifier: GPL-2.0
/*
 * The module's snapshot of all clients, read and checked. Called by the verbs that show clients.
 */
#include "snapshot.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sysfs.h"
#include "tgctl.h"

#define COLUMN	24	/* a key of tgd's that is longer does not stand in a table */

static_assert(sizeof(struct tg_snap_head) == 40, "the layout of the snapshot's head");
/* Later versions add rows behind this one; the rows before it never move. */
static_assert(offsetof(struct tg_snap_client, waits) == 336, "the layout of a client");
static_assert(sizeof(struct tg_snap_engine) == 24, "the layout of an engine");
static_assert(sizeof(struct tg_snap_total) == 176, "the layout of a total");
static_assert(sizeof(struct tg_snap_gpu) == 64, "the layout of a GPU");

const char *const snapshot_scheds[] = { "prt", "ht", NULL };
const char *const snapshot_resvs[] = { "pe", "ae", "bg", "cbs", NULL };
const char *const snapshot_states[] = {
	[TG_STATE_IDLE] = "idle", [TG_STATE_WAITING] = "waiting",
	[TG_STATE_THROTTLED] = "throttled", [TG_STATE_RUNNING] = "running",
	[TG_STATE_LOST] = "lost", [TG_STATE_LEFT] = "left", NULL
};

const char *snapshot_word(const char *const *words, unsigned int nr)
{
	for (; nr && *words; nr--)
		words++;
	return *words ? *words : "unknown";
}

/* Does each part behind the clients end where it says, and the last one where the snapshot does? */
static bool parts_whole(const char *at, const char *end)
{
	struct tg_snap_part part;

	while (at != end) {
		if ((size_t)(end - at) < sizeof(part))
			return false;
		memcpy(&part, at, sizeof(part));
		at += sizeof(part);
		if (!part.size || (size_t)(end - at) / part.size < part.nr)
			return false;
		at += (size_t)part.nr * part.size;
	}
	return true;
}

bool snapshot_read(struct snapshot *snap)
{
	size_t len;
	char *data = sysfs_read("snapshot", &len);
	const char *path = sysfs_path("snapshot");

	if (!data)
		return false;
	if (len < sizeof(snap->head)) {
		tgctl_error("%s ends after %zu bytes, within its head", path, len);
		return false;
	}
	memcpy(&snap->head, data, sizeof(snap->head));
	if (snap->head.magic != TG_SNAP_MAGIC) {
		tgctl_error("%s is no snapshot: it starts with 0x%08x, not 0x%08x", path,
			    snap->head.magic, TG_SNAP_MAGIC);
		return false;
	}
	if (snap->head.version != TG_SNAP_VERSION) {
		tgctl_error("%s has version %u, this tgctl reads %u; take the module's own tgctl",
			    path, snap->head.version, TG_SNAP_VERSION);
		return false;
	}
	if (snap->head.client_size < sizeof(struct tg_snap_client)) {
		tgctl_error("%s has %u bytes for a client, not %zu or more", path,
			    snap->head.client_size, sizeof(struct tg_snap_client));
		return false;
	}
	if ((len - sizeof(snap->head)) / snap->head.client_size < snap->head.nr_clients) {
		tgctl_error("%s ends after %zu bytes, before the last of its %u clients", path,
			    len, snap->head.nr_clients);
		return false;
	}
	snap->clients = data + sizeof(snap->head);
	if (!parts_whole(snap->clients + (size_t)snap->head.nr_clients * snap->head.client_size,
			 data + len)) {
		tgctl_error("%s ends after %zu bytes, within a part behind its clients", path, len);
		return false;
	}
	snap->data = data;
	snap->len = len;
	return true;
}

const struct tg_snap_client *snapshot_client(const struct snapshot *snap, unsigned int nr)
{
	static struct tg_snap_client client;

	memcpy(&client, snap->clients + nr * snap->head.client_size, sizeof(client));
	return &client;
}

/* The head of a part and where its records begin; NULL: it is missing, or cut off. */
static const char *find_part(const struct snapshot *snap, __u32 kind, size_t size,
			     struct tg_snap_part *part)
{
	const char *at = snap->clients + (size_t)snap->head.nr_clients * snap->head.client_size;
	const char *end = snap->data + snap->len;

	while ((size_t)(end - at) >= sizeof(*part)) {
		memcpy(part, at, sizeof(*part));
		at += sizeof(*part);
		if (!part->size || (size_t)(end - at) / part->size < part->nr)
			return NULL;
		if (part->kind == kind && part->nr && part->size >= size)
			return at;
		at += (size_t)part->nr * part->size;
	}
	return NULL;
}

size_t snapshot_part(const struct snapshot *snap, __u32 kind, void **records, size_t size)
{
	struct tg_snap_part part;
	const char *at = find_part(snap, kind, size, &part);
	size_t i;

	*records = NULL;
	if (!at)
		return 0;
	*records = tgctl_alloc(NULL, part.nr * size);
	for (i = 0; i < part.nr; i++)
		memcpy((char *)*records + i * size, at + i * part.size, size);
	return part.nr;
}

const char *snapshot_device(const struct snapshot *snap, unsigned int gpu)
{
	static char device[sizeof(((struct tg_snap_gpu *)NULL)->device) + 1];
	struct tg_snap_part part;
	const char *at = find_part(snap, TG_PART_GPUS, sizeof(struct tg_snap_gpu), &part);
	struct tg_snap_gpu g;
	__u32 i;

	for (i = 0; at && i < part.nr; i++) {
		memcpy(&g, at + (size_t)i * part.size, sizeof(g));
		if (g.gpu == gpu) {
			memcpy(device, g.device, sizeof(g.device));
			return device;
		}
	}
	return NULL;
}

const char *snapshot_gpu(const struct snapshot *snap, unsigned int gpu)
{
	static char number[16];
	const char *device = snap->head.gpus > 1 ? snapshot_device(snap, gpu) : NULL;

	if (device && !strncmp(device, "0000:", 5))
		device += 5;
	if (device && *device && strlen(device) < COLUMN)
		return device;
	snprintf(number, sizeof(number), "%u", gpu);
	return number;
}
