// SPDX-License-Identifier: GPL-2.0
/*
 * tg_refuse - nouveau refuses on request. For cases that ask what timegraph makes of each refusal: in a
 * throw-away guest, and there for good: it cannot be unloaded.
 *
 * It puts functions of its own into nouveau's tables, which call nouveau's, or refuse instead. Loaded
 * before timegraph, as it must be, it is what timegraph takes for nouveau: so both see the same refusals,
 * and a run without timegraph shows what a client gets from nouveau alone. A GPU that nouveau is bound to has
 * to be there at load; later it may come and go, since the tables are the driver's.
 *
 * Lines written to /sys/kernel/debug/tg_refuse:
 *	FUNCTION ERRNO EVERY [UID|* [before|after]]
 *	off
 *	load N
 * FUNCTION is PUSHBUF, EXEC, VM_BIND, GEM_NEW, CHANNEL_ALLOC, CHANNEL_FREE, GROBJ_ALLOC, DUMB_CREATE or NVIF; ERRNO
 * is ENOMEM, EFAULT, EBUSY, EINTR, ENODEV or ERESTARTSYS; one call in EVERY of that user, or of all, is refused, the
 * first one too; EVERY 0: none. One rule for each function, the last one written.
 *	before	nouveau is not called (this is meant unless told)
 *	after	it is called, and what it has done stays done: a submission runs, an object has its handle, a channel
 *		is there, whatever the client is told. A client that asks again does it twice
 * ERESTARTSYS comes with the mark of a pending signal, so that the kernel makes the call again; with EVERY 1 that
 * ends when the thread is killed. Reading shows the rules, each with how often its function has been called by those
 * that it is about, and refused.
 *
 * Memory and copies that the kernel makes fail on request (/sys/kernel/debug/fail*, for tasks that ask for it) do not
 * fail inside nouveau, which WARNs then: whatever the rules are, the functions here turn the thread's wish off
 * while nouveau has the call. So what fails is the kernel's way to nouveau, and timegraph.
 *
 * /sys/kernel/debug/tg_refuse_again: how often nouveau was asked for more VRAM than a card has; and how often again, in
 * the same GEM_NEW of a program. Nouveau refuses that for good, so timegraph is not to ask again.
 *
 * One fault of nouveau's is mended meanwhile, since any client can end the kernel by it, and calls at random do at times
 * (keeps_no_channel() below).
 *
 * load N: the next module called timegraph has its Nth allocation of its own begin fail, as /proc/thread-self/fail-nth
 * does it; 0: none. It starts to count behind what the kernel does for a module, since that WARNs.
 */
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/hashtable.h>
#include <linux/kdev_t.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <uapi/drm/nouveau_drm.h>

#define DRM_MAJOR	226
#define NO_CARD_HAS	(1ull << 31)	/* bytes of VRAM */
#define NR_NVIF		0x07
#define NR_GEM_NEW	0x40
#define NR_DUMB_CREATE	0xb2

enum {
	PUSHBUF, EXEC, VM_BIND, GEM_NEW, CHANNEL_ALLOC, CHANNEL_FREE, GROBJ_ALLOC, IOCTLS,
	DUMB_CREATE = IOCTLS, NVIF, FUNCTIONS
};

typedef int (*ioctl_fn)(struct drm_device *dev, void *data, struct drm_file *file);

static const char *const names[FUNCTIONS] = {
	"PUSHBUF", "EXEC", "VM_BIND", "GEM_NEW", "CHANNEL_ALLOC", "CHANNEL_FREE", "GROBJ_ALLOC", "DUMB_CREATE", "NVIF",
};

static const struct {
	const char *name;
	int nr;
} errors[] = {
	{ "ENOMEM", ENOMEM }, { "EFAULT", EFAULT }, { "EBUSY", EBUSY }, { "EINTR", EINTR }, { "ENODEV", ENODEV },
	{ "ERESTARTSYS", ERESTARTSYS },
};

/* Written under rules_mutex; a call may see half of an old rule and half of a new one. */
static struct rule {
	int error;		/* negative; 0: none */
	u32 every;
	long uid;		/* -1: everybody */
	bool after;
	atomic_t calls, refused;
} rules[FUNCTIONS];
static DEFINE_MUTEX(rules_mutex);
static u32 load_nth;	/* of `load N`, until a load has taken it */

static ioctl_fn theirs[IOCTLS];
static int (*their_dumb)(struct drm_file *file, struct drm_device *dev, struct drm_mode_create_dumb *args);
static long (*their_ioctl)(struct file *filp, unsigned int cmd, unsigned long arg);
static int (*their_open)(struct drm_device *dev, struct drm_file *file);
static void (*their_postclose)(struct drm_device *dev, struct drm_file *file);
static int (*their_release)(struct inode *inode, struct file *filp);

