/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a row of sched.h says of its driver's arguments. It needs nothing of the module, so that
 * tests/unit/rings compiles rows in user space. sched.h includes this.
 */
#ifndef TGK_SCHED_ROW_H
#define TGK_SCHED_ROW_H

#define TGK_SUBMITS	4	/* ioctls that submit, at most */
#define TGK_SYNC_LISTS	4	/* of one submission, whose fences are awaited */
#define TGK_SYNC_HANDLES	2	/* beside them, in the arguments */
#define TGK_SYNCS	1024	/* of one list, likewise */
#define TGK_SYNC_SIZE	48	/* bytes of an entry, at most */

/**
 * struct tgk_sync - a syncobj that a submission waits for
 * @handle: its handle; 0: there is nothing to wait for
 * @point: of its timeline, or 0
 * @flags: for drm_syncobj_find_fence()
 */
struct tgk_sync {
	u32 handle;
	u64 point, flags;
};

/**
 * struct tgk_sync_list - an array of those, in the client's memory
 * @at: its address
 * @nr: how many there are; those beyond TGK_SYNCS are the driver's
 * @size: bytes of each, at most TGK_SYNC_SIZE
 * @decode: what does such an entry name? Its copy is one that the client cannot change
 */
struct tgk_sync_list {
	u64 at;
	u32 nr, size;
	void (*decode)(const void *entry, struct tgk_sync *sync);
};

/* tgk_sync_list.decode of an array of handles, of 32 bits each. */
static inline void tgk_sched_decode_handle(const void *entry, struct tgk_sync *sync)
{
	sync->handle = *(const u32 *)entry;
}

/**
 * struct tgk_sched_args - what the arguments of a submission say
 * @chid: the channel
 * @nr_handles: how many of @handle there are
 * @nr_lists: how many of @list there are
 * @handle: syncobjs that it waits for, which stand in the arguments
 * @list: what else it waits for
 * @has_file: it waits for a sync_file, too
 * @file: its descriptor
 */
struct tgk_sched_args {
	u32 chid, nr_handles, nr_lists;
	u32 handle[TGK_SYNC_HANDLES];
	struct tgk_sync_list list[TGK_SYNC_LISTS];
	bool has_file;
	s32 file;
};

/* A syncobj more, at most TGK_SYNC_HANDLES of them; 0: none. */
static inline void tgk_sched_handle(struct tgk_sched_args *to, u32 handle)
{
	if (handle)
		to->handle[to->nr_handles++] = handle;
}

/* A sync_file, at most one. */
static inline void tgk_sched_file(struct tgk_sched_args *to, s32 file)
{
	to->has_file = true;
	to->file = file;
}

/* A list more; one beyond TGK_SYNC_LISTS is the driver's. */
static inline void tgk_sched_list(struct tgk_sched_args *to, u64 at, u32 nr, u32 size,
				  void (*decode)(const void *entry, struct tgk_sync *sync))
{
	if (nr && to->nr_lists < TGK_SYNC_LISTS)
		to->list[to->nr_lists++] = (struct tgk_sync_list){
			.at = at, .nr = min_t(u32, nr, TGK_SYNCS), .size = size, .decode = decode,
		};
}

/**
 * struct tgk_sched_ioctl - an ioctl that submits
 * @nr: which of the driver's ioctls
 * @size: of its arguments, at most TGK_ARGS; 0: there is no such ioctl
 * @read: what do the arguments say? @to is all zero. Channels are few for each file. What it reads
 *	of the client's memory the client may change before the driver reads it: no more than the
 *	order of its own submissions may depend on it. What cannot be read, or is too much, is left
 *	out: the submission goes through the gate all the same. Return: false: the driver will
 *	refuse it, or make no job of it, whatever it finds in the client's memory
 */
struct tgk_sched_ioctl {
	u32 nr;
	size_t size;
	bool (*read)(const void *args, struct tgk_sched_args *to);
};

/**
 * struct tgk_beside - an ioctl by which a client makes something that bypasses the gate
 * @nr: which of the driver's ioctls; a version that has none, or another one, is not watched
 * @size: of its arguments, at most TGK_BESIDE_ARGS; 0: there is no such ioctl
 * @makes: does a call with these arguments make such a thing, if the driver takes it?
 * @what: what that is, and what follows, for the log
 */
struct tgk_beside {
	u32 nr;
	size_t size;
	bool (*makes)(const void *args);
	const char *what;
};

/**
 * struct tgk_queue - an ioctl by which a client makes a queue that it submits to
 * @nr: which of the driver's ioctls; a version that has none, or another one, is not watched
 * @size: of its arguments, at most TGK_BESIDE_ARGS; 0: there is no such ioctl
 * @engine: which engine executes what is submitted to a queue that is made with these arguments?
 *	Asked before the driver reads them. TG_ENGINES_MAX: none is, or that cannot be read. The
 *	client may change what stands in its memory, as for tgk_sched.read
 * @chid: the channel of the queue, by the same arguments with the driver's answer
 */
struct tgk_queue {
	u32 nr;
	size_t size;
	u32 (*engine)(const void *args);
	u32 (*chid)(const void *args);
};

/**
 * struct tgk_ring - rings of one kind, each of which has a scheduler of drm_sched
 * @name: so its name begins
 * @engine: which engine executes their jobs
 */
struct tgk_ring {
	const char *name;
	u32 engine;
};

#endif /* TGK_SCHED_ROW_H */
