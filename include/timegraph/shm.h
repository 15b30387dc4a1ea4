/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Device memory that processes share by key, as shmget(2) has it for main memory (Gdev, section
 * 4.2): libtimegraph-shm. Link with -ltimegraph-shm. It needs timegraph.ko and nouveau.
 *
 *	struct tgshm_at at;
 *	int id = tgshm_get(drm, key, 64 << 20, IPC_CREAT | 0600);
 *
 *	if (id < 0 || tgshm_at(drm, id, 0, &at))
 *		return 1;
 *	...				// at.handle is a GEM handle of drm, for groups and maps
 *	tgshm_dt(&at);
 *	tgshm_ctl(id, IPC_RMID, NULL);
 *
 * @drm is a file descriptor of the program's own, of a render node of nouveau. The first tgshm_get()
 * of a key allocates VRAM there; others find the segment. It belongs to a user and a group and has
 * a mode, as a segment of System V's; keys and ids are those of the program's IPC namespace.
 *
 * Functions return -1 and set errno as shmget(2), shmat(2), shmdt(2) and shmctl(2) do. Beside what
 * these pages say:
 *
 *	ENODEV, ENXIO		there is no /dev/tgshm: timegraph.ko is not loaded
 *	ENODEV			also: the segment's GPU has gone
 *	EOPNOTSUPP		SHM_RDONLY: the driver maps nothing read-only; @drm is no GPU that
 *				timegraph.ko schedules
 *	ENOSPC			this user has 128 segments, or half of the GPU's VRAM in segments, or
 *				segments in 128 IPC namespaces; or all users but root have 896 of
 *				one, or three quarters of the VRAM
 *	ENOMEM			no VRAM
 *	EPERM			also: the object is not in the books of VRAM
 *	EINVAL			also: the segment has gone
 *
 * Lifetime. A segment lives until IPC_RMID and its last tgshm_dt(), or, with TGSHM_VOLATILE, until
 * its last tgshm_dt(). One that nobody has attached yet stays, with TGSHM_VOLATILE too, when its
 * maker ends or a tgshm_at() fails. A process that ends, is killed or executes another program has
 * let go of its own. After fork() the child is attached as its parent is; the GEM handle is its parent's too,
 * since both have one DRM file, and stays open until the parent closes it: a child that attaches
 * more opens a DRM file of its own. A program detaches before it closes @drm. rmmod timegraph is
 * refused while a segment is attached; those that are not attached go with the module.
 *
 * Sharing. All processes see the same bytes, wherever the driver keeps them. Groups that are
 * submitted by DRM_NOUVEAU_GEM_PUSHBUF and name the object are ordered by the driver as they are
 * submitted, those of DRM_NOUVEAU_EXEC by the syncobjs that programs pass to each other. What else
 * processes need to agree on they do by other means, such as semaphores.
 *
 * A handle cannot be taken back: neither IPC_RMID nor IPC_SET reaches a process that is attached.
 * Objects with NOUVEAU_GEM_DOMAIN_NO_SHARE cannot be segments. A segment that is attached on another
 * GPU leaves VRAM for memory that both can reach. The books of VRAM (docs/memory.md) count a
 * segment once, for the process that has allocated it, also after that has ended.
 *
 * Threads may call all functions at any time. Two attachments of a segment on one @drm have one
 * handle, which goes with the second tgshm_dt(): so a program uses one number for a DRM file, not a
 * copy made by dup().
 */
#ifndef TIMEGRAPH_SHM_H
#define TIMEGRAPH_SHM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* In the flags of tgshm_get(), and in a mode: the segment goes with its last attachment */
#define TGSHM_VOLATILE	0x10000

/**
 * struct tgshm_at - an attachment
 * @handle: GEM handle of @drm
 * @drm: the file descriptor that it was attached with
 * @size: bytes that tgshm_get() asked for when the segment was made
 * @map: the library's
 */
struct tgshm_at {
	uint32_t handle;
	int drm;
	uint64_t size;
	void *map;
};

/**
 * tgshm_get() - the id of the segment of a key
 * @drm: where to allocate it, if it has to be made; else not looked at
 * @key: IPC_PRIVATE: a new segment that no key finds
 * @size: bytes; 0: any, of a segment that is there
 * @flags: nine bits of a mode, IPC_CREAT, IPC_EXCL, TGSHM_VOLATILE
 *
 * Return: the id, or -1.
 */
int tgshm_get(int drm, key_t key, size_t size, int flags);

/**
 * tgshm_at() - attach a segment
 * @drm: where the program wants to use it
 * @id: the segment
 * @flags: 0
 * @at: the attachment; keep it for tgshm_dt()
 *
 * It takes the permission to read and write. Return: 0 or -1.
 */
int tgshm_at(int drm, int id, int flags, struct tgshm_at *at);

/** tgshm_dt() - let go of it, and close its handle. Return: 0 or -1 (EINVAL: it is not attached) */
int tgshm_dt(struct tgshm_at *at);

/**
 * tgshm_ctl() - ask, change or remove a segment
 * @id: the segment
 * @cmd: IPC_STAT: fill in @ds. IPC_SET: shm_perm.uid, .gid and nine bits of .mode become those of
 *	@ds. IPC_RMID: remove it, @ds may be NULL
 * @ds: as for shmctl(2); in shm_perm.mode also TGSHM_VOLATILE, where that has so many bits
 *
 * Return: 0 or -1.
 */
int tgshm_ctl(int id, int cmd, struct shmid_ds *ds);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* TIMEGRAPH_SHM_H */