/* Nothing fails for this thread until spare_not() gets what this returns. */
static int spare(void)
{
#ifdef CONFIG_FAULT_INJECTION
	return xchg(&current->make_it_fail, 0);
#else
	return 0;
#endif
}

static void spare_not(int wish)
{
#ifdef CONFIG_FAULT_INJECTION
	current->make_it_fail = wish;
#endif
}

/* Is this call to be refused? 0 or a negative errno; *@after: not before nouveau has answered. */
static int refusal(int function, bool *after)
{
	struct rule *rule = &rules[function];
	int error = READ_ONCE(rule->error);
	u32 every = READ_ONCE(rule->every);
	long uid = READ_ONCE(rule->uid);

	*after = READ_ONCE(rule->after);
	if (!error || !every || (uid >= 0 && uid != from_kuid_munged(&init_user_ns, current_uid())))
		return 0;
	if ((u32)(atomic_inc_return(&rule->calls) - 1) % every)
		return 0;
	atomic_inc(&rule->refused);
	if (error == -ERESTARTSYS)
		set_thread_flag(TIF_SIGPENDING);
	return error;
}

/*
 * A submission without a push, or an EXEC with pushes nowhere: so timegraph asks whether a channel is there. If it is,
 * its submission comes next. If it is not, this is all that nouveau sees of that.
 */
static bool is_question(int function, const void *data)
{
	const u64 *exec = data;		/* at the end: where the pushes are */

	return (function == PUSHBUF && !((const struct drm_nouveau_gem_pushbuf *)data)->nr_push) ||
	       (function == EXEC && exec[4] == U64_MAX);
}

/* EFAULT is nouveau's answer to a question about a channel that is there. */
static bool is_answer(int function, int error)
{
	return function == EXEC && error == -EFAULT;
}

static int refuse_ioctl(int function, struct drm_device *dev, void *data, struct drm_file *file)
{
	int error, ret, wish;
	bool after;

	if (is_question(function, data)) {
		ret = theirs[function](dev, data, file);
		if (ret != -ENOENT)
			return ret;
		error = refusal(function, &after);
		return error && !is_answer(function, error) ? error : ret;
	}
	error = refusal(function, &after);
	/* As timegraph will take it. */
	if (is_answer(function, error)) {
		u64 question[] = { *(const u32 *)data | 1ull << 32, 0, 0, 0, U64_MAX };

		if (theirs[function](dev, question, file) == -ENOENT)
			return -ENOENT;
	}
	if (error && !after)
		return error;
	wish = spare();
	ret = theirs[function](dev, data, file);
	spare_not(wish);
	return error ?: ret;
}

#define IOCTL(name, function) \
static int refuse_##name(struct drm_device *dev, void *data, struct drm_file *file) \
{ \
	return refuse_ioctl(function, dev, data, file); \
}
IOCTL(pushbuf, PUSHBUF)
IOCTL(exec, EXEC)
IOCTL(vm_bind, VM_BIND)
IOCTL(channel_alloc, CHANNEL_ALLOC)
IOCTL(channel_free, CHANNEL_FREE)
IOCTL(grobj_alloc, GROBJ_ALLOC)

/* A program's GEM_NEW, on its thread's stack; in callers, by @task, under callers_lock. */
struct caller {
	struct hlist_node node;
	const struct task_struct *task;
	bool asked;
};

static DEFINE_HASHTABLE(callers, 6);
static DEFINE_SPINLOCK(callers_lock);
static unsigned long nr_asked, nr_again;	/* callers_lock */

static int refuse_gem_new(struct drm_device *dev, void *data, struct drm_file *file)
{
	const struct drm_nouveau_gem_info *info = &((const struct drm_nouveau_gem_new *)data)->info;
	struct caller *caller;

	spin_lock(&callers_lock);
	hash_for_each_possible(callers, caller, node, (unsigned long)current) {
		if (caller->task != current || info->domain != NOUVEAU_GEM_DOMAIN_VRAM || info->size < NO_CARD_HAS)
			continue;
		nr_asked++;
		nr_again += caller->asked;
		caller->asked = true;
	}
	spin_unlock(&callers_lock);
	return refuse_ioctl(GEM_NEW, dev, data, file);
}

static long call_gem_new(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct caller caller = { .task = current };
	long ret;

	spin_lock(&callers_lock);
	hash_add(callers, &caller.node, (unsigned long)current);
	spin_unlock(&callers_lock);
	ret = their_ioctl(filp, cmd, arg);
	spin_lock(&callers_lock);
	hash_del(&caller.node);
	spin_unlock(&callers_lock);
	return ret;
}

static const struct {
	u32 nr;
	ioctl_fn ours;
} ioctls[IOCTLS] = {
	{ 0x41, refuse_pushbuf }, { 0x12, refuse_exec }, { 0x11, refuse_vm_bind }, { NR_GEM_NEW, refuse_gem_new },
	{ 0x02, refuse_channel_alloc }, { 0x03, refuse_channel_free }, { 0x04, refuse_grobj_alloc },
};

