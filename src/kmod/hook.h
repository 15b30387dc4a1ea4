/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hook.c: our functions stand in for functions of the driver.
 */
#ifndef TGK_HOOK_H
#define TGK_HOOK_H

#include <linux/ftrace.h>

#include "tgk.h"

#define DRM_MAJOR	226

struct drm_device;
struct drm_driver;
struct drm_file;
struct drm_gem_object;

/**
 * struct tgk_hook - one function of the driver, and ours that stands in for it
 * @ours: ours; constant
 * @prove: calls the driver's function in a way that the driver refuses before it does anything;
 *	constant, NULL for tgk_driver.close and tgk_driver.free
 * @wants: by the function's second argument: is this call one for ours? Constant, NULL: each is
 * @several: needed only while a GPU with several engines is attached; constant
 * @orig: the driver's function, 0: this driver has none, or it is not known yet. Written under
 *	tgk_mutex while the hooks are off; that of tgk_driver.free by tgk_hook_free()
 * @site: where in it ftrace calls us, as ftrace itself says when the hook proves itself: the first
 *	instruction, or one behind it. 0: calls go their way. Written under tgk_mutex, read without
 */
struct tgk_hook {
	unsigned long ours;
	void (*prove)(const struct tgk_hook *hook, struct drm_file *file);
	bool (*wants)(unsigned long arg2);
	bool several;
	unsigned long orig, site;
};

/**
 * struct tgk_hooked - a driver's hooks, as ftrace has them
 * @ops: ftrace's
 * @driver: the driver; constant once hook.c is initialised
 * @module: the driver's, held while the hooks are on; tgk_mutex
 * @check: address of tgk_driver.check, while the hooks are on; 0: it is not there
 * @several: those of GPUs with several engines are on; tgk_mutex
 */
struct tgk_hooked {
	struct ftrace_ops ops;
	const struct tgk_driver *driver;
	struct module *module;
	unsigned long check;
	bool several;
};

extern atomic_t tgk_hook_calls;		/* in our functions */

/* Each of our functions is between these two while it runs, or hook.c would unload it. */
static inline void tgk_hook_enter(void)
{
	atomic_inc(&tgk_hook_calls);
}

static inline void tgk_hook_leave(void)
{
	atomic_dec(&tgk_hook_calls);
}

int tgk_hook_free(const struct tgk_driver *driver, const struct drm_gem_object *obj);

/* For attach.c: under tgk_mutex, but for tgk_hooks_held(). */
int tgk_hook_init(void);
void tgk_hook_exit(void);
bool tgk_hooks_held(const struct tgk_driver *driver);
bool tgk_hooks_are_of(const struct tgk_driver *driver, const struct drm_driver *drv);
int tgk_hooks_on(const struct tgk_driver *driver, const struct drm_device *drm);
void tgk_hooks_off(const struct tgk_driver *driver);
int tgk_hooks_several_on(const struct tgk_driver *driver, const struct drm_device *drm);
void tgk_hooks_several_off(const struct tgk_driver *driver);
void tgk_hooks_calls_end(void);
void tgk_hooks_put(const struct tgk_driver *driver);

#endif /* TGK_HOOK_H */
