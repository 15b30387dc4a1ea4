// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tgshm: device memory that processes share by key (Gdev, section 4.2; uapi/tgshm.h).
 *
 * A segment is a dma-buf of the driver's. This file holds it as long as the segment lives, finds
 * the caller's rights and namespace, and maps attachments. shm_books.c knows the rules.
 *
 * The group render may open it, by udev's rule; each segment has an owner and a mode.
 *
 * A segment takes VRAM that the caller itself has got from the driver, so only a process that may
 * use a GPU can make one. It is in that process's account, once, as long as it lives. One user has
 * TGSHM_PER_USER segments and half of a GPU's VRAM at most; users leave a part of both to root.
 * Nothing but segments' entries is allocated here.
 *
 * Namespaces. A space is what one IPC namespace has, from its first segment on: it knows which ids
 * have been given. It holds its namespace, so that no other one can take its place in memory. A
 * namespace that only its space still holds has ended: a work item looks for such ones every few
 * seconds and removes their segments, as Linux does with its own, and their spaces. One user has
 * TGSHM_PER_USER spaces at most, all together TGSHM_SEGMENTS: calls look through them.
 *
 * Unloading. An open file and an attachment hold the module. When there are none, it may go, and
 * the segments go with it: their memory stays while a process has a handle of its own to it.
 *
 * Unbinding. A buffer's last reference runs the driver, so none may be left here when the driver
 * removes a GPU: its segments go, and those that are attached lose their buffer. fput() by a
 * process works only when the process leaves the kernel, which is too late: a work item puts all
 * buffers, and attach.c waits for it.
 *
 * Context: process. shm_lock guards the books; it is taken under mmap_lock, and nothing that sleeps
 * and no memory of user space is touched under it.
 */
#include <linux/cred.h>
#include <linux/dma-buf.h>
#include <linux/file.h>
#include <linux/ipc_namespace.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/proc_ns.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include <drm/drm_gem.h>

#include "client.h"
#include "gpu.h"
#include "shm.h"
#include "shm_books.h"
#include "wrap/task.h"

#define SWEEP	(5 * HZ)	/* so often it looks for namespaces that have ended */

#define GET_FLAGS	(0777 | TGSHM_CREAT | TGSHM_EXCL | TGSHM_VOLATILE)

static DEFINE_SPINLOCK(shm_lock);
static LIST_HEAD(spaces);	/* shm_space.node; shm_lock, as the books */
static struct shm_books books = { .segments = LIST_HEAD_INIT(books.segments) };
static LIST_HEAD(dropped);	/* shm_segment.all: out of the books, to be freed; shm_lock */

static void sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, sweep);
static void put_buffers(struct work_struct *work);
static DECLARE_WORK(put_work, put_buffers);

/* --- the caller --- */

/* The caller, and the namespace whose capabilities count. */
struct caller {
	struct shm_who who;
	struct ipc_namespace *ipc;
};

static bool caller_member(const struct shm_who *who, u32 gid)
{
	return in_group_p(make_kgid(&init_user_ns, gid));
}

static bool caller_may(const struct shm_who *who, enum shm_right right)
{
	const struct caller *caller = container_of(who, struct caller, who);

	return ns_capable(caller->ipc ? caller->ipc->user_ns : &init_user_ns,
			  right == SHM_RIGHT_OWNER ? CAP_IPC_OWNER : CAP_SYS_ADMIN);
}

/* The current process, in an ioctl or mmap(): its namespace stays until the call has ended. */
static void caller_read(struct caller *caller)
{
	*caller = (struct caller){
		.who = {
			.uid = from_kuid(&init_user_ns, current_euid()),
			.gid = from_kgid(&init_user_ns, current_egid()),
			.payer = tgk_payer(), .pid = task_tgid_nr(current),
			.now = ktime_get_real_seconds(), .member = caller_member,
			.may = caller_may,
		},
		.ipc = current->nsproxy->ipc_ns,
	};
}

/*
 * The first namespace, which never ends. A kernel without CONFIG_IPC_NS has no other and counts no
 * users of it; one without System V's IPC and POSIX queues has none at all: @ipc is NULL.
 */
static bool is_first(const struct ipc_namespace *ipc)
{
	return !ipc || !ipc->ns.ops || ipc->ns.inum == PROC_IPC_INIT_INO;
}

