// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks: our functions stand in for functions of the driver, which stays as it is.
 *
 * The addresses of the driver's functions stand in its drm_driver. ftrace calls on_entry() at their
 * first instruction, and on_entry() lets the call go on in our function instead. Ours calls the
 * original: that call comes from this module, and is let through. A tail call would not look so;
 * this module is built without. DRM is built with: its drm_gem_object_free() ends in a jump to the
 * driver's function, so a last reference that this module gave back through it would look like our
 * own call. tgk_object_put() gives back references instead.
 *
 * attach.c switches hooks on and off under tgk_mutex. They are on while at least one GPU is
 * attached, and the driver cannot be unloaded meanwhile; those that tell which engine a channel
 * uses are on while a GPU with several engines is attached. Each hook proves itself before the GPU
 * that needs it is scheduled (prove()).
 *
 * Calls in our functions are counted in tgk_hook_calls. None holds a module reference, so that the
 * module can be unloaded under load: hooks off, a grace period for calls that are not counted yet,
 * none left, a grace period for calls that are not counted any more (tgk_hooks_calls_end()).
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "doorbell.h"
#include "driver/driver.h"
#include "fence.h"
#include "function.h"
#include "hook.h"
#include "settings.h"
#include "vram.h"
#include "wrap/ftrace.h"

atomic_t tgk_hook_calls;

/*
 * A hook that proves itself; tgk_mutex. @task holds it, and its next call of a hooked function is
 * the proof of @hook, one of @driver's; any caller of a hooked function reads it, and sees that it
 * is another task. @answered: by a function of ours.
 */
static struct {
	struct task_struct *task;
	const struct tgk_driver *driver;
	struct tgk_hook *hook;
	bool answered;
} proof;

static __always_inline const struct tgk_hook *hooks_end(const struct tgk_driver *driver)
{
	return driver->hooks + driver->nr_hooks;
}

/* --- on entry --- */

/* In the place of a function that is called for its proof alone. */
static long answer(void)
{
	proof.answered = true;
	return -ECANCELED;
}

static void answer_close(struct drm_device *dev, struct drm_file *file)
{
	proof.answered = true;
	((tgk_close_fn)proof.driver->close->orig)(dev, file);
}

static void answer_free(struct drm_gem_object *obj)
{
	proof.answered = true;
	obj->funcs->free(obj);
}

/* The rest of what the driver does for that call is no proof. */
static __always_inline void prove_entry(unsigned long ip, struct ftrace_regs *fregs)
{
	void *go = answer;

	if (proof.hook == proof.driver->close)
		go = answer_close;
	else if (proof.hook == proof.driver->free)
		go = answer_free;
	WRITE_ONCE(proof.task, NULL);
	WRITE_ONCE(proof.hook->site, ip);
	tgk_ftrace_go(fregs, (unsigned long)go);
}

/* Any context in which the traced functions are called: process, preemption off. */
static void notrace on_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			     struct ftrace_regs *fregs)
{
	const struct tgk_driver *driver = container_of(ops, struct tgk_hooked, ops)->driver;
	const struct tgk_hook *hook;

	if (unlikely(READ_ONCE(proof.task) == current)) {
		prove_entry(ip, fregs);
		return;
	}
	if (within_module_core(parent_ip, THIS_MODULE))
		return;
	for (hook = driver->hooks; hook < hooks_end(driver); hook++) {
		if (ip != READ_ONCE(hook->site))
			continue;
		if (!hook->wants || hook->wants(tgk_ftrace_arg(fregs, 1)))
			tgk_ftrace_go(fregs, hook->ours);
		return;
	}
}

/*
 * Of tgk_hooked.ops. PERMANENT: sysctl kernel.ftrace_enabled=0 must not switch off the gates.
 * IPMODIFY: we change where the function goes on, and no other user of ftrace may.
 */
#define OPS_FLAGS	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT)

static DEFINE_MUTEX(free_mutex);	/* tgk_driver.free->orig while the hooks are on */

