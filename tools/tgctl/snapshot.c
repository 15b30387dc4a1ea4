// SPDX-License-Identifier: GPL-2.0
/*
 * The module's snapshot of all clients, read and checked. Called by the verbs that show clients.
 */
#include "snapshot.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfs.h"
#include "tgctl.h"

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

size_t snapshot_part(const struct snapshot *snap, __u32 kind, void **records, size_t size)
{
	const char *at = snap->clients + (size_t)snap->head.nr_clients * snap->head.client_size;
	const char *end = snap->data + snap->len;
	struct tg_snap_part part;
	size_t i;

	*records = NULL;
	while ((size_t)(end - at) >= sizeof(part)) {
		memcpy(&part, at, sizeof(part));
		at += sizeof(part);
		if (!part.size || (size_t)(end - at) / part.size < part.nr)
			return 0;
		if (part.kind == kind && part.nr && part.size >= size) {
			*records = tgctl_alloc(NULL, part.nr * size);
			for (i = 0; i < part.nr; i++)
				memcpy((char *)*records + i * size, at + i * part.size, size);
			return part.nr;
		}
		at += (size_t)part.nr * part.size;
	}
	return 0;
}

const char *snapshot_gpu(const struct snapshot *snap, unsigned int gpu)
{
	static char name[24];
	struct tg_snap_gpu *gpus;
	const size_t nr = snapshot_part(snap, TG_PART_GPUS, (void **)&gpus, sizeof(*gpus));
	const char *device;
	size_t i, len;

	snprintf(name, sizeof(name), "%u", gpu);
	for (i = 0; i < nr && nr > 1; i++) {
		device = gpus[i].device;
		len = strnlen(device, sizeof(gpus[i].device));
		if (len > 5 && !strncmp(device, "0000:", 5)) {
			device += 5;
			len -= 5;
		}
		/* A key of tgd's may be longer than a column: then the number */
		if (gpus[i].gpu == gpu && len && len < sizeof(name)) {
			memcpy(name, device, len);
			name[len] = '\0';
		}
	}
	free(gpus);
	return name;
}
