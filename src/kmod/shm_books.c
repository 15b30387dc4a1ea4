// SPDX-License-Identifier: GPL-2.0
/*
 * The books of shared device memory (shm_books.h): keys, ids, permissions and lifetimes, as System
 * V's shm has them.
 *
 * shm.c calls this under its lock; so does tests/user/shm/model.c, in user space. Time is bounded
 * by TGSHM_SEGMENTS.
 *
 *	made --attach--> attached --detach--> made		(until RMID, or VOLATILE)
 *	made --RMID--> gone
 *	attached --RMID--> doomed (TGSHM_DEST) --last detach--> gone
 *
 * An id is a slot and a generation, which is another one after each round through the slots. So
 * the id of a segment that has gone finds nothing, or another generation: EINVAL, as Linux says to
 * both.
 */
#include "shm_books.h"

#define SLOT_BITS	15
#define GENERATIONS	(1u << (31 - SLOT_BITS))
#define ROUND		64	/* slots of a round, at least: as Linux's ipc_min_cycle */

#define MODE		0777
#define READ_WRITE	0666

void shm_space_init(struct shm_space *space)
{
	memset(space, 0, sizeof(*space));
	space->last = -1;
}

/* May @who do with it what the bits of @want, a mode, say? As Linux's ipcperms(). */
static bool permitted(const struct shm_segment *segment, const struct shm_who *who, u32 want)
{
	const struct tgshm_stat *stat = &segment->stat;
	u32 granted = stat->mode;

	want = (want >> 6 | want >> 3 | want) & 7;
	if (who->uid == stat->cuid || who->uid == stat->uid)
		granted >>= 6;
	else if (who->member(who, stat->cgid) || who->member(who, stat->gid))
		granted >>= 3;
	return !(want & ~granted) || who->may(who, SHM_RIGHT_OWNER);
}

static bool owns(const struct shm_segment *segment, const struct shm_who *who)
{
	return who->uid == segment->stat.cuid || who->uid == segment->stat.uid;
}

static struct shm_segment *by_id(const struct shm_space *space, s32 id, int *error)
{
	const u32 slot = id & (TGSHM_SLOTS - 1);
	struct shm_segment *segment;

	*error = -EINVAL;
	if (id < 0 || !space || slot >= TGSHM_SEGMENTS || !space->slot[slot])
		return NULL;
	segment = space->slot[slot];
	return segment->stat.id == id ? segment : NULL;
}

static struct shm_segment *by_key(const struct shm_space *space, s32 key)
{
	u32 i;

	for (i = 0; space && i < TGSHM_SEGMENTS; i++)
		if (space->slot[i] && space->slot[i]->stat.key == key)
			return space->slot[i];
	return NULL;
}

/* The slot of a new segment; one is free, since all spaces together have no more segments. */
static u32 free_slot(const struct shm_space *space)
{
	u32 round = space->used * 3 / 2, i;

	if (round < ROUND)
		round = ROUND;
	if (round > TGSHM_SEGMENTS)
		round = TGSHM_SEGMENTS;
	for (i = space->next; i < round; i++)
		if (!space->slot[i])
			return i;
	for (i = 0; i < TGSHM_SEGMENTS - 1 && space->slot[i]; i++)
		;
	return i;
}

/*
 * Is there room for one more of this user's, in the table, and of @new (NULL: not known yet) in the
 * VRAM of its GPU? One user may have a half of that, all users but root three quarters together.
 */
static bool has_room(const struct shm_books *books, const struct shm_who *who,
		     const struct shm_segment *new)
{
	u64 bytes = new ? new->bytes : 0, own_bytes = bytes, users_bytes = bytes;
	const struct shm_segment *segment;
	u32 own = 0, users = 0;

	list_for_each_entry(segment, &books->segments, all) {
		bytes = new && segment->gpu == new->gpu ? segment->bytes : 0;
		if (segment->payer == who->payer) {
			own++;
			own_bytes += bytes;
		}
		if (segment->payer != SHM_ROOT) {
			users++;
			users_bytes += bytes;
		}
	}
	if (!shm_may_count(who->payer, own, users))
		return false;
	return !new || (own_bytes <= new->vram / 2 &&
			(who->payer == SHM_ROOT || users_bytes <= new->vram / 4 * 3));
}

static int make(struct shm_books *books, struct shm_space *space, const struct shm_who *who,
		const struct tgshm_get *get, struct shm_segment *new)
{
	u32 slot;

	if (!get->size)
		return -EINVAL;
	if (!has_room(books, who, new))
		return -ENOSPC;
	if (!new || !space)
		return -ENODATA;
	slot = free_slot(space);
	if ((s32)slot <= space->last)
		space->generation = (space->generation + 1) % GENERATIONS;
	space->last = slot;
	space->next = slot + 1;
	space->used++;
	space->slot[slot] = new;
	new->space = space;
	new->payer = who->payer;
	new->stat = (struct tgshm_stat){
		.id = space->generation << SLOT_BITS | slot, .key = get->key, .size = get->size,
		.uid = who->uid, .gid = who->gid, .cuid = who->uid, .cgid = who->gid,
		.mode = get->flags & (MODE | TGSHM_VOLATILE), .ctime = who->now,
		.cpid = who->pid,
	};
	list_add_tail(&new->all, &books->segments);
	books->nr++;
	return new->stat.id;
}

