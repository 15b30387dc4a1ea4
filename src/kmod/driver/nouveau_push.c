// SPDX-License-Identifier: GPL-2.0
/*
 * Push buffers, read for the predictor: the key of a group, before SUBMIT.
 *
 * Called by submit.c in the submitting thread, without any lock, for clients whose reserve is AE.
 * The words lie in GEM objects of the client: in system memory as a rule (mapped page by page,
 * which costs nothing), in VRAM if it likes (read through the BAR). PUSHBUF names the objects; EXEC
 * names addresses of the GPU, and space.c knows what lies there. The reader trusts nothing:
 *
 *	- A piece must lie within its object. nouveau does not look; the GPU would find other
 *	  memory behind it, or none. Such a group is unreadable, which only makes its prediction a
 *	  miss.
 *	- Each word is copied once, and looked at in the copy. A client that changes it
 *	  later gets a wrong prediction; the core charges the group's real cost all the same, so the
 *	  client gains no more than one group's overrun, and pays it back.
 *	- READ_MAX bounds the work. Data of commands is passed over, not read.
 *
 * No key is kept with an object for the next group: a client writes its push buffers at any time,
 * through a map of which no kernel tells when, so there is no generation to compare, and to compare
 * the words would take what reading them takes.
 *
 * The object's reservation lock is held meanwhile, so that TTM does not move it. nouveau takes the
 * same lock for the same submission right after; another thread of the client that has it makes
 * both wait.
 */
#include <drm/drm_gem_ttm_helper.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_tt.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/pgtable.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "gpu.h"
#include "nouveau.h"
#include "space.h"
#include "vram.h"
#include "wrap/nouveau.h"

#define PAGE_WORDS	(PAGE_SIZE / sizeof(u32))
#define PART		32		/* words copied at a time, on the stack */
#define READ_MAX	131072		/* words read of one group */
#define IO_PRICE	64		/* as many as one word through the BAR counts for */
#define PIECE_PRICE	16		/* and a piece of an EXEC, beside its words */

/**
 * struct view - one page of an object, mapped; under the object's reservation lock
 * @at: its first word
 * @iomem: it lies behind the BAR
 * @reserved: we have had nouveau put the object there
 * @page: it is mapped where the kernel has all memory, as this page; NULL: in a map of its own
 */
struct view {
	const void *at;
	bool iomem, reserved;
	struct page *page;
};

static bool map_io(struct view *v, const struct ttm_buffer_object *bo, unsigned long page)
{
	const struct ttm_resource *res = bo->resource;
	const resource_size_t at = res->bus.offset + ((resource_size_t)page << PAGE_SHIFT);

	/* nouveau leaves an address in @bus where it could not put the object into the BAR. */
	if (!tgk_in_bar(bo->base.dev->dev, at))
		return false;
	v->at = (const void __force *)(res->bus.caching == ttm_write_combined ?
				       ioremap_wc(at, PAGE_SIZE) : ioremap(at, PAGE_SIZE));
	return v->at;
}

/* A second map of a page must not differ from the others in how the CPU caches it. */
static bool map_page(struct view *v, const struct ttm_tt *tt, unsigned long page)
{
	pgprot_t prot = PAGE_KERNEL;

	if (tt->caching == ttm_cached && !(tt->page_flags & TTM_TT_FLAG_DECRYPTED)) {
		v->page = tt->pages[page];
		v->at = kmap_local_page(v->page);
		return true;
	}
	if (tt->page_flags & TTM_TT_FLAG_DECRYPTED)
		prot = pgprot_decrypted(prot);
	if (tt->caching == ttm_write_combined)
		prot = pgprot_writecombine(prot);
	else if (tt->caching == ttm_uncached)
		prot = pgprot_noncached(prot);
	v->at = vmap(&tt->pages[page], 1, 0, prot);
	return v->at;
}

static void view_close(struct view *v, struct ttm_buffer_object *bo)
{
	struct ttm_resource *res = bo->resource;

	if (v->page)
		kunmap_local(v->at);
	else if (v->at && v->iomem)
		iounmap((void __iomem __force *)v->at);
	else
		vunmap(v->at);
	if (!v->reserved || !res->bus.offset)
		return;
	if (bo->bdev->funcs->io_mem_free)
		bo->bdev->funcs->io_mem_free(bo->bdev, res);
	res->bus.offset = 0;
}

/*
 * In the place of ttm_bo_kmap(), which is in a module that this one must load without. And that
 * function reserves an object which the client has mapped through the BAR, too: when its map ends,
 * nouveau takes the object out of the BAR, and the client's mapping with it.
 */