static int refuse_dumb(struct drm_file *file, struct drm_device *dev, struct drm_mode_create_dumb *args)
{
	bool after;
	int error = refusal(DUMB_CREATE, &after), ret, wish;

	if (error && !after)
		return error;
	wish = spare();
	ret = their_dumb(file, dev, args);
	spare_not(wish);
	return error ?: ret;
}

/* Is there a function above for it, nearer to nouveau? */
static bool is_ours(unsigned int nr)
{
	int i;

	for (i = 0; i < IOCTLS; i++)
		if (theirs[i] && nr == DRM_COMMAND_BASE + ioctls[i].nr)
			return true;
	return nr == NR_DUMB_CREATE;
}

static long refuse_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	bool after = false;
	int error = _IOC_NR(cmd) == DRM_COMMAND_BASE + NR_NVIF ? refusal(NVIF, &after) : 0;
	int wish = 0;
	long ret;

	if (error && !after)
		return error;
	if (!is_ours(_IOC_NR(cmd)))
		wish = spare();
	if (_IOC_NR(cmd) == DRM_COMMAND_BASE + NR_GEM_NEW)
		ret = call_gem_new(filp, cmd, arg);
	else
		ret = their_ioctl(filp, cmd, arg);
	if (wish)
		spare_not(wish);
	return error ?: ret;
}

static int refuse_open(struct drm_device *dev, struct drm_file *file)
{
	int wish = spare(), ret = their_open(dev, file);

	spare_not(wish);
	return ret;
}

static void refuse_postclose(struct drm_device *dev, struct drm_file *file)
{
	int wish = spare();

	their_postclose(dev, file);
	spare_not(wish);
}

static int refuse_release(struct inode *inode, struct file *filp)
{
	int wish = spare(), ret = their_release(inode, filp);

	spare_not(wish);
	return ret;
}

/* --- a fault of nouveau's --- */

static int on_no_signaling(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(struct dma_fence **)ri->data = (void *)regs_get_kernel_argument(regs, 0);
	return 0;
}

/*
 * Somebody wants a callback for a fence that the card has reached, and nouveau has not noticed. nouveau (6.1 to 7.2) takes
 * it off its channel's list, by which the channel's end would find it, and lets it point to the channel. The next
 * submission with a buffer of that fence looks into the channel (nouveau_fence_sync()), whose memory may be another's. So
 * the pointer goes here, as it does where nouveau has noticed (nouveau_fence_signal()). Under the lock of the channel's
 * fences.
 */
static int keeps_no_channel(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	/* nouveau's fence goes on with a list head and the channel. */
	struct {
		struct dma_fence fence;
		struct list_head head;
		void *channel;
	} *fence = *(void **)ri->data;

	if (!(u8)regs_return_value(regs))
		WRITE_ONCE(fence->channel, NULL);
	return 0;
}

static struct kretprobe no_signaling = {
	.kp.symbol_name = "nouveau_fence_no_signaling",
	.entry_handler = on_no_signaling,
	.handler = keeps_no_channel,
	.data_size = sizeof(struct dma_fence *),
};

/* --- rules --- */

static int set_rule(char *line)
{
	char *word[5] = { };
	struct rule *rule;
	int i, n = 0, f, e;
	long uid = -1;
	u32 every;

	while (n < 5 && (word[n] = strsep(&line, " ")))
		n++;
	if (n == 2 && !strcmp(word[0], "load")) {
		if (kstrtou32(word[1], 0, &every))
			return -EINVAL;
		WRITE_ONCE(load_nth, every);
		return 0;
	}
	if (n == 1 && !strcmp(word[0], "off")) {
		for (i = 0; i < FUNCTIONS; i++)
			WRITE_ONCE(rules[i].error, 0);
		return 0;
	}
	f = n < 3 || line ? -1 : match_string(names, FUNCTIONS, word[0]);
	for (e = 0; f >= 0 && e < ARRAY_SIZE(errors); e++)
		if (!strcmp(errors[e].name, word[1]))
			break;
	if (f < 0 || e == ARRAY_SIZE(errors) || kstrtou32(word[2], 0, &every) ||
	    (n > 3 && strcmp(word[3], "*") && (kstrtol(word[3], 0, &uid) || uid < 0)) ||
	    (n > 4 && strcmp(word[4], "before") && strcmp(word[4], "after")))
		return -EINVAL;
	rule = &rules[f];
	WRITE_ONCE(rule->error, 0);
	WRITE_ONCE(rule->every, every);
	WRITE_ONCE(rule->uid, uid);
	WRITE_ONCE(rule->after, n > 4 && !strcmp(word[4], "after"));
	atomic_set(&rule->calls, 0);
	atomic_set(&rule->refused, 0);
	WRITE_ONCE(rule->error, -errors[e].nr);
	return 0;
}