int shm_get(struct shm_books *books, struct shm_space *space, const struct shm_who *who,
	    const struct tgshm_get *get, struct shm_segment *new)
{
	const struct shm_segment *segment = get->key ? by_key(space, get->key) : NULL;

	if (!get->key)
		return make(books, space, who, get, new);
	if (!segment)
		return get->flags & TGSHM_CREAT ? make(books, space, who, get, new) : -ENOENT;
	if (get->flags & TGSHM_CREAT && get->flags & TGSHM_EXCL)
		return -EEXIST;
	if (segment->stat.size < get->size)
		return -EINVAL;
	return permitted(segment, who, get->flags & MODE) ? segment->stat.id : -EACCES;
}

struct shm_segment *shm_look(const struct shm_space *space, const struct shm_who *who, s32 id,
			     int *error)
{
	struct shm_segment *segment = by_id(space, id, error);

	if (segment && !permitted(segment, who, READ_WRITE)) {
		*error = -EACCES;
		return NULL;
	}
	return segment;
}

/*
 * Processes enough, each with all the mappings that Linux allows, have more than 2^32. A fork
 * cannot be refused here.
 */
static void count_attached(struct shm_segment *segment, s64 more)
{
	segment->attached += more;
	segment->stat.nattch = segment->attached < U32_MAX ? segment->attached : U32_MAX;
}

void shm_attach(struct shm_segment *segment, const struct shm_who *who)
{
	count_attached(segment, 1);
	segment->stat.atime = who->now;
	segment->stat.lpid = who->pid;
}

void shm_forget(struct shm_books *books, struct shm_segment *segment)
{
	struct shm_space *space = segment->space;

	space->slot[segment->stat.id & (TGSHM_SLOTS - 1)] = NULL;
	space->used--;
	segment->space = NULL;
	list_del_init(&segment->all);
	books->nr--;
}

bool shm_detach(struct shm_books *books, struct shm_segment *segment, const struct shm_who *who)
{
	count_attached(segment, -1);
	segment->stat.dtime = who->now;
	segment->stat.lpid = who->pid;
	if (segment->stat.nattch || !(segment->stat.mode & (TGSHM_DEST | TGSHM_VOLATILE)))
		return false;
	shm_forget(books, segment);
	return true;
}

int shm_stat(const struct shm_space *space, const struct shm_who *who, s32 id,
	     struct tgshm_stat *stat)
{
	int error;
	const struct shm_segment *segment = by_id(space, id, &error);

	if (!segment)
		return error;
	if (!permitted(segment, who, 0444))
		return -EACCES;
	*stat = segment->stat;
	return 0;
}

/* A segment to change or remove: by its owner, its maker or root. */
static struct shm_segment *own_by_id(const struct shm_space *space, const struct shm_who *who,
				     s32 id, int *error)
{
	struct shm_segment *segment = by_id(space, id, error);

	if (segment && !owns(segment, who) && !who->may(who, SHM_RIGHT_ADMIN)) {
		*error = -EPERM;
		return NULL;
	}
	return segment;
}

int shm_set(const struct shm_space *space, const struct shm_who *who, const struct tgshm_stat *set)
{
	int error;
	struct shm_segment *segment = own_by_id(space, who, set->id, &error);
	struct tgshm_stat *stat;

	if (!segment)
		return error;
	/* The host has not been able to read these numbers. */
	if (set->uid == U32_MAX || set->gid == U32_MAX)
		return -EINVAL;
	stat = &segment->stat;
	stat->uid = set->uid;
	stat->gid = set->gid;
	stat->mode = (stat->mode & ~MODE) | (set->mode & MODE);
	stat->ctime = who->now;
	return 0;
}

void shm_doom(struct shm_segment *segment)
{
	segment->stat.mode |= TGSHM_DEST;
	segment->stat.key = 0;
}

int shm_remove(struct shm_books *books, struct shm_space *space, const struct shm_who *who, s32 id,
	       struct shm_segment **gone)
{
	int error;
	struct shm_segment *segment = own_by_id(space, who, id, &error);

	*gone = NULL;
	if (!segment)
		return error;
	if (segment->stat.nattch) {
		shm_doom(segment);
		return 0;
	}
	shm_forget(books, segment);
	*gone = segment;
	return 0;
}

const struct shm_segment *shm_next(const struct shm_space *space, const struct shm_who *who,
				   u32 from)
{
	const struct shm_segment *segment, *others = NULL;
	u32 i;

	for (i = from; space && i < TGSHM_SEGMENTS; i++) {
		segment = space->slot[i];
		if (!segment)
			continue;
		if (!owns(segment, who)) {
			others = others ?: segment;
			continue;
		}
		break;
	}
	/* A right is asked for once: a security module may log each refusal. */
	if (others && who->may(who, SHM_RIGHT_ADMIN))
		return others;
	return space && i < TGSHM_SEGMENTS ? space->slot[i] : NULL;
}