/* For vm_ops, which ask for no right. The process may have left its namespaces. */
static void caller_brief(struct shm_who *who)
{
	*who = (struct shm_who){ .pid = task_tgid_nr(current), .now = ktime_get_real_seconds() };
}

/* --- segments and spaces --- */

/* Under shm_lock. */
static struct shm_space *space_find(const struct ipc_namespace *ipc)
{
	struct shm_space *space;

	list_for_each_entry(space, &spaces, node)
		if (space->name == ipc)
			return space;
	return NULL;
}

/*
 * Under shm_lock: may this user have a space more? A namespace whose segments have gone keeps its
 * space as long as it lives, and every call looks through the spaces.
 */
static bool space_room(u32 payer)
{
	const struct shm_space *space;
	u32 own = 0, users = 0;

	list_for_each_entry(space, &spaces, node) {
		own += space->payer == payer;
		users += space->payer != SHM_ROOT;
	}
	return shm_may_count(payer, own, users);
}

/* One for the current process's namespace; NULL: no memory. */
static struct shm_space *space_new(void)
{
	struct ipc_namespace *ipc = current->nsproxy->ipc_ns;
	struct shm_space *space = kvmalloc(sizeof(*space), GFP_KERNEL_ACCOUNT);

	if (!space)
		return NULL;
	shm_space_init(space);
	space->payer = tgk_payer();
	space->name = ipc;
	if (!is_first(ipc))
		ipc->ns.ops->get(current);	/* that one: a process changes it itself */
	return space;
}

static void space_free(struct shm_space *space)
{
	struct ipc_namespace *ipc = space->name;

	if (!is_first(ipc))
		ipc->ns.ops->put(&ipc->ns);
	kvfree(space);
}

/* Under shm_lock: it is out of the books. */
static void segment_drop(struct shm_segment *segment)
{
	list_add_tail(&segment->all, &dropped);
	queue_work(tgk_wq, &put_work);
}

/* Take the buffer of a segment whose GPU has gone; NULL: there is none. */
static struct dma_buf *lost_next(void)
{
	struct shm_segment *segment;
	struct dma_buf *buf = NULL;

	spin_lock(&shm_lock);
	list_for_each_entry(segment, &books.segments, all) {
		if (!segment->lost || !segment->buf)
			continue;
		buf = segment->buf;
		segment->buf = NULL;
		break;
	}
	spin_unlock(&shm_lock);
	return buf;
}

/*
 * A kernel thread: __fput_sync() is for those. What it puts has been put when it returns: all that
 * was there when it began. What comes meanwhile is for the next run, so that flush_work() ends.
 */
static void put_buffers(struct work_struct *work)
{
	struct shm_segment *segment, *next;
	struct dma_buf *buf;
	LIST_HEAD(gone);

	spin_lock(&shm_lock);
	list_splice_init(&dropped, &gone);
	spin_unlock(&shm_lock);
	list_for_each_entry_safe(segment, next, &gone, all) {
		buf = segment->buf;
		if (buf)
			__fput_sync(buf->file);
		kfree(segment);
		cond_resched();
	}
	while ((buf = lost_next())) {	/* root alone makes more of them */
		__fput_sync(buf->file);
		cond_resched();
	}
}

/* A segment of this file descriptor's buffer, not booked; or an ERR_PTR(). */
static struct shm_segment *segment_new(const struct tgshm_get *get)
{
	struct dma_buf *buf = dma_buf_get(get->buf);
	struct shm_segment *segment;
	u64 vram;
	int error;

	if (IS_ERR(buf))
		return ERR_CAST(buf);
	error = tgk_gpu_made(buf, &vram);
	if (!error && get->size > buf->size)
		error = -EINVAL;
	segment = error ? NULL : kzalloc(sizeof(*segment), GFP_KERNEL_ACCOUNT);
	if (!segment) {
		dma_buf_put(buf);
		return ERR_PTR(error ?: -ENOMEM);
	}
	segment->buf = buf;
	segment->bytes = buf->size;
	segment->vram = vram;
	segment->gpu = ((const struct drm_gem_object *)buf->priv)->dev;
	return segment;
}

/* --- calls --- */

/*
 * Find it, or book *@new, which is the books' then, and NULL; likewise *@fresh, if the namespace
 * has no space yet and the user may have one more.
 */