static ssize_t write_rules(struct file *filp, const char __user *user, size_t len, loff_t *pos)
{
	char *text, *rest, *line;
	int ret = 0;

	text = len < PAGE_SIZE ? memdup_user_nul(user, len) : ERR_PTR(-E2BIG);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	mutex_lock(&rules_mutex);
	while (!ret && (line = strsep(&rest, "\n")))
		ret = *line ? set_rule(line) : 0;
	mutex_unlock(&rules_mutex);
	kfree(text);
	return ret ?: len;
}

static int show_rules(struct seq_file *m, void *v)
{
	int i, e;

	mutex_lock(&rules_mutex);
	for (i = 0; i < FUNCTIONS; i++) {
		if (!rules[i].error)
			continue;
		for (e = 0; errors[e].nr != -rules[i].error; e++)
			;
		seq_printf(m, "%s %s %u %ld %s: %d calls, %d refused\n", names[i], errors[e].name,
			   rules[i].every, rules[i].uid, rules[i].after ? "after" : "before",
			   atomic_read(&rules[i].calls), atomic_read(&rules[i].refused));
	}
	mutex_unlock(&rules_mutex);
	return 0;
}

static int open_rules(struct inode *inode, struct file *filp)
{
	return single_open(filp, show_rules, NULL);
}

static const struct file_operations rules_ops = {
	.owner = THIS_MODULE,
	.open = open_rules,
	.read = seq_read,
	.write = write_rules,
	.llseek = seq_lseek,
	.release = single_release,
};

static int again_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%lu %lu\n", READ_ONCE(nr_asked), READ_ONCE(nr_again));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(again);

/* --- timegraph's begin --- */

/* The last one before it, in the thread that loads it. */
static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
#ifdef CONFIG_FAULT_INJECTION
	const struct module *mod = data;

	if (state == MODULE_STATE_COMING && !strcmp(mod->name, "timegraph"))
		current->fail_nth = xchg(&load_nth, 0);
#endif
	return NOTIFY_OK;
}

static struct notifier_block module_nb = { .notifier_call = on_module, .priority = INT_MIN };

/* --- nouveau's tables --- */

/* A word of nouveau's tables, which are read-only where they are: through a second map of the page. */
static void put(const void *where, const void *value)
{
	struct page *page = vmalloc_to_page(where);
	void *map = page ? vmap(&page, 1, VM_MAP, PAGE_KERNEL) : NULL;

	if (WARN_ON(!map))
		return;
	WRITE_ONCE(*(const void **)(map + offset_in_page(where)), value);
	vunmap(map);
}

/* A child of the PCI device: the DRM minor's device keeps the minor. */
static int find_driver(struct device *dev, void *data)
{
	const struct drm_driver **driver = data;
	const struct drm_minor *minor;

	if (!dev->class || strcmp(dev->class->name, "drm") || MAJOR(dev->devt) != DRM_MAJOR)
		return 0;
	minor = dev_get_drvdata(dev);
	*driver = minor->dev->driver;
	return 1;
}

static int __init refuse_init(void)
{
	const struct drm_driver *driver = NULL;
	struct pci_dev *pci = NULL;
	int i, ret;

	while (!driver && (pci = pci_get_device(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID, pci)))
		device_for_each_child(&pci->dev, &driver, find_driver);
	pci_dev_put(pci);
	/* For good */
	if (!driver || driver->num_ioctls <= ioctls[PUSHBUF].nr || !try_module_get(driver->fops->owner))
		return -ENODEV;
	ret = register_kretprobe(&no_signaling);
	if (ret)
		return ret;
	for (i = 0; i < IOCTLS; i++) {
		theirs[i] = driver->ioctls[ioctls[i].nr].func;
		if (theirs[i])
			put(&driver->ioctls[ioctls[i].nr].func, ioctls[i].ours);
	}
	their_dumb = driver->dumb_create;
	put(&driver->dumb_create, refuse_dumb);
	their_ioctl = driver->fops->unlocked_ioctl;
	put(&driver->fops->unlocked_ioctl, refuse_file_ioctl);
	their_open = driver->open;
	put(&driver->open, refuse_open);
	their_postclose = driver->postclose;
	put(&driver->postclose, refuse_postclose);
	their_release = driver->fops->release;
	put(&driver->fops->release, refuse_release);
	register_module_notifier(&module_nb);
	debugfs_create_file("tg_refuse", 0600, NULL, NULL, &rules_ops);
	debugfs_create_file("tg_refuse_again", 0400, NULL, NULL, &again_fops);
	return 0;
}

module_init(refuse_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("nouveau refuses on request");
