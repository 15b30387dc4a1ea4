// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: which object lies at an address of the GPU, as each file has told its driver.
 *
 * The backend of a driver whose submissions name addresses tells of each mapping that the driver
 * has made or ended, and asks where the commands of a submission lie. All in process context, in
 * a thread that has a call of that file open and holds the GPU.
 *
 * What stands here is good enough for a prediction, and for nothing else. A mapping is told of
 * behind the driver's call, so two threads that map the same address may be heard in the other
 * order; one that was asked to happen later counts at once; a handle may have come to mean another
 * object of the same client; and a thread that is killed tells nothing. Each costs a prediction of
 * that client's own groups.
 *
 * No object is held: the driver holds what is mapped. The memory is charged to the client's cgroup,
 * and TGK_MAPPINGS_MAX bounds it.
 */
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "space.h"
#include "space_map.h"

/**
 * struct space - what one file has mapped; in tgk_gpu.spaces from its first mapping until it closes
 * @lock: of @map
 * @map: the mappings
 */
struct space {
	struct mutex lock;	/* of @map */
	struct tgk_map map;
};

static struct space *space_of(struct tgk_gpu *gpu, const struct drm_file *file)
{
	return xa_load(&gpu->spaces, (unsigned long)file);
}

static struct space *space_new(struct tgk_gpu *gpu, const struct drm_file *file)
{
	struct space *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT), *other;

	if (!s)
		return NULL;
	mutex_init(&s->lock);
	other = xa_cmpxchg(&gpu->spaces, (unsigned long)file, NULL, s, GFP_KERNEL_ACCOUNT);
	if (!other)
		return s;
	/* No memory, or another thread was first. */
	kfree(s);
	return xa_is_err(other) ? NULL : other;
}

static void space_free(struct space *s)
{
	struct tgk_mapping *m, *tail = NULL;

	while ((m = tgk_map_cut(&s->map, 0, U64_MAX, &tail))) {
		kfree(m);
		cond_resched();
	}
	kfree(s);
}

/* No client can map the last bytes of 2^64. */
static bool is_range(u64 address, u64 bytes)
{
	return bytes && address + bytes > address;
}

/* Where @bytes begin, @m lies instead of what lay there; NULL: nothing that is known. */
static void replace(struct space *s, u64 address, u64 bytes, struct tgk_mapping *m)
{
	struct tgk_mapping *tail = kmalloc(sizeof(*tail), GFP_KERNEL_ACCOUNT), *gone;

	if (mutex_lock_killable(&s->lock))
		goto free;
	while ((gone = tgk_map_cut(&s->map, address, address + bytes - 1, &tail))) {
		kfree(gone);
		cond_resched();
	}
	if (m && tgk_map_add(&s->map, m))
		m = NULL;
	mutex_unlock(&s->lock);
free:
	kfree(tail);
	kfree(m);
}

/**
 * tgk_space_map() - an object lies there now
 * @gpu: the GPU
 * @file: the file
 * @address: where
 * @piece: what
 *
 * What lay there lies there no more. Without memory it is not known what does.
 */
void tgk_space_map(struct tgk_gpu *gpu, const struct drm_file *file, u64 address,
		   const struct tgk_piece *piece)
{
	struct space *s = space_of(gpu, file) ?: space_new(gpu, file);
	struct tgk_mapping *m;

	if (!s || !is_range(address, piece->bytes))
		return;
	m = kmalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (m)
		*m = (struct tgk_mapping){
			.first = address, .last = address + piece->bytes - 1,
			.handle = piece->handle, .offset = piece->offset,
		};
	replace(s, address, piece->bytes, m);
}

/**
 * tgk_space_unmap() - nothing lies there any more
 * @gpu: the GPU
 * @file: the file
 * @address: where
 * @bytes: how far
 */
void tgk_space_unmap(struct tgk_gpu *gpu, const struct drm_file *file, u64 address, u64 bytes)
{
	struct space *s = space_of(gpu, file);

	if (s && is_range(address, bytes))
		replace(s, address, bytes, NULL);
}

/**
 * tgk_space_find() - what lies there?
 * @gpu: the GPU
 * @file: the file
 * @address: where
 * @bytes: how far
 * @piece: out: the object, and as many of these bytes as are of one mapping
 *
 * Return: something that is known.
 */
bool tgk_space_find(struct tgk_gpu *gpu, const struct drm_file *file, u64 address, u64 bytes,
		    struct tgk_piece *piece)
{
	struct space *s = space_of(gpu, file);
	const struct tgk_mapping *m;

	if (!s || !is_range(address, bytes) || mutex_lock_killable(&s->lock))
		return false;
	m = tgk_map_find(&s->map, address);
	if (m)
		*piece = (struct tgk_piece){
			.handle = m->handle,
			.offset = m->offset + (address - m->first),
			.bytes = min(bytes, m->last - address + 1),
		};
	mutex_unlock(&s->lock);
	return m;
}

/**
 * tgk_space_close() - a file ends, and no call of it is open but that
 * @gpu: the GPU
 * @file: the file
 */
void tgk_space_close(struct tgk_gpu *gpu, const struct drm_file *file)
{
	struct space *s = xa_erase(&gpu->spaces, (unsigned long)file);

	if (s)
		space_free(s);
}

/**
 * tgk_spaces_free() - forget them all
 * @gpu: the GPU, closed and unused
 */
void tgk_spaces_free(struct tgk_gpu *gpu)
{
	struct space *s;
	unsigned long file;

	xa_for_each(&gpu->spaces, file, s)
		space_free(s);
	xa_destroy(&gpu->spaces);
}
