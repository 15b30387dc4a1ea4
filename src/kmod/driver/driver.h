/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The seam: what only a DRM driver whose GPUs are scheduled can tell.
 *
 * Each driver that we know has a struct tgk_driver: nouveau in nouveau*.c; virtio_gpu in virtio.c;
 * drivers all of whose submissions go through drm_sched as rows, in sched_*.c. list.c has them all.
 * No other file but those in wrap/ knows any of them. A submission through an open gate, or one
 * that bypasses the gate, calls nothing here but @engine, where there is one: the driver's function
 * for the ioctl has put into struct tgk_call what else they need.
 *
 * A driver's functions that stand in for its ioctls are called by the user's thread, in process
 * context, under no lock of the driver; each runs between tgk_hook_enter() and tgk_hook_leave().
 */
#ifndef TGK_DRIVER_H
#define TGK_DRIVER_H

#include "clock.h"
#include "hook.h"
#include "poll.h"
#include "tgk.h"

#define TGK_CHIP_NONE	0x1ff		/* no chip's number */
#define TGK_CHID_NONE	(~0u)		/* no channel, or the engine changes contexts */
#define TGK_CHID_GONE	(~0u - 1)	/* the GPU does not answer */

/**
 * struct tgk_chip - a family of chips
 * @first: its chip identifications, from
 * @last: to
 * @engines: how many engines are scheduled
 * @page: offset in BAR0 of the pages that are read, 0: none
 * @read: reads which channel the graphics engine works for: its number, TGK_CHID_NONE, or
 *	TGK_CHID_GONE
 * @clock: offset in BAR0 of the page with the GPU's clock
 * @time: reads the clock. Return: the GPU has answered
 */
struct tgk_chip {
	u32 first, last, engines;
	u32 page[TGK_POLL_PAGES];
	u32 (*read)(void __iomem *const *page);
	u32 clock;
	bool (*time)(void __iomem *page, struct tgk_reading *r);
};

/**
 * struct tgk_driver - a DRM driver
 *
 * What is NULL below where that is allowed has the meaning that its line tells.
 *
 * @name: what its module is called, and so is its driver on the bus
 * @vendor: of its PCI devices; 0: its devices are on the platform bus
 * @virtio: its devices are on the virtio bus, each below one of these PCI devices
 * @component: the driver on the platform bus that the parts of its devices are bound to, which are
 *	named as it is: their DRM devices come and go with those (parts.c). NULL: with the devices
 * @unseen: this module has not been seen on hardware that this driver drives
 * @hooked: hook.c's, for @hooks
 * @hooks: its functions that ours stand in for; the first one is there in every version, and is not
 *	for several engines alone
 * @nr_hooks: how many
 * @close: the hook of the end of a file
 * @free: the hook of the end of an object; its address stands in an object alone
 *	(tgk_hook_free()); NULL: its VRAM is not counted, and there is no @object
 * @chips: families whose registers can be read; those that are not among them have one engine
 * @nr_chips: how many; 0: none, and there is no @readable
 * @readable: what people call them
 * @engines: how many engines are scheduled where @nr_chips is 0; 0: one
 * @engine: which of them executes a submission? Of its fence, of drm_sched's `finished`, in the
 *	thread that submits, the file open. @engines or more: no other than those known. NULL: that
 *	is not told
 * @engine_of: which of them executes the submissions of a channel of this number? Asked before its
 *	first one; @engine is right where it says another one. NULL: that is not known so early, and
 *	the first submission is taken for the first engine's
 * @draws: does this device, on its bus, execute commands at all? NULL: each does
 * @is_known: has this version of the driver the ioctls that we know?
 * @address: the function of that number in @hooks; 0: this version has none, or it is @free's
 * @object: make an object of one page, for a proof. Return: 0 and its handle, or a negative errno
 * @find: has the driver a channel of this number for this file, made and not yet freed? Asked as a
 *	submission would be, through drm_sched or not. Return: 0: it has, or that is not known;
 *	-ENOENT: it has not; or what else the driver answers to each such submission. NULL: the
 *	driver cannot be asked, and the channels that its hooks name are few for each file
 * @chip_id: a GPU's chip identification; TGK_CHIP_NONE: the GPU does not say. Wakes the GPU. NULL:
 *	there is none
 * @makes_fence: is it the fence of a client's submission, and not of work of the driver's own? Of
 *	submissions that do not go through drm_sched (tgk_call.sched). NULL: all go through it,
 *	and there are no @own, @doorbell, @watch, @unwatch, @slots and @want_signal
 * @is_client: of a submission through drm_sched, by drm_sched_fence.owner and the name of its
 *	scheduler: is the job a client's, and none of the driver's own, or another driver's, that
 *	the same thread makes? Of @mixed drivers only. NULL: each is
 * @chained: a submission is several jobs of drm_sched, each of which waits for the one before. It
 *	starts with the first one and ends with the last. Of drivers with @is_client only
 * @mixed: the fences of one channel may be of several contexts: several queues of the driver share
 *	its number, or the client may name another queue to the driver than to us. Or all files
 *	have fences of one context
 * @emits: the tracepoint dma_fence_emit says when work with a fence goes to the GPU, and without
 *	that it never does; else that is when the doorbell rings, or the fence is made
 * @own: of which engine is the fence of work of the driver's own? Its number; -EOPNOTSUPP: of none
 *	that is scheduled; -ENOENT: the fence is of no such work. NULL: the driver has none that
 *	is known. Fences of a GPU's own work are of one context
 * @doorbell: its function that rings: for each push buffer, before the fence of the submission is
 *	made; or once, after that (TGK_FENCE_BEFORE_DOORBELL). NULL: there is none
 * @check: its function that has all fences signal that a fence's channel has reached, of a fence
 *	that @makes_fence knows. Return: that one has signalled. It reads the card. NULL:
 *	dma_fence_is_signaled(), which does not
 * @watch: begin to watch which memory the driver reads to learn whether a fence has signalled.
 *	Return: 0 or a negative errno: this version cannot be watched, or there is no memory
 * @unwatch: once for each @watch that returned 0
 * @slots: between the two: where are the slots of the fences (slots.c)? Its first is the number of
 *	the slot of @fence, one of the driver's own. Called in any task, with interrupts on or off.
 *	@fence does not signal by it. Return: known; else another fence may tell
 * @want_signal: have the GPU interrupt when it reaches this fence, which @makes_fence knows and
 *	which has been emitted; dma_fence then need not. An interrupt that came before is not
 *	repeated. NULL: it does so for each fence
 * @in_fence: the fence number @i that a submission has to wait for. Return: 1, and the fence,
 *	referenced, or NULL where the driver will refuse it; 0: there are only @i; a negative errno
 * @vram: how much VRAM does a submission need at the same time, which the driver has refused with
 *	-ENOMEM? U64_MAX: all that its process has. The client may tell the driver something else.
 *	Return: false: it names nothing that may lie there. NULL: that cannot be told
 * @key: which commands does a submission to a GPU consist of? Return: the key, in @b;
 *	NULL: its push buffers cannot be read, or are no commands, or too many. NULL instead of a
 *	function: they never can
 *
 * All functions are called in process context and may sleep, but @makes_fence, @is_client, @own and
 * @slots: where a fence is made or signals, in a task that may hold any lock of the driver.
 */