static int try_get(const struct caller *caller, const struct tgshm_get *get,
		   struct shm_segment **new, struct shm_space **fresh)
{
	struct shm_space *space;
	u64 vram;
	int ret;

	spin_lock(&shm_lock);
	space = space_find(caller->ipc);
	if (!space && *fresh && space_room((*fresh)->payer))
		space = *fresh;
	/* Its GPU may have gone meanwhile: tgk_shm_gone() has not seen this one. */
	ret = *new ? tgk_gpu_made((*new)->buf, &vram) : 0;
	ret = ret ?: shm_get(&books, space, &caller->who, get, *new);
	if (*new && (*new)->space)
		*new = NULL;
	if (*fresh && (*fresh)->used) {
		list_add_tail(&(*fresh)->node, &spaces);
		*fresh = NULL;
	}
	spin_unlock(&shm_lock);
	return ret;
}

/* The same, with a space for a namespace that has had no segment. */
static int find_or_make(const struct caller *caller, const struct tgshm_get *get,
			struct shm_segment **new)
{
	struct shm_space *fresh = NULL;
	int ret = try_get(caller, get, new, &fresh);

	if (ret != -ENODATA || !*new)
		return ret;
	fresh = space_new();
	if (!fresh)
		return -ENOMEM;
	ret = try_get(caller, get, new, &fresh);
	if (fresh)
		space_free(fresh);
	return ret == -ENODATA ? -ENOSPC : ret;
}

/* *@made: it is a new one. */
static int ioctl_get(struct tgshm_get *get, bool *made)
{
	struct shm_segment *new = NULL;
	struct caller caller;
	int ret;

	if (get->flags & ~GET_FLAGS || get->buf < -1 || get->id)
		return -EINVAL;
	if (get->buf >= 0) {
		new = segment_new(get);
		if (IS_ERR(new))
			return PTR_ERR(new);
	}
	caller_read(&caller);
	ret = find_or_make(&caller, get, &new);
	*made = get->buf >= 0 && !new;
	if (new) {
		dma_buf_put(new->buf);
		kfree(new);
	}
	if (ret < 0)
		return ret;
	if (!is_first(caller.ipc))
		queue_delayed_work(tgk_wq, &sweep_work, SWEEP);
	get->id = ret;
	return 0;
}

/* Hand out the buffer: *@file, for the caller to install as the file descriptor @get->buf. */
static int ioctl_buf(struct tgshm_buf *get, struct file **file)
{
	struct shm_segment *segment;
	struct caller caller;
	int error, fd;

	if (get->buf || get->size)
		return -EINVAL;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	caller_read(&caller);
	spin_lock(&shm_lock);
	segment = shm_look(space_find(caller.ipc), &caller.who, get->id, &error);
	if (segment && segment->lost) {
		segment = NULL;
		error = -ENODEV;
	}
	if (segment) {
		struct dma_buf *buf = segment->buf;

		*file = get_file(buf->file);
		get->size = segment->stat.size;
	}
	spin_unlock(&shm_lock);
	if (!segment) {
		put_unused_fd(fd);
		return error;
	}
	get->buf = fd;
	return 0;
}

/* As the caller's namespaces have the numbers. A process that has ended may have none. */
static void show(struct tgshm_stat *stat)
{
	struct user_namespace *ns = current_user_ns();
	const struct pid_namespace *pids = task_active_pid_ns(current);
	s32 *const pid[] = { &stat->cpid, &stat->lpid };
	int i;

	stat->uid = from_kuid_munged(ns, make_kuid(&init_user_ns, stat->uid));
	stat->cuid = from_kuid_munged(ns, make_kuid(&init_user_ns, stat->cuid));
	stat->gid = from_kgid_munged(ns, make_kgid(&init_user_ns, stat->gid));
	stat->cgid = from_kgid_munged(ns, make_kgid(&init_user_ns, stat->cgid));
	if (pids == &init_pid_ns)
		return;
	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(pid); i++)
		*pid[i] = pid_vnr(find_pid_ns(*pid[i], &init_pid_ns));
	rcu_read_unlock();
}

static int ioctl_stat(struct tgshm_stat *stat)
{
	struct caller caller;
	int ret;

	caller_read(&caller);
	spin_lock(&shm_lock);
	ret = shm_stat(space_find(caller.ipc), &caller.who, stat->id, stat);
	spin_unlock(&shm_lock);
	if (!ret)
		show(stat);
	return ret;
}

