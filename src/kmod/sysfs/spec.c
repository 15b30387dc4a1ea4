// SPDX-License-Identifier: GPL-2.0
/*
 * The files `spec`, `spec_commit` and `spec_result`.
 *
 * Process context, in the thread that reads or writes. Owns the text that has been written and not
 * been committed yet, under spec_mutex, which is taken before tgk_mutex. What root writes is
 * checked like any stranger's text.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "settings.h"
#include "sysfs.h"
#include "wrap/sysfs.h"

#define RESULT_MAX	256

/* One byte too many is kept, so that the parser says where the text is too long. */
#define GATHER_MAX	(TG_SPEC_TEXT_MAX + 1)

static DEFINE_MUTEX(spec_mutex);	/* before tgk_mutex */
static char *gathered;			/* spec_mutex; room for GATHER_MAX, or NULL */
static u32 gathered_len;		/* spec_mutex */
static char result[RESULT_MAX] = "ok 0";	/* spec_mutex */

static ssize_t spec_read(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			 loff_t off, size_t count)
{
	ssize_t ret = 0;

	if (mutex_lock_killable(&tgk_mutex))
		return -EINTR;
	if (tgk_spec && tgk_spec->len)
		ret = memory_read_from_buffer(buf, count, &off, tgk_spec->text, tgk_spec->len);
	mutex_unlock(&tgk_mutex);
	return ret;
}

/*
 * The text arrives in pieces of up to a page. A write at the start begins anew; what goes
 * beyond GATHER_MAX makes no difference any more and is left out.
 */
static ssize_t spec_write(struct file *file, struct kobject *kobj, TGK_BIN_ATTR *attr, char *buf,
			  loff_t off, size_t count)
{
	ssize_t ret = count;

	if (!tgk_may_write())
		return -EPERM;
	if (mutex_lock_killable(&spec_mutex))
		return -EINTR;
	if (!gathered)
		gathered = kvmalloc(GATHER_MAX, GFP_KERNEL);
	if (!off)
		gathered_len = 0;
	if (!gathered) {
		ret = -ENOMEM;
	} else if (off < GATHER_MAX && off > gathered_len) {
		ret = -EINVAL;
	} else if (off < GATHER_MAX) {
		count = min_t(size_t, count, GATHER_MAX - off);
		memcpy(gathered + off, buf, count);
		gathered_len = off + count;
	}
	mutex_unlock(&spec_mutex);
	return ret;
}

static void say(const struct tg_spec_error *err)
{
	scnprintf(result, sizeof(result), "%u:%u: %s; %s", err->line, err->column, err->what,
		  err->want);
}

/* Under spec_mutex: what was gathered, parsed; @result says what is wrong. */
static struct tgk_spec *spec_parse(void)
{
	struct tg_spec_error err;
	struct tgk_spec *s;
	int ret = -ENOMEM;
	u32 room;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return ERR_PTR(ret);
	s->len = gathered_len;
	s->text = kvmalloc(s->len + 1, GFP_KERNEL);
	if (!s->text)
		goto free;
	if (s->len)
		memcpy(s->text, gathered, s->len);
	s->text[s->len] = '\0';
	room = tg_spec_room(s->text, s->len);
	s->spec.text = s->text;
	s->spec.entries = kvcalloc(room, sizeof(*s->spec.entries), GFP_KERNEL);
	if (!s->spec.entries)
		goto free;
	ret = tg_spec_parse(&s->spec, s->len, &err);
	if (!ret)
		return s;
	say(&err);
free:
	tgk_spec_free(s);
	return ERR_PTR(ret);
}

/* Under spec_mutex: put what was gathered in force, if it can be. */
static int spec_apply(bool rematch, bool *switches)
{
	struct tgk_spec *s = spec_parse();
	struct tg_spec_error err = { };
	u32 entries;
	int ret;

	if (IS_ERR(s))
		return PTR_ERR(s);
	entries = s->spec.nr;
	*switches = s->spec.policy >= 0;
	ret = mutex_lock_killable(&tgk_mutex);
	if (!ret) {
		ret = tgk_set_spec(s, rematch, &err);
		mutex_unlock(&tgk_mutex);
	}
	if (ret) {
		if (err.line)
			say(&err);
		tgk_spec_free(s);
		return ret;
	}
	scnprintf(result, sizeof(result), "ok %u", entries);
	return 0;
}

static ssize_t spec_commit_store(struct kobject *kobj, struct kobj_attribute *ka,
				 const char *buf, size_t count)
{
	const size_t len = tgk_trimmed(buf, count);
	const bool later = len == 8 && !memcmp(buf, "new-only", 8);
	const bool apply = len == 1 && *buf == '1';
	const bool forget = len == 1 && *buf == '0';
	bool switches = false;
	int ret;

	if (!tgk_may_write())
		return -EPERM;
	if (!later && !apply && !forget)
		return -EINVAL;
	if (mutex_lock_killable(&spec_mutex))
		return -EINTR;
	ret = forget ? 0 : spec_apply(apply, &switches);
	gathered_len = 0;
	mutex_unlock(&spec_mutex);
	/* The drain has a deadline. */
	if (!ret && switches)
		ret = wait_event_killable(tgk_settled, tgk_policy_settled());
	return ret ?: count;
}

static ssize_t spec_result_show(struct kobject *kobj, struct kobj_attribute *ka, char *buf)
{
	ssize_t len;

	if (mutex_lock_killable(&spec_mutex))
		return -EINTR;
	len = sysfs_emit(buf, "%s\n", result);
	mutex_unlock(&spec_mutex);
	return len;
}

struct kobj_attribute tgk_spec_commit_attr = __ATTR_WO(spec_commit);
struct kobj_attribute tgk_spec_result_attr = __ATTR_RO(spec_result);

struct bin_attribute tgk_spec_attr = {
	.attr = { .name = "spec", .mode = 0644 },
	.read = spec_read,
	.write = spec_write,
};

/* At unload, when no thread reads or writes any more. */
void tgk_spec_text_free(void)
{
	kvfree(gathered);
}