/**
 * tgk_hook_free() - see the end of the driver's objects from now on
 * @driver: the driver
 * @obj: one of them: only an object says which function frees it
 *
 * Context: process, in one of our functions, or the hooks are on otherwise; sleeps.
 *
 * Return: 0; or a negative errno after a message: VRAM is not counted.
 */
int tgk_hook_free(const struct tgk_driver *driver, const struct drm_gem_object *obj)
{
	const unsigned long free = obj->funcs && obj->funcs->free ?
		(unsigned long)obj->funcs->free : 0;
	int ret;

	mutex_lock(&free_mutex);
	ret = driver->free->orig ? -EINVAL : -EOPNOTSUPP;
	if (free && free == driver->free->orig) {
		ret = 0;
	} else if (free && !driver->free->orig) {
		WRITE_ONCE(driver->free->orig, free);
		ret = ftrace_set_filter_ip(&driver->hooked->ops, free, 0, 0);
		if (ret)
			WRITE_ONCE(driver->free->orig, 0);
	}
	mutex_unlock(&free_mutex);
	if (ret)
		pr_err_once("cannot hear of the end of %s's objects (error %d): VRAM is not counted\n",
			    driver->name, ret);
	return ret;
}

/* --- the proof --- */

static void prove_begin(const struct tgk_driver *driver, struct tgk_hook *hook)
{
	proof.driver = driver;
	proof.hook = hook;
	proof.answered = false;
	WRITE_ONCE(proof.task, current);
}

static int prove_end(void)
{
	WRITE_ONCE(proof.task, NULL);
	if (proof.answered)
		return 0;
	pr_err("%ps cannot be replaced: ftrace takes the hook, but calls go on in %s. Remove whatever else traces or patches it\n",
	       (void *)proof.hook->orig, proof.driver->name);
	return -EOPNOTSUPP;
}

/* The end of an object, which has to be made first. */
static int prove_free(const struct tgk_driver *driver, struct drm_file *file)
{
	struct drm_gem_object *obj;
	u32 handle;
	int ret;

	ret = driver->object(file, &handle);
	if (ret) {
		pr_err("%s refuses an object of one page (error %d)\n", driver->name, ret);
		return ret;
	}
	obj = drm_gem_object_lookup(file, handle);
	ret = obj ? tgk_hook_free(driver, obj) : -ENOENT;
	drm_gem_handle_delete(file, handle);
	if (ret) {
		if (obj)
			tgk_object_put(obj);
		return ret;
	}
	prove_begin(driver, driver->free);
	drm_gem_object_put(obj);
	return prove_end();
}

/*
 * Does each hook, of those for GPUs with several engines or of the others, go on in this module
 * when the driver's function is called? They are called here, before a GPU is scheduled that needs
 * them, with a file of @drm that nobody else knows. From then on ours stand in for them. Under
 * tgk_mutex; the hooks are on.
 */
static int prove(const struct tgk_driver *driver, const struct drm_device *drm, bool of_several)
{
	struct {
		struct inode inode;
		struct file file;
	} *f;
	struct drm_file *file;
	struct tgk_hook *hook;
	int ret;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	f->inode.i_rdev = MKDEV(DRM_MAJOR, drm->render->index);
	f->file.f_op = drm->driver->fops;
	ret = drm_open(&f->inode, &f->file);
	if (ret) {
		pr_err("%s refuses a file of its own (error %d)\n", driver->name, ret);
		goto free;
	}
	file = f->file.private_data;
	for (hook = driver->hooks; hook < hooks_end(driver); hook++) {
		if (ret || hook->several != of_several || !hook->orig || !hook->prove)
			continue;
		prove_begin(driver, hook);
		hook->prove(hook, file);
		ret = prove_end();
	}
	if (!ret && !of_several && driver->free)
		ret = prove_free(driver, file);
	if (!ret && !of_several)
		prove_begin(driver, driver->close);
	/* A driver's own may do more than drm_release(). */
	f->file.f_op->release(&f->inode, &f->file);
	if (!ret && !of_several)
		ret = prove_end();
free:
	kfree(f);
	return ret;
}

