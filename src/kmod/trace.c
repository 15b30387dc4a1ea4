// SPDX-License-Identifier: GPL-2.0
/*
 * The trace of one GPU, and its file in debugfs. See trace.h.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include <tg/record.h>
#include "tgk.h"

static struct dentry *folder;

static ssize_t trace_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct tgk_trace *t = file->private_data;

	/* Pairs with the release in tgk_trace_end(): what is below @used is complete. */
	return simple_read_from_buffer(to, len, pos, t->buf, smp_load_acquire(&t->used));
}

static const struct file_operations trace_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = trace_read,
	.llseek = default_llseek,
};

int tgk_trace_module_init(void)
{
	folder = tgk_trace_kib ? debugfs_create_dir("timegraph", NULL) : NULL;
	if (IS_ERR(folder))
		pr_err("trace_kib=%u: no debugfs (error %ld)\n", tgk_trace_kib, PTR_ERR(folder));
	return PTR_ERR_OR_ZERO(folder);
}

void tgk_trace_module_exit(void)
{
	debugfs_remove(folder);
}

int tgk_trace_init(struct tgk_trace *t, unsigned int kib, unsigned int gpu, const char *policy,
		   u32 engines, s64 now)
{
	struct tg_trace_head *head;
	char name[16] = "trace";

	if (!kib)
		return 0;
	t->size = kib * 1024;
	t->buf = vzalloc(t->size);
	if (!t->buf)
		return -ENOMEM;
	head = (struct tg_trace_head *)t->buf;
	head->magic = TG_TRACE_MAGIC;
	head->version = TG_TRACE_VERSION;
	head->engines = engines;
	strscpy_pad(head->policy, policy, sizeof(head->policy));
	head->now = now;
	t->used = sizeof(*head);
	if (gpu)
		snprintf(name, sizeof(name), "trace%u", gpu);
	t->file = debugfs_create_file(name, 0400, folder, t, &trace_fops);
	if (IS_ERR(t->file)) {
		vfree(t->buf);
		t->buf = NULL;
		return PTR_ERR(t->file);
	}
	return 0;
}

void tgk_trace_exit(struct tgk_trace *t)
{
	debugfs_remove(t->file);
	vfree(t->buf);
	t->buf = NULL;
}

/* Room for @size bytes more and for the record that ends a full trace? */
static bool fits(const struct tgk_trace *t, u32 size)
{
	return !t->lost && t->size - t->at >= size + sizeof(struct tg_record);
}

void tgk_trace_begin(struct tgk_trace *t, const struct tg_event *ev, u32 spec_len)
{
	u32 size;

	if (!t->buf || t->gap)
		return;
	size = tg_record_event_size(ev, spec_len);
	t->at = t->used;
	t->lost = false;
	t->lost = !fits(t, size);
	if (!t->lost)
		t->at += size;
}

void tgk_trace_action(struct tgk_trace *t, const struct tg_action *action)
{
	if (!t->buf)
		return;
	if (t->gap) {
		WRITE_ONCE(t->gap->arg, t->gap->arg + 1);
		return;
	}
	t->lost = !fits(t, sizeof(struct tg_record));
	if (t->lost)
		return;
	tg_record_action((struct tg_record *)(t->buf + t->at), action);
	t->at += sizeof(struct tg_record);
}

void tgk_trace_end(struct tgk_trace *t, const struct tg_event *ev, u32 spec_len, int result)
{
	/* An empty pool: nothing has happened, and the host feeds it again. */
	if (!t->buf || result == -ENOMEM)
		return;
	if (t->gap) {
		WRITE_ONCE(t->gap->arg, t->gap->arg + 1);
		return;
	}
	if (t->lost) {
		/* All of this event or nothing: what is before it replays. */
		t->gap = (struct tg_record *)(t->buf + t->used);
		memset(t->gap, 0, sizeof(*t->gap));
		t->gap->size = sizeof(*t->gap);
		t->gap->type = TG_REC_GAP;
		t->gap->now = ev->now;
		t->gap->arg = 1;
		t->at = t->used + sizeof(*t->gap);
	} else {
		tg_record_event(t->buf + t->used, ev, spec_len, result);
	}
	/* Pairs with the acquire in trace_read(). */
	smp_store_release(&t->used, t->at);
}
