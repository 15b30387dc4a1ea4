/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long are the sections under our locks? `make kmod-timed` includes this ahead of every file of the module, so that
 * each section of the module's own, under a raw lock, a fence's or rcu_read_lock_sched(), is timed from when the lock is held
 * until it is given back. The place that takes it has the account (struct tgt_site); timed.c keeps them.
 *
 * For a guest with one CPU whose clock counts instructions (scripts/vm -i -c 1): a tick of the TSC is one of them.
 */
#ifndef TGT_TIMED_H
#define TGT_TIMED_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>

/**
 * struct tgt_site - one place that takes a lock
 * @next: in the list of all that have been passed
 * @file: where it is
 * @line: likewise
 * @known: it is in the list
 * @nr: how many sections
 * @most: instructions of the longest
 * @to_file: where that one ended
 * @to_line: likewise
 * @event: the last event that it fed to the core, -1: none
 * @events: how many it fed
 */
struct tgt_site {
	struct tgt_site *next;
	const char *file;
	int line;
	bool known;
	u64 nr, most;
	const char *to_file;
	int to_line;
	int event;
	u32 events;
};

void tgt_begin(struct tgt_site *site, const void *lock);
void tgt_end(const void *lock, const char *file, int line);
void tgt_event(int kind);
void tgt_tell(void);

#define TGT_BEGIN(lock) ({						\
	static struct tgt_site _site = { .file = __FILE__, .line = __LINE__ };	\
	tgt_begin(&_site, lock);					\
})
#define TGT_END(lock) tgt_end(lock, __FILE__, __LINE__)

extern const char tgt_sched;	/* stands for rcu_read_lock_sched() */

#undef raw_spin_lock
#define raw_spin_lock(lock) ({ _raw_spin_lock(lock); TGT_BEGIN(lock); })
#undef raw_spin_unlock
#define raw_spin_unlock(lock) ({ TGT_END(lock); _raw_spin_unlock(lock); })
#undef raw_spin_lock_irq
#define raw_spin_lock_irq(lock) ({ _raw_spin_lock_irq(lock); TGT_BEGIN(lock); })
#undef raw_spin_unlock_irq
#define raw_spin_unlock_irq(lock) ({ TGT_END(lock); _raw_spin_unlock_irq(lock); })
#undef raw_spin_lock_irqsave
#define raw_spin_lock_irqsave(lock, flags) ({ flags = _raw_spin_lock_irqsave(lock); TGT_BEGIN(lock); })
#undef raw_spin_unlock_irqrestore
#define raw_spin_unlock_irqrestore(lock, flags) ({ TGT_END(lock); _raw_spin_unlock_irqrestore(lock, flags); })
/* a driver's lock, which a function of ours takes */
#undef spin_lock_irqsave
#define spin_lock_irqsave(lock, flags) \
	({ flags = _raw_spin_lock_irqsave(spinlock_check(lock)); TGT_BEGIN(lock); })
#define spin_unlock_irqrestore(lock, flags) ({ TGT_END(lock); spin_unlock_irqrestore(lock, flags); })
#define rcu_read_lock_sched() ({ rcu_read_lock_sched(); TGT_BEGIN(&tgt_sched); })
#define rcu_read_unlock_sched() ({ TGT_END(&tgt_sched); rcu_read_unlock_sched(); })

#endif /* TGT_TIMED_H */