/* --- on and off --- */

/* The first one, which every driver has and is not of several engines, begins the filter anew. */
static int filter_set(const struct tgk_driver *driver, bool of_several)
{
	struct ftrace_ops *ops = &driver->hooked->ops;
	struct tgk_hook *hook;
	int ret = 0;

	for (hook = driver->hooks; hook < hooks_end(driver); hook++)
		if (!ret && hook->orig && hook->several == of_several)
			ret = ftrace_set_filter_ip(ops, hook->orig, 0, hook == driver->hooks);
	if (ret)
		pr_err("ftrace cannot trace %s's functions (error %d)\n", driver->name, ret);
	return ret;
}

/**
 * tgk_hooks_held() - is the driver's module held?
 * @driver: the driver
 *
 * From tgk_hooks_on() until tgk_hooks_put().
 */
bool tgk_hooks_held(const struct tgk_driver *driver)
{
	return READ_ONCE(driver->hooked->module);
}

/**
 * tgk_hooks_are_of() - are the hooks that are on those of this instance of the driver?
 * @driver: the driver
 * @drv: another instance of the driver has functions of its own
 */
bool tgk_hooks_are_of(const struct tgk_driver *driver, const struct drm_driver *drv)
{
	return driver->hooks->orig == driver->address(driver, drv, 0);
}

/**
 * tgk_hooks_off() - no call of the driver is redirected any more
 * @driver: the driver
 *
 * The filter stays, for the next time: ops cannot be used again once it is freed.
 */
void tgk_hooks_off(const struct tgk_driver *driver)
{
	if (driver->doorbell)
		tgk_doorbell_off();
	if (driver->emits)
		tgk_fence_emits_off();
	unregister_ftrace_function(&driver->hooked->ops);
	driver->hooked->several = false;
}

/**
 * tgk_hooks_on() - switch on all hooks but those for GPUs with several engines
 * @driver: the driver
 * @drm: a device of the driver
 *
 * Return: 0, and the driver's module is held; or a negative errno after a message.
 */
int tgk_hooks_on(const struct tgk_driver *driver, const struct drm_device *drm)
{
	const struct drm_driver *drv = drm->driver;
	struct tgk_hook *hook;
	int ret;

	for (hook = driver->hooks; hook < hooks_end(driver); hook++) {
		hook->orig = driver->address(driver, drv, hook - driver->hooks);
		hook->site = 0;
	}
	if (!try_module_get(drv->fops->owner))
		return -ENODEV;
	ret = filter_set(driver, false);
	if (ret)
		goto put;
	ret = driver->emits ? tgk_fence_emits_on() : 0;
	if (ret)
		goto put;
	ret = register_ftrace_function(&driver->hooked->ops);
	if (ret) {
		if (driver->emits)
			tgk_fence_emits_off();
		pr_err("cannot replace %s's functions (error %d)%s\n", driver->name, ret,
		       ret == -EBUSY ? ": a live patch or another such module has them" : "");
		goto put;
	}
	ret = prove(driver, drm, false);
	if (ret) {
		tgk_hooks_off(driver);
		goto put;
	}
	driver->hooked->check = driver->check ? tgk_function_find(driver->check) : 0;
	if (driver->doorbell)
		tgk_doorbell_on(driver->doorbell, tg_policy_get(tgk_policy));
	WRITE_ONCE(driver->hooked->module, drv->fops->owner);
	return 0;

put:
	module_put(drv->fops->owner);
	return ret;
}

/**
 * tgk_hooks_several_off() - switch off the hooks for GPUs with several engines
 * @driver: the driver
 *
 * Where the filter cannot be changed, for lack of memory, on_entry() lets those calls go. One that
 * has been redirected still needs @orig.
 */