static int ioctl_set(struct tgshm_stat *set)
{
	const kuid_t uid = make_kuid(current_user_ns(), set->uid);
	const kgid_t gid = make_kgid(current_user_ns(), set->gid);
	struct caller caller;
	int ret;

	set->uid = uid_valid(uid) ? from_kuid(&init_user_ns, uid) : U32_MAX;
	set->gid = gid_valid(gid) ? from_kgid(&init_user_ns, gid) : U32_MAX;
	caller_read(&caller);
	spin_lock(&shm_lock);
	ret = shm_set(space_find(caller.ipc), &caller.who, set);
	spin_unlock(&shm_lock);
	return ret;
}

static int ioctl_rmid(s32 id)
{
	struct shm_segment *gone = NULL;
	struct caller caller;
	int ret;

	caller_read(&caller);
	spin_lock(&shm_lock);
	ret = shm_remove(&books, space_find(caller.ipc), &caller.who, id, &gone);
	if (gone)
		segment_drop(gone);
	spin_unlock(&shm_lock);
	if (gone)
		flush_work(&put_work);	/* its memory is free when the call returns */
	return ret;
}

static int ioctl_next(struct tgshm_stat *stat)
{
	const struct shm_segment *segment;
	struct caller caller;

	if (stat->id < 0)
		return -EINVAL;
	caller_read(&caller);
	spin_lock(&shm_lock);
	segment = shm_next(space_find(caller.ipc), &caller.who, stat->id);
	if (segment)
		*stat = segment->stat;
	spin_unlock(&shm_lock);
	if (!segment)
		return -ENOENT;
	show(stat);
	return 0;
}

/* Arguments have a fixed size and no pointers: 32-bit processes call this, too. */
static long shm_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	union {
		struct tgshm_get get;
		struct tgshm_buf buf;
		struct tgshm_stat stat;
		s32 id;
	} u;
	void __user *const user = (void __user *)arg;
	struct file *handed = NULL;
	bool made = false;
	int ret;

	if (_IOC_TYPE(cmd) != _IOC_TYPE(TGSHM_IOC_GET) || _IOC_SIZE(cmd) > sizeof(u))
		return -ENOTTY;
	if (copy_from_user(&u, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	switch (cmd) {
	case TGSHM_IOC_GET:
		ret = ioctl_get(&u.get, &made);
		break;
	case TGSHM_IOC_BUF:
		ret = ioctl_buf(&u.buf, &handed);
		break;
	case TGSHM_IOC_STAT:
		ret = ioctl_stat(&u.stat);
		break;
	case TGSHM_IOC_SET:
		ret = ioctl_set(&u.stat);
		break;
	case TGSHM_IOC_RMID:
		ret = ioctl_rmid(u.id);
		break;
	case TGSHM_IOC_NEXT:
		ret = ioctl_next(&u.stat);
		break;
	default:
		return -ENOTTY;
	}
	if (!ret && _IOC_DIR(cmd) & _IOC_READ && copy_to_user(user, &u, _IOC_SIZE(cmd)))
		ret = -EFAULT;
	if (ret && made)
		ioctl_rmid(u.get.id);	/* its maker would not know that it is there */
	if (handed && !ret) {
		fd_install(u.buf.buf, handed);
	} else if (handed) {
		put_unused_fd(u.buf.buf);
		fput(handed);
	}
	return ret;
}

/* --- attachments: under mmap_lock --- */

/* A child has its parent's, or the mapping has been split. */
static void vma_open(struct vm_area_struct *vma)
{
	struct shm_who who;

	caller_brief(&who);
	spin_lock(&shm_lock);
	shm_attach(vma->vm_private_data, &who);
	spin_unlock(&shm_lock);
}

static void vma_close(struct vm_area_struct *vma)
{
	struct shm_segment *segment = vma->vm_private_data;
	struct shm_who who;

	caller_brief(&who);
	spin_lock(&shm_lock);
	if (shm_detach(&books, segment, &who))
		segment_drop(segment);
	spin_unlock(&shm_lock);
}

/* There is nothing to read or write. */
static vm_fault_t vma_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct vma_ops = {
	.open = vma_open,
	.close = vma_close,
	.fault = vma_fault,
};

static int shm_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct shm_segment *segment;
	struct caller caller;
	int error;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || !(vma->vm_flags & VM_SHARED) ||
	    vma->vm_flags & (VM_READ | VM_WRITE | VM_EXEC) || vma->vm_pgoff & 1 ||
	    vma->vm_pgoff / 2 > S32_MAX)
		return -EINVAL;
	caller_read(&caller);
	spin_lock(&shm_lock);
	segment = shm_look(space_find(caller.ipc), &caller.who, vma->vm_pgoff / 2, &error);
	if (segment)
		shm_attach(segment, &caller.who);
	spin_unlock(&shm_lock);
	if (!segment)
		return error;
	vma->vm_private_data = segment;
	vma->vm_ops = &vma_ops;
	/* It stays the one page that was asked for. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

/* --- namespaces that have ended --- */

