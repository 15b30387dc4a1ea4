/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card's file in debugfs: tg_mock.c says what stands there, and what is written to it. That
 * file alone includes this, behind its structures.
 */
#ifndef TG_TRUTH_H
#define TG_TRUTH_H

static int show(struct seq_file *s, void *data)
{
	struct mock *m = s->private;
	struct mock_truth *t;
	struct mock_ring *r;
	u32 i;

	seq_printf(s, "now_ns %llu\n", ktime_get_ns());
	for (i = 0; i < rings; i++) {
		r = &m->ring[i];
		spin_lock_irq(&r->lock);
		seq_printf(s, "ring %u jobs %llu aborted %llu busy_ns %llu\n", i, r->jobs,
			   r->aborted, r->busy_ns);
		spin_unlock_irq(&r->lock);
	}
	mutex_lock(&m->files_mutex);
	list_for_each_entry(t, &m->files, node)
		for (i = 0; i < rings; i++) {
			spin_lock_irq(&m->ring[i].lock);
			seq_printf(s, "file %d ring %u jobs %llu busy_ns %llu span_ns %llu%s\n",
				   t->pid, i, t->jobs[i], t->busy_ns[i], t->span_ns[i],
				   t->closed ? " closed" : "");
			spin_unlock_irq(&m->ring[i].lock);
		}
	mutex_unlock(&m->files_mutex);
	return 0;
}

static int open_file(struct inode *inode, struct file *filp)
{
	return single_open(filp, show, inode->i_private);
}

static ssize_t write_file(struct file *filp, const char __user *user, size_t len, loff_t *pos)
{
	struct mock *m = ((struct seq_file *)filp->private_data)->private;
	char text[32];
	u32 ring;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, len))
		return -EFAULT;
	text[len] = 0;
	if (sscanf(text, "hang %u", &ring) == 1 && ring < rings) {
		spin_lock_irq(&m->ring[ring].lock);
		m->ring[ring].hang = true;
		spin_unlock_irq(&m->ring[ring].lock);
	} else if (sysfs_streq(text, "reset")) {
		for (ring = 0; ring < rings; ring++)
			abort_all(&m->ring[ring], -ECANCELED);
	} else {
		return -EINVAL;
	}
	return len;
}

static const struct file_operations debugfs_fops = {
	.owner = THIS_MODULE,
	.open = open_file, .release = single_release,
	.read = seq_read, .llseek = seq_lseek,
	.write = write_file,
};

#endif /* TG_TRUTH_H */
