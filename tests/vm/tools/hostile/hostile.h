/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hostile - what its files share. See main.c.
 *
 * All state of a process is shared by its threads, on purpose without a lock: what one of them closes, another one uses.
 * With -n each thread has its own, so that what it does follows from the seed alone.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FILES		6u
#define CHANNELS	4u
#define OBJECTS		6u		/* of a file, that submissions name: they are not closed before their file is */
#define LOOSE		2u		/* and others, in VRAM or wherever, which are */
#define SYNCS		4u
#define THREADS		2u
#define WORKERS		3u		/* processes that call nouveau; one more plays root */
#define MAILBOXES	4u
#define CHILDREN	8		/* forked processes at a time, all together */
#define ROOT		WORKERS		/* the slot of that one */
#define CARDS		2u
#define FORKED_BY	100000u		/* added to the process number of a forked one's parent */
#define GENERATION	16u		/* process number = slot + GENERATION * how often it has begun */

/* Descriptors that every process has, across fork and exec */
#define FD_SHARED	100
#define FD_MAILBOX	101

#define TG		"/sys/kernel/timegraph"

enum kind {
	OPEN, CHANNEL_ALLOC, CHANNEL_FREE, GROBJ_ALLOC, NVIF, GEM_NEW, GEM_CLOSE, DUMB, PUSHBUF, CPU_PREP, GEM_INFO,
	PRIME, VM_INIT, VM_BIND, EXEC, SYNCOBJ, WRITE, READ, INSMOD, RMMOD, KILLED, FORKED, PASSED, EXECED, LEFT, KINDS
};

/**
 * struct shared - what all processes see
 * @end: stop
 * @pid: of each worker, and of root; 0: none now
 * @children: forked processes that are alive
 * @int80: the kernel has the calls of 32-bit programs
 * @cards: how many there are
 * @fermi: which of them are Fermis, or later
 * @binds: on which of them programs can choose addresses (VM_INIT), so that EXEC runs
 * @past: submissions past the gate, the most that one load of the module has counted
 * @looks: how often root has looked at that
 * @calls: made, by kind
 * @taken: those that said no error
 */
struct shared {
	atomic_bool end, int80;
	atomic_int pid[WORKERS + 1];
	atomic_int children;
	unsigned int cards;
	bool fermi[CARDS], binds[CARDS];
	atomic_ulong past, looks;
	atomic_ulong calls[KINDS], taken[KINDS];
};

struct object {
	atomic_uint handle;
	atomic_uint domain;
	atomic_uint bytes;
	atomic_ullong va;	/* where VM_BIND has put it */
};

struct file {
	atomic_int fd;
	atomic_bool vm;		/* VM_INIT has been called: EXEC, no PUSHBUF */
	atomic_int chan[CHANNELS];
	atomic_uint made;	/* which of them the driver has made; others are guesses */
	struct object object[OBJECTS + LOOSE];
	atomic_uint sync[SYNCS];
};

/**
 * struct thread - one sequence of calls
 * @rng: begins anew with each step, so that what a step does hangs on (seed, process, thread, step) alone
 * @args: memory for arguments, ARENA bytes below 4 GiB, and a page behind it that cannot be touched
 * @readonly: the same memory, which cannot be written to through here
 * @exact: the next call is the right one, of the right size, at the right place
 * @over: it makes no more steps
 * @hash: of all that it has done (-n)
 * @given: how many numbers calls that are not made have given it (-n)
 */
struct thread {
	uint64_t rng, step;
	unsigned int process, index;
	uint8_t *args, *readonly;
	bool exact, over;
	uint64_t hash;
	unsigned int given;
};

#define PAGE	4096u
#define ARENA	(16 * PAGE)
#define NR(nr)	(DRM_COMMAND_BASE + (nr))	/* of nouveau's own ioctls */

struct op {
	const char *name;
	unsigned int weight;
	void (*run)(struct thread *t);
};

extern struct shared *shared;
extern __thread struct file *files;	/* FILES of them */
extern uint64_t seed;
extern const char *module;	/* of root's insmod; NULL: none */
extern bool failures;		/* allocations and copies fail: -f */
extern bool dry;		/* calls are noted, and not made: -n */
extern bool quiet;		/* a replay is not */
/* A replay of a forked process: the step in which it is forked, and the one before which it ends */
extern uint64_t child_from, child_until;

extern const struct op driver_ops[], exec_ops[], world_ops[], root_ops[];

/* main.c */
uint32_t below(struct thread *t, uint32_t n);
bool one_in(struct thread *t, uint32_t n);
uint64_t wild(struct thread *t);
void count(enum kind kind, bool ok);
void one_step(struct thread *t, const struct op *const *tables);
double now(void);
void note(struct thread *t, const void *bytes, size_t n);
long sys(struct thread *t, long nr, long a, long b);
int sys_open(struct thread *t, const char *path, int flags);
void sys_usleep(struct thread *t, unsigned int us);
void ask_for_failures(bool on);
bool thread_init(struct thread *t, unsigned int process, unsigned int index);

/* driver.c */
long call(struct thread *t, const struct file *file, enum kind kind, unsigned int nr, void *args, size_t size);
void *list(struct thread *t, unsigned int which);
uint64_t list_address(struct thread *t, const void *list, size_t bytes);
void forget_notifiers(struct thread *t, struct file *file, uint32_t handle);

/*
 * files.c
 *
 * @no_imports: held from a file's opening to its VM_INIT, while a buffer is imported, and while a
 *	process forks: head of exec.c
 */
extern pthread_mutex_t no_imports;
struct file *some_file(struct thread *t, bool vm);
bool is_card_node(int fd);
unsigned int card_of(int fd);
void find_cards(void);
void adopt(struct thread *t, struct file *file, int fd);
void forget(struct thread *t);
void begin(struct thread *t);
void do_open(struct thread *t);
void do_close(struct thread *t);

/* exec.c */
bool place_buffers(struct thread *t, struct file *file);

/* world.c */
pid_t somebody(struct thread *t);
unsigned int steps_forked(struct thread *t, const struct op *op);

#endif