/*
 * Under shm_lock: the segments of a namespace that has ended go; those that are attached still, by
 * processes that have changed to another one, with their last attachment. Return: the first one
 * that is to be freed; or NULL.
 */
static struct shm_segment *space_over(struct shm_space *space)
{
	struct shm_segment *segment;
	u32 i;

	for (i = 0; i < TGSHM_SEGMENTS; i++) {
		segment = space->slot[i];
		if (!segment)
			continue;
		if (!segment->stat.nattch) {
			shm_forget(&books, segment);
			return segment;
		}
		shm_doom(segment);
	}
	return NULL;
}

/* Return: there was something to free. @all: of any namespace, since the module goes. */
static bool sweep_one(bool all)
{
	struct shm_space *space, *empty = NULL;
	struct shm_segment *segment = NULL;
	struct ipc_namespace *ipc;

	spin_lock(&shm_lock);
	list_for_each_entry(space, &spaces, node) {
		ipc = space->name;
		if (!all && (is_first(ipc) || tgk_ipc_users(ipc) > 1))
			continue;
		segment = space_over(space);
		if (!space->used) {
			list_del(&space->node);
			empty = space;
		}
		if (segment || empty)
			break;
	}
	if (segment)
		segment_drop(segment);
	spin_unlock(&shm_lock);
	if (empty)
		space_free(empty);
	return segment || empty;
}

static void sweep(struct work_struct *work)
{
	const struct shm_space *space;
	bool again = false;

	while (sweep_one(false))
		cond_resched();
	spin_lock(&shm_lock);
	list_for_each_entry(space, &spaces, node)
		again |= !is_first(space->name);
	spin_unlock(&shm_lock);
	if (again)
		queue_delayed_work(tgk_wq, &sweep_work, SWEEP);
}

/* --- a GPU goes --- */

/**
 * tgk_shm_gone() - the driver is about to remove a GPU: nothing here holds its buffers any more
 * @drm: the GPU's, which tgk_gpu_made() does not know any more; compared only
 *
 * Context: process, under no lock that the driver takes to free a buffer.
 */
void tgk_shm_gone(const struct drm_device *drm)
{
	struct shm_segment *segment, *next;

	spin_lock(&shm_lock);
	list_for_each_entry_safe(segment, next, &books.segments, all) {
		const struct dma_buf *buf = segment->buf;
		const struct drm_gem_object *obj = buf ? buf->priv : NULL;

		if (!obj || obj->dev != drm)
			continue;
		if (segment->stat.nattch) {
			shm_doom(segment);
			segment->lost = true;
			segment->gpu = NULL;	/* another one may get its place in memory */
		} else {
			shm_forget(&books, segment);
			segment_drop(segment);
		}
	}
	spin_unlock(&shm_lock);
	queue_work(tgk_wq, &put_work);
	flush_work(&put_work);
}

/* --- the device --- */

static const struct file_operations shm_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = shm_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = shm_mmap,
};

/* What MODULE_IMPORT_NS() writes, whose argument is not the same in all versions */
MODULE_INFO(import_ns, "DMA_BUF");

static struct miscdevice shm_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tgshm",
	.fops = &shm_fops,
	.mode = 0660,
};

/** tgk_shm_init() - the device is there. Return: 0 or a negative errno */
int tgk_shm_init(void)
{
	return misc_register(&shm_device);
}

/** tgk_shm_exit() - it is not, and neither is any segment. No file and no mapping of it is left */
void tgk_shm_exit(void)
{
	misc_deregister(&shm_device);
	cancel_delayed_work_sync(&sweep_work);
	while (sweep_one(true))
		;
	flush_work(&put_work);
}