static bool view_open(struct view *v, struct ttm_buffer_object *bo, unsigned long page)
{
	struct ttm_resource *res = bo->resource;
	bool good;

	*v = (struct view){ .reserved = !res->bus.offset };
	if (v->reserved) {
		res->bus.is_iomem = false;
		if (bo->bdev->funcs->io_mem_reserve &&
		    bo->bdev->funcs->io_mem_reserve(bo->bdev, res)) {
			res->bus.offset = 0;
			res->bus.is_iomem = false;
			return false;
		}
	}
	v->iomem = res->bus.is_iomem;
	if (v->iomem)
		good = map_io(v, bo, page);
	else	/* Pages that are not there have been swapped out, or nothing is in them. */
		good = bo->ttm && ttm_tt_is_populated(bo->ttm) && page < bo->ttm->num_pages &&
		       map_page(v, bo->ttm, page);
	if (!good)
		view_close(v, bo);
	return good;
}

/* Under the object's reservation lock: is there something that view_open() can map? */
static bool mappable(const struct ttm_buffer_object *bo)
{
	if (!bo->resource)
		return false;
	if (bo->resource->mem_type != TTM_PL_SYSTEM && bo->resource->mem_type != TTM_PL_TT)
		return true;
	/* Imported: its pages are another driver's. */
	return bo->ttm && !(bo->ttm->page_flags & TTM_TT_FLAG_EXTERNAL);
}

/* Go on with @n words of one mapped page, which begin at @word. */
static bool build(struct tg_key_builder *b, const struct view *v, u32 word, u32 n, u32 *left)
{
	const u32 *page = v->at;
	u32 words[PART], part;

	for (; n; word += part, n -= part) {
		part = tg_key_skip(b, n);
		if (part)
			continue;
		part = min_t(u32, n, PART);
		if (*left < (v->iomem ? part * IO_PRICE : part))
			return false;
		*left -= v->iomem ? part * IO_PRICE : part;
		if (v->iomem)
			memcpy_fromio(words, (const u32 __iomem __force *)page + word,
				      part * sizeof(u32));
		else
			memcpy(words, page + word, part * sizeof(u32));
		barrier();	/* from here on, there is only the copy */
		if (!tg_key_build(b, words, part))
			return false;
	}
	return true;
}

/* Go on with @n words of an object whose reservation lock is held. */
static bool build_from(struct tg_key_builder *b, struct ttm_buffer_object *bo, u64 word, u32 n,
		       u32 *left)
{
	bool good = true;
	struct view v;
	u32 part;

	for (; good && n; word += part, n -= part) {
		part = tg_key_skip(b, n);
		if (part)
			continue;
		part = min_t(u32, n, PAGE_WORDS - word % PAGE_WORDS);
		if (!view_open(&v, bo, word / PAGE_WORDS))
			return false;
		good = build(b, &v, word % PAGE_WORDS, part, left);
		view_close(&v, bo);
		cond_resched();
	}
	return good;
}

static bool build_piece(struct tg_key_builder *b, struct drm_file *file,
			const struct tgk_piece *piece, u32 *left)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, piece->handle);
	bool good = false;

	if (!obj)
		return false;
	if (piece->offset % sizeof(u32) || piece->offset > obj->size ||
	    piece->bytes > obj->size - piece->offset)
		goto put;
	if (dma_resv_lock_interruptible(obj->resv, NULL))
		goto put;
	if (mappable(drm_gem_ttm_of_gem(obj)))
		good = build_from(b, drm_gem_ttm_of_gem(obj), piece->offset / sizeof(u32),
				  piece->bytes / sizeof(u32), left);
	dma_resv_unlock(obj->resv);
put:
	tgk_object_put(obj);
	return good;
}

/* A push's length: these bits are bytes; another is a flag that older headers do not name. */
#define PUSH_BYTES		0x007ffffcULL
#define PUSH_NO_PREFETCH	0x00800000ULL

/* What tgk_exec.push_ptr points at. */
struct exec_push {
	u64 va;
	u32 va_len, flags;
};

/**
 * struct walk - the pieces of a submission's push buffer, in the order of the GPU's fetches
 * @gpu: the GPU
 * @call: the ioctl
 * @push: number of the push that the next piece is of, from 0
 * @done: so many bytes of that push have been walked; EXEC
 * @left: so many words may be read
 */
struct walk {
	struct tgk_gpu *gpu;
	const struct tgk_call *call;
	u32 push;
	u64 done;
	u32 left;
};

/*
 * The next piece, of a push that names a buffer. The client may change its mind before nouveau
 * looks, too. Return: 1; 0: there is none; negative: not known.
 */