void tgk_hooks_several_off(const struct tgk_driver *driver)
{
	struct tgk_hook *hook;

	if (!driver->hooked->several)
		return;
	for (hook = driver->hooks; hook < hooks_end(driver); hook++)
		if (hook->several && hook->orig) {
			WRITE_ONCE(hook->site, 0);
			ftrace_set_filter_ip(&driver->hooked->ops, hook->orig, 1, 0);
		}
	driver->hooked->several = false;
}

/**
 * tgk_hooks_several_on() - switch them on; the other hooks are on
 * @driver: the driver
 * @drm: such a GPU
 *
 * Return: 0; or a negative errno after a message: they are off.
 */
int tgk_hooks_several_on(const struct tgk_driver *driver, const struct drm_device *drm)
{
	const struct tgk_hook *hook;
	bool any = false;
	int ret;

	for (hook = driver->hooks; hook < hooks_end(driver); hook++)
		any |= hook->several;
	if (!any || driver->hooked->several)
		return 0;
	driver->hooked->several = true;
	ret = filter_set(driver, true) ?: prove(driver, drm, true);
	if (ret)
		tgk_hooks_several_off(driver);
	return ret;
}

/**
 * tgk_hooks_calls_end() - wait until no thread is in this module, nor on its way in or out
 *
 * The hooks are off.
 */
void tgk_hooks_calls_end(void)
{
	/* Calls that were redirected and are not counted yet do not sleep until they are. */
	synchronize_rcu_tasks();
	while (atomic_read(&tgk_hook_calls))
		schedule_timeout_idle(HZ / 100);
	/* And those that are not counted any more. */
	synchronize_rcu_tasks();
}

/**
 * tgk_hooks_put() - the driver may be unloaded now
 * @driver: the driver
 *
 * The last thing, when the hooks are off.
 */
void tgk_hooks_put(const struct tgk_driver *driver)
{
	module_put(driver->hooked->module);
	WRITE_ONCE(driver->hooked->module, NULL);
}

/* --- load --- */

static noinline bool trial(bool ret)
{
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static bool trial_redirected(bool ret)
{
	return !ret;
}

static void notrace on_trial(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			     struct ftrace_regs *fregs)
{
	tgk_ftrace_go(fregs, (unsigned long)trial_redirected);
}

/**
 * tgk_hook_init() - does ftrace work on this kernel, and redirect?
 *
 * Tried at load, so that it does not first show when a GPU comes.
 * Context: process.
 *
 * Return: 0; or a negative errno after a message.
 */
int tgk_hook_init(void)
{
	static struct ftrace_ops trial_ops = {
		.func = on_trial,
		.flags = OPS_FLAGS,
	};
	int ret;
	u32 i;

	for (i = 0; i < TGK_DRIVERS; i++) {
		tgk_drivers[i]->hooked->driver = tgk_drivers[i];
		tgk_drivers[i]->hooked->ops.func = on_entry;
		tgk_drivers[i]->hooked->ops.flags = OPS_FLAGS;
	}

	ret = ftrace_set_filter_ip(&trial_ops, (unsigned long)trial, 0, 1) ?:
	      register_ftrace_function(&trial_ops);
	if (!ret) {
		if (!trial(false)) {
			pr_err("ftrace does not let a function go on elsewhere on this kernel\n");
			ret = -EOPNOTSUPP;
		}
		unregister_ftrace_function(&trial_ops);
	} else {
		pr_err("ftrace is off or not usable (error %d): needs sysctl kernel.ftrace_enabled=1\n",
		       ret);
	}
	ftrace_free_filter(&trial_ops);
	return ret;
}

/* At unload, after tgk_hooks_calls_end(). */
void tgk_hook_exit(void)
{
	u32 i;

	tgk_doorbell_exit();
	for (i = 0; i < TGK_DRIVERS; i++)
		ftrace_free_filter(&tgk_drivers[i]->hooked->ops);
}
