// SPDX-License-Identifier: GPL-2.0
/*
 * The accounts of timed.h, a part of the module that `make kmod-timed` builds. Called at each end of each section, in
 * any context; one CPU, so a section is ended before one that it interrupts or lies in.
 *
 * /sys/module/timegraph/parameters/sections has a line for each place that takes a lock, the one with the longest section
 * first: instructions, sections, FROM:LINE, TO:LINE, the last event fed in the longest one (enum tg_event_kind, -1: none),
 * the number of events. What timing itself costs is not in it. Writing to it begins anew; the
 * longest are told to the log when the module goes.
 * `sections_check` is what a section of 100000 instructions is measured as.
 */
#include <linux/hardirq.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <asm/msr.h>

#define NESTED	8
#define SITES	128

static struct {
	struct tgt_site *site;
	const void *lock;
	u64 since;
	u32 interrupts;
	int event;
	u32 events;
} open[NESTED];

const char tgt_sched;

static u32 depth;
static u64 within;	/* what timing itself takes of a section */
static u64 around;	/* what it takes of the section in which another one lies */
static struct tgt_site *sites;
static bool deep;	/* more were nested than there is room for, or a lock is given back that was not taken last */

/* Only the first time is of interest. */
static void too_deep(const char *file, int line)
{
	u32 i;

	if (deep)
		return;
	deep = true;
	pr_err("timegraph: sections: cannot be told since %s:%d, within:\n", file, line);
	for (i = 0; i < depth; i++)
		pr_err("timegraph: sections: %s:%d\n", open[i].site->file, open[i].site->line);
}

/* A section that an interrupt came into is longer by that, which is not its own doing: it does not count. */
static u32 interrupts(void)
{
#ifdef inc_perf_irq_stat	/* Linux 7.2 counts them in an array */
	const u32 timer = this_cpu_read(irq_stat.counts[IRQ_COUNT_APIC_TIMER]);
#else
	const u32 timer = this_cpu_read(irq_stat.apic_timer_irqs);
#endif

	return timer + (u32)this_cpu_read(kstat.irqs_sum);
}

static noinline u64 ticks(void)
{
	return rdtsc();
}

noinline void tgt_begin(struct tgt_site *site, const void *lock)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!site->known) {
		site->known = true;
		site->next = sites;
		sites = site;
	}
	if (depth == NESTED) {
		too_deep(site->file, site->line);
	} else {
		open[depth].site = site;
		open[depth].lock = lock;
		open[depth].event = -1;
		open[depth].events = 0;
		open[depth].interrupts = interrupts();
		depth++;
		open[depth - 1].since = ticks();
	}
	local_irq_restore(flags);
}

noinline void tgt_end(const void *lock, const char *file, int line)
{
	u64 now = ticks(), took;
	struct tgt_site *site;
	unsigned long flags;

	local_irq_save(flags);
	if (!depth || open[depth - 1].lock != lock) {
		too_deep(file, line);
	} else {
		depth--;
		site = open[depth].site;
		took = now - open[depth].since;
		took -= min(took, within);
		site->nr++;
		if (took > site->most && interrupts() == open[depth].interrupts) {
			site->most = took;
			site->to_file = file;
			site->to_line = line;
			site->event = open[depth].event;
			site->events = open[depth].events;
		}
		if (depth)
			open[depth - 1].since += around;
	}
	local_irq_restore(flags);
}

/* Under a lock: the section feeds an event to the core. */
void tgt_event(int kind)
{
	if (depth) {
		open[depth - 1].event = kind;
		open[depth - 1].events++;
	}
}

static u64 measured(u32 loops)
{
	static struct tgt_site site;
	u64 took;

	site.known = true;
	site.most = 0;
	within = 0;
	tgt_begin(&site, &site);
	asm volatile("1: dec %0; jnz 1b" : "+r" (loops));
	tgt_end(&site, __FILE__, __LINE__);
	took = site.most;
	return took;
}

/* Once, before the first answer. */
static void calibrate(void)
{
	static struct tgt_site site;
	unsigned long flags;
	u64 from;

	local_irq_save(flags);
	within = measured(1) - 2;
	site.known = true;
	from = ticks();
	tgt_begin(&site, &site);
	tgt_end(&site, __FILE__, __LINE__);
	around = ticks() - from - within;
	local_irq_restore(flags);
}

static int longer(const void *a, const void *b)
{
	const struct tgt_site *x = *(struct tgt_site *const *)a, *y = *(struct tgt_site *const *)b;

	return (x->most < y->most) - (x->most > y->most);
}

static const char *base(const char *file)
{
	return file ? kbasename(file) : "-";
}

/* All places that have been passed, the longest section first. Return: how many; 0: not all could be told. */
static int sorted(struct tgt_site *all[SITES])
{
	struct tgt_site *site;
	int n = 0;

	for (site = sites; site && n < SITES; site = site->next)
		if (site->nr)
			all[n++] = site;
	if (site || deep)
		return 0;
	sort(all, n, sizeof(*all), longer, NULL);
	return n;
}

static int tell_one(char *buf, size_t size, const struct tgt_site *site)
{
	return scnprintf(buf, size, "%llu %llu %s:%d %s:%d %d %u\n", site->most, site->nr, base(site->file),
			 site->line, base(site->to_file), site->to_line, site->event, site->events);
}

static int sections_get(char *buf, const struct kernel_param *kp)
{
	struct tgt_site *all[SITES];
	int n = sorted(all), i, len = 0;

	for (i = 0; i < n; i++)
		len += tell_one(buf + len, PAGE_SIZE - len, all[i]);
	return n ? len : -E2BIG;
}

/* To the log: the module goes. */
void tgt_tell(void)
{
	struct tgt_site *all[SITES];
	int n = sorted(all), i;
	char line[128];

	for (i = 0; i < n && i < 24; i++) {
		tell_one(line, sizeof(line), all[i]);
		pr_info("timegraph: sections: %s", line);
	}
}

static int sections_set(const char *val, const struct kernel_param *kp)
{
	struct tgt_site *site;
	unsigned long flags;

	local_irq_save(flags);
	calibrate();
	for (site = sites; site; site = site->next) {
		site->most = 0;
		site->nr = 0;
	}
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops sections_ops = { .get = sections_get, .set = sections_set };
module_param_cb(sections, &sections_ops, NULL, 0600);

static int check_get(char *buf, const struct kernel_param *kp)
{
	unsigned long flags;
	u64 kept, took;

	local_irq_save(flags);
	kept = within;
	took = measured(50000);
	within = kept;
	local_irq_restore(flags);
	return scnprintf(buf, PAGE_SIZE, "%llu\n", took - min(took, kept));
}

static const struct kernel_param_ops check_ops = { .get = check_get };
module_param_cb(sections_check, &check_ops, NULL, 0400);