static int next_pushbuf(struct walk *w, struct tgk_piece *piece)
{
	const struct drm_nouveau_gem_pushbuf *req = w->call->data;
	const struct drm_nouveau_gem_pushbuf_push __user *pushes = u64_to_user_ptr(req->push);
	const struct drm_nouveau_gem_pushbuf_bo __user *bos = u64_to_user_ptr(req->buffers);
	struct drm_nouveau_gem_pushbuf_push push;

	if (w->push == req->nr_push)
		return 0;
	if (req->nr_push > NOUVEAU_GEM_MAX_PUSH || req->nr_buffers > NOUVEAU_GEM_MAX_BUFFERS)
		return -EINVAL;
	if (copy_from_user(&push, &pushes[w->push], sizeof(push)))
		return -EFAULT;
	if (push.bo_index >= req->nr_buffers || push.length & ~(PUSH_BYTES | PUSH_NO_PREFETCH))
		return -EINVAL;
	if (get_user(piece->handle, &bos[push.bo_index].handle))
		return -EFAULT;
	piece->offset = push.offset;
	piece->bytes = push.length & PUSH_BYTES;
	w->push++;
	return 1;
}

/* The same, of a push that names an address: as much of it as is one mapping. */
static int next_exec(struct walk *w, struct tgk_piece *piece)
{
	const struct tgk_exec *req = w->call->data;
	const struct exec_push __user *pushes = u64_to_user_ptr(req->push_ptr);
	struct exec_push push;

	if (w->push == req->push_count)
		return 0;
	if (copy_from_user(&push, &pushes[w->push], sizeof(push)))
		return -EFAULT;
	/* Without a word, or it has become shorter meanwhile. */
	if (w->done >= push.va_len || w->left < PIECE_PRICE ||
	    !tgk_space_find(w->gpu, w->call->file, push.va + w->done, push.va_len - w->done,
			    piece))
		return -ENOENT;
	w->left -= PIECE_PRICE;
	w->done += piece->bytes;
	if (w->done == push.va_len) {
		w->done = 0;
		w->push++;
	}
	return 1;
}

/**
 * tgk_nouveau_key() - which commands does a submission consist of?
 * @b: room for the key
 * @gpu: the GPU
 * @call: the ioctl
 *
 * Context: process, without locks; sleeps.
 *
 * Return: the key, in @b; NULL: its push buffers cannot be read, or are no commands, or too many.
 */
const struct tg_key *tgk_nouveau_key(struct tg_key_builder *b, struct tgk_gpu *gpu,
				     const struct tgk_call *call)
{
	struct walk w = { .gpu = gpu, .call = call, .left = READ_MAX };
	struct tgk_piece piece;
	int more;

	tg_key_init(b, tgk_nouveau_methods(gpu->poll.id));
	for (;;) {
		more = call->sched ? next_exec(&w, &piece) : next_pushbuf(&w, &piece);
		if (more <= 0)
			return more ? NULL : tg_key_finish(b);
		if (!build_piece(b, call->file, &piece, &w.left))
			return NULL;
		cond_resched();
	}
}

/**
 * tgk_nouveau_vram() - how much VRAM does a submission need at the same time?
 * @call: the ioctl, refused by nouveau
 * @bytes: receives the size of the objects that it lets lie nowhere else; U64_MAX: all that its
 *	process has. The client may tell nouveau something else
 *
 * Context: process; reads the client's memory.
 *
 * Return: false: it names nothing that may lie there.
 */
bool tgk_nouveau_vram(const struct tgk_call *call, u64 *bytes)
{
	const struct drm_nouveau_gem_pushbuf *req = call->data;
	const struct drm_nouveau_gem_pushbuf_bo __user *bos = u64_to_user_ptr(req->buffers);
	struct drm_nouveau_gem_pushbuf_bo bo;
	struct drm_gem_object *obj;
	bool any = false;
	u32 i, domains;

	*bytes = call->sched ? U64_MAX : 0;
	if (call->sched)
		return true;
	for (i = 0; i < min_t(u32, req->nr_buffers, NOUVEAU_GEM_MAX_BUFFERS); i++) {
		if (copy_from_user(&bo, &bos[i], sizeof(bo)))
			return false;
		domains = bo.valid_domains & (bo.write_domains ?: bo.read_domains);
		any |= !!(domains & NOUVEAU_GEM_DOMAIN_VRAM);
		if (!(domains & NOUVEAU_GEM_DOMAIN_VRAM) || domains & NOUVEAU_GEM_DOMAIN_GART)
			continue;
		obj = drm_gem_object_lookup(call->file, bo.handle);
		if (!obj)
			return false;
		*bytes += obj->size;
		tgk_object_put(obj);
	}
	return any;
}
