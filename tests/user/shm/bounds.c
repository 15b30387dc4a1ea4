// SPDX-License-Identifier: GPL-2.0
/*
 * What the books of shared device memory (src/kmod/shm_books.c) allow each user: how many segments,
 * how much VRAM, what is left to root; and a count of attachments beyond 32 bits. A row each.
 */
#include <errno.h>
#include <stdlib.h>

#include "shm_books.h"
#include "../../lib/test.h"

#define MIB	(1ull << 20)
#define VRAM	(240 * MIB)	/* of the books of a card of 256 MiB */

static struct shm_books books = { .segments = { &books.segments, &books.segments } };
static struct shm_space space;
static const char gpus[2];

static bool member(const struct shm_who *who, u32 gid)
{
	return false;
}

static bool may(const struct shm_who *who, enum shm_right right)
{
	return !who->uid;
}

static struct shm_who user(u32 uid)
{
	return (struct shm_who){ .uid = uid, .payer = uid, .member = member, .may = may };
}

/* A segment more of this user's; its id, or an errno. */
static int get(u32 uid, int gpu, u64 bytes)
{
	const struct tgshm_get get = { .flags = 0600, .size = 1 };
	struct shm_segment *new = calloc(1, sizeof(*new));
	struct shm_who who = user(uid);
	int ret;

	if (!new)
		return -ENOMEM;
	new->gpu = &gpus[gpu];
	new->bytes = bytes;
	new->vram = VRAM;
	ret = shm_get(&books, &space, &who, &get, new);
	if (!new->space)
		free(new);
	return ret;
}

static void clear(void)
{
	struct shm_segment *segment, *next;

	list_for_each_entry_safe(segment, next, &books.segments, all) {
		shm_forget(&books, segment);
		free(segment);
	}
	shm_space_init(&space);
}

/* What is asked for in turn, and what the last one gets; all before it get theirs. */
static const struct {
	const char *name;
	struct {
		u32 uid, gpu, mib;
	} get[5];
	int ret;
} rows[] = {
	{ "half of the VRAM", { { 1, 0, 120 } }, 0 },
	{ "more than half", { { 1, 0, 121 } }, -ENOSPC },
	{ "more than half in two", { { 1, 0, 60 }, { 1, 0, 61 } }, -ENOSPC },
	{ "half of another card's beside it", { { 1, 0, 120 }, { 1, 1, 120 } }, 0 },
	{ "three quarters by two users", { { 1, 0, 120 }, { 2, 0, 60 } }, 0 },
	{ "more than three quarters by two users", { { 1, 0, 120 }, { 2, 0, 61 } }, -ENOSPC },
	{ "more than three quarters by three", { { 1, 0, 80 }, { 2, 0, 80 }, { 3, 0, 21 } }, -ENOSPC },
	{ "root beside three quarters", { { 1, 0, 120 }, { 2, 0, 60 }, { 0, 0, 60 } }, 0 },
	{ "root's does not count for users", { { 0, 0, 120 }, { 1, 0, 120 }, { 2, 0, 60 } }, 0 },
	{ "root has no more than half", { { 0, 0, 60 }, { 0, 0, 61 } }, -ENOSPC },
	{ "another number beyond 32 bits", { { 1, 0, 4096 + 60 } }, -ENOSPC },
};

static void bytes(void)
{
	size_t i, k;
	int ret;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		clear();
		for (k = 0, ret = 0; ret >= 0 && k < 5 && rows[i].get[k].mib; k++)
			ret = get(rows[i].get[k].uid, rows[i].get[k].gpu, rows[i].get[k].mib * MIB);
		test_row(rows[i].name, (k == 5 || !rows[i].get[k].mib) && (ret < 0 ? ret : 0) == rows[i].ret,
			 "number %zu got %d, wanted %d", k, ret, rows[i].ret);
	}
}

/* The books without what the last row has got. */
static void given_back(void)
{
	struct shm_segment *gone;
	struct shm_who who = user(1);
	int id, ret;

	clear();
	id = get(1, 0, 120 * MIB);
	ret = shm_remove(&books, &space, &who, id, &gone);
	free(gone);
	test_row("removed: there is room again", !ret && get(1, 0, 120 * MIB) >= 0, "rmid %d", ret);
}

static void entries(void)
{
	int ret = 0;
	u32 i;

	clear();
	for (i = 0; i < 10 * TGSHM_PER_USER && ret >= 0; i++)
		ret = get(1 + i / TGSHM_PER_USER, 0, 0);
	test_row("all users but root", ret == -ENOSPC && i == TGSHM_SEGMENTS - TGSHM_PER_USER + 1,
		 "number %u: %d", i, ret);
	for (i = 0, ret = 0; i < 2 * TGSHM_PER_USER && ret >= 0; i++)
		ret = get(0, 0, 0);
	test_row("root's beside them", ret == -ENOSPC && i == TGSHM_PER_USER + 1, "number %u: %d", i, ret);
	test_row("the table is full", books.nr == TGSHM_SEGMENTS, "%u", books.nr);
	clear();
	for (i = 0, ret = 0; i < 2 * TGSHM_PER_USER && ret >= 0; i++)
		ret = get(1, 0, 0);
	test_row("one user's", ret == -ENOSPC && i == TGSHM_PER_USER + 1, "number %u: %d", i, ret);
}

static void attachments(void)
{
	struct shm_who who = user(1);
	struct shm_segment *segment, *gone;
	bool ended;
	int id;

	clear();
	id = get(1, 0, MIB);
	segment = shm_look(&space, &who, id, &(int){ 0 });
	segment->attached = U32_MAX - 1ull;
	shm_attach(segment, &who);
	test_row("2^32 - 1 attachments", segment->stat.nattch == U32_MAX, "%u", segment->stat.nattch);
	shm_attach(segment, &who);
	shm_attach(segment, &who);
	test_row("beyond: the number stays", segment->stat.nattch == U32_MAX, "%u", segment->stat.nattch);
	shm_remove(&books, &space, &who, id, &gone);
	test_row("and it is not removed", !gone && segment->space, "gone");
	ended = shm_detach(&books, segment, &who) || shm_detach(&books, segment, &who) ||
		shm_detach(&books, segment, &who);
	test_row("it counts down again", !ended && segment->stat.nattch == U32_MAX - 1, "%u",
		 segment->stat.nattch);
	segment->attached = 1;
	ended = shm_detach(&books, segment, &who);
	test_row("and goes with the last one", ended, "it is there");
	if (ended)
		free(segment);
}

int main(void)
{
	shm_space_init(&space);
	bytes();
	given_back();
	entries();
	attachments();
	clear();
	return test_end();
}
