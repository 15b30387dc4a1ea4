/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books of shared device memory: which segments there are, under which key and id, and which
 * processes may do what with them: shm_books.c.
 *
 * Pure: no lock, no allocation, no clock, so that tests/user/shm/model.c holds the same file
 * against System V's own shm. The host (shm.c) calls it under its lock, gives the memory for
 * segments and spaces, and frees it. Answers are 0 or more, or a negative errno, in the order in
 * which Linux's ipc/shm.c finds them.
 */
#ifndef TGK_SHM_BOOKS_H
#define TGK_SHM_BOOKS_H

#include <tg/types.h>
#include <uapi/tgshm.h>

/** enum shm_right - what a process may do beside what mode and owner give it */
enum shm_right { SHM_RIGHT_OWNER, SHM_RIGHT_ADMIN };	/* CAP_IPC_OWNER, CAP_SYS_ADMIN */

/**
 * struct shm_who - the process that asks, and when
 * @uid: its effective user, in the host's numbers; as @gid, its effective group
 * @gid: see @uid
 * @payer: the user who pays for what it makes
 * @pid: its number
 * @now: seconds
 * @member: is it in the group?
 * @may: has it the right? Asked only where the mode, or the owner, does not give it
 */
struct shm_who {
	u32 uid, gid, payer;
	s32 pid;
	s64 now;
	bool (*member)(const struct shm_who *who, u32 gid);
	bool (*may)(const struct shm_who *who, enum shm_right right);
};

/**
 * struct shm_segment - one
 * @all: in shm_books.segments
 * @space: where its id counts; NULL: it has gone, or is not booked yet
 * @stat: what there is to say; users and groups in the host's numbers
 * @payer: as in struct shm_who
 * @attached: attachments; @stat has no more than its 32 bits hold
 * @gpu: whose VRAM it takes, compared only; NULL: that GPU has gone
 * @bytes: how much it takes
 * @vram: how much the GPU had when the segment was made
 * @buf: the host's
 * @lost: the host's: its GPU has gone
 */
struct shm_segment {
	struct list_head all;
	struct shm_space *space;
	struct tgshm_stat stat;
	u32 payer;
	u64 attached, bytes, vram;
	const void *gpu;
	void *buf;
	bool lost;
};

/**
 * struct shm_space - the segments of one IPC namespace
 * @node: the host's
 * @name: the host's
 * @payer: the host's: who pays for it
 * @used: how many segments
 * @next: the slot from which the next one is looked for
 * @last: slot of the latest one, as in Linux's ipc_addid()
 * @generation: part of ids: another one after each round through the slots
 * @slot: by the low bits of their ids; NULL: free
 */
struct shm_space {
	struct list_head node;
	void *name;
	u32 payer, used, next, generation;
	s32 last;
	struct shm_segment *slot[TGSHM_SEGMENTS];
};

/**
 * struct shm_books - all segments
 * @segments: shm_segment.all
 * @nr: how many
 */
struct shm_books {
	struct list_head segments;
	u32 nr;
};

#define SHM_ROOT	0	/* who pays for root's */

/**
 * shm_may_count() - may @payer have one more, of segments or spaces?
 * @payer: the user
 * @own: how many that one has
 * @users: how many all users but root have
 *
 * A place that is left to root is root's also when users would fill the table.
 */
static inline bool shm_may_count(u32 payer, u32 own, u32 users)
{
	return own < TGSHM_PER_USER &&
	       (payer == SHM_ROOT || users < TGSHM_SEGMENTS - TGSHM_PER_USER);
}

/* A space of no segments. */
void shm_space_init(struct shm_space *space);

/**
 * shm_get() - find a segment, or make one
 * @books: the books
 * @space: the caller's; NULL: it has no segment yet
 * @who: the caller
 * @get: key, flags and size
 * @new: memory for a segment, with its @buf, @gpu, @bytes and @vram; NULL: none. Booked if its
 *	@space is set afterwards
 *
 * Return: its id; -ENODATA: it is to be made and @new, or @space, is NULL; ENOENT, EEXIST, EACCES,
 * EINVAL, ENOSPC.
 */
int shm_get(struct shm_books *books, struct shm_space *space, const struct shm_who *who,
	    const struct tgshm_get *get, struct shm_segment *new);

/** shm_look() - a segment to read and write, not attached; NULL: *@error says why not */
struct shm_segment *shm_look(const struct shm_space *space, const struct shm_who *who, s32 id,
			     int *error);

/* Attach what shm_look() gave, or what is attached, once more: a child has it too. */
void shm_attach(struct shm_segment *segment, const struct shm_who *who);

/** shm_detach() - let go of it. Return: it has gone, and is the host's to free */
bool shm_detach(struct shm_books *books, struct shm_segment *segment, const struct shm_who *who);

int shm_stat(const struct shm_space *space, const struct shm_who *who, s32 id,
	     struct tgshm_stat *stat);
int shm_set(const struct shm_space *space, const struct shm_who *who, const struct tgshm_stat *set);

/** shm_remove() - RMID. *@gone: the segment, if it is the host's to free; or NULL */
int shm_remove(struct shm_books *books, struct shm_space *space, const struct shm_who *who, s32 id,
	       struct shm_segment **gone);

/** shm_next() - the first one from slot @from on that @who owns or has made, or may see; or NULL */
const struct shm_segment *shm_next(const struct shm_space *space, const struct shm_who *who,
				   u32 from);

/** shm_doom() - it goes with its last attachment, and no key finds it any more */
void shm_doom(struct shm_segment *segment);

/** shm_forget() - take a segment without attachments out of the books, of any owner */
void shm_forget(struct shm_books *books, struct shm_segment *segment);

#endif /* TGK_SHM_BOOKS_H */