struct tgk_driver {
	const char *name;
	u16 vendor;
	const char *component;
	bool virtio, unseen;
	struct tgk_hooked *hooked;
	struct tgk_hook *hooks;
	u32 nr_hooks;
	struct tgk_hook *close, *free;
	const struct tgk_chip *chips;
	u32 nr_chips;
	const char *readable;
	u32 engines;
	u32 (*engine)(struct dma_fence *finished);
	u32 (*engine_of)(u32 chid);
	bool (*draws)(struct device *dev);
	bool (*is_known)(const struct tgk_driver *driver, const struct drm_driver *drv);
	unsigned long (*address)(const struct tgk_driver *driver, const struct drm_driver *drv,
				 u32 hook);
	int (*object)(struct drm_file *file, u32 *handle);
	int (*find)(struct drm_file *file, u32 chid, bool sched);
	u32 (*chip_id)(struct device *dev);
	bool (*makes_fence)(struct dma_fence *fence);
	bool (*is_client)(const void *owner, const char *scheduler);
	bool chained, mixed, emits;
	int (*own)(const struct tgk_gpu *gpu, struct dma_fence *fence);
	const char *doorbell, *check;
	int (*watch)(void);
	void (*unwatch)(void);
	bool (*slots)(struct dma_fence *fence, struct tgk_slots *slots);
	void (*want_signal)(struct dma_fence *fence);
	int (*in_fence)(const struct tgk_driver *driver, const struct tgk_call *call, u32 i,
			struct dma_fence **fence);
	bool (*vram)(const struct tgk_call *call, u64 *bytes);
	const struct tg_key *(*key)(struct tg_key_builder *b, struct tgk_gpu *gpu,
				    const struct tgk_call *call);
};

/* A driver's function that ends a file: tgk_driver.close. */
typedef void (*tgk_close_fn)(struct drm_device *dev, struct drm_file *file);

/* close.c */
void tgk_driver_close(unsigned long orig, struct drm_device *dev, struct drm_file *file);

/* list.c */
#define TGK_DRIVERS	9
extern const struct tgk_driver *const tgk_drivers[TGK_DRIVERS];
int tgk_drivers_choose(const char *names);
bool tgk_driver_served(u32 i);
const char *tgk_drivers_named(void);

#endif /* TGK_DRIVER_H */
