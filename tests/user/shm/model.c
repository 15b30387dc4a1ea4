// SPDX-License-Identifier: GPL-2.0
/*
 * Shared device memory against System V's own shm: random sequences of get, at, dt, ctl, fork and
 * kill by processes of four users give the same answers.
 *
 *	model [SEQUENCES [SEED]]	(1000, 1)
 *
 * Built with -DDEVICE it asks /dev/tgshm of a machine where timegraph.ko is loaded, by the library,
 * in each process; else src/kmod/shm_books.c, here. Root's, since each sequence has an IPC namespace
 * of its own and processes of other users; another user sees that nothing is tested.
 *
 * Every third sequence here has TGSHM_VOLATILE against kernel.shm_rmid_forced, which also removes what an ended
 * process has made and nobody is attached to. Every eighth one begins with more segments than a round of ids has.
 *
 * One process, the conductor, has others do one thing at a time, over a socket each, and compares
 * what both sides say: the errno, the id, and what IPC_STAT has of two segments after each step, of
 * all at the end. In a new namespace even ids are the same, those of segments that have gone too.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef DEVICE
#include <timegraph/shm.h>
#else
#include "shm_books.h"
#endif

#define PROCESSES	8
#define ATTACHED	6	/* of one process */
#define IDS		160
#define KEYS		4

enum what { GET, AT, DT, STAT, SET, RMID, FORK, WHATS };

static const char *const names[] = { "get", "at", "dt", "stat", "set", "rmid", "fork" };

struct order {
	enum what what;
	int key, flags, id, slot, uid, gid;
	size_t size;
};

struct seen {
	int key, uid, gid, cuid, cgid, mode, cpid, lpid;
	bool atime, dtime;
	unsigned long size, nattch;
};

struct answer {
	int id, error;
	struct seen seen;
};

/* What a process says: of System V, and of the device. */
struct reply {
	struct answer sysv, ours;
	int pid;
};

/* A process, as the conductor knows it. */
struct process {
	int fd, uid, gid, pid, attached;
#ifndef DEVICE
	struct shm_segment *at[ATTACHED];
#endif
};

static const struct {
	int uid, gid;
} users[] = { { 0, 0 }, { 1001, 1001 }, { 1002, 1001 }, { 1003, 1003 } };

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

static void die(const char *what)
{
	fprintf(stderr, "model: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* --- a process --- */

static void see(struct seen *seen, const struct shmid_ds *ds)
{
	*seen = (struct seen){
		.key = ds->shm_perm.__key, .uid = ds->shm_perm.uid, .gid = ds->shm_perm.gid,
		.cuid = ds->shm_perm.cuid, .cgid = ds->shm_perm.cgid, .mode = ds->shm_perm.mode,
		.cpid = ds->shm_cpid, .lpid = ds->shm_lpid, .atime = ds->shm_atime,
		.dtime = ds->shm_dtime, .size = ds->shm_segsz, .nattch = ds->shm_nattch,
	};
}

static void note(struct answer *answer, int ret)
{
	answer->error = ret < 0 ? errno : 0;
	answer->id = ret < 0 ? -1 : ret;
}

/* Shared memory of a kind, as this process has it; at and dt: of an attachment's slot. */
struct kind {
	int (*get)(key_t key, size_t size, int flags);
	int (*at)(int id, int slot);
	int (*dt)(int slot);
	int (*ctl)(int id, int cmd, struct shmid_ds *ds);
};

static void obey(const struct kind *kind, const struct order *o, struct answer *answer)
{
	struct shmid_ds ds = { 0 };
	int ret = 0;

	switch (o->what) {
	case GET:
		ret = kind->get(o->key, o->size, o->flags);
		break;
	case AT:
		ret = kind->at(o->id, o->slot);
		break;
	case DT:
		ret = kind->dt(o->slot);
		break;
	case STAT:
		ret = kind->ctl(o->id, IPC_STAT, &ds);
		see(&answer->seen, &ds);
		break;
	case SET:
		ds.shm_perm.uid = o->uid;
		ds.shm_perm.gid = o->gid;
		ds.shm_perm.mode = o->flags;
		ret = kind->ctl(o->id, IPC_SET, &ds);
		break;
	case RMID:
		ret = kind->ctl(o->id, IPC_RMID, NULL);
		break;
	default:
		break;
	}
	note(answer, ret);
}

static void *sysv_at[ATTACHED];

static int sysv_attach(int id, int slot)
{
	sysv_at[slot] = shmat(id, NULL, 0);
	return sysv_at[slot] == (void *)-1 ? -1 : 0;
}

static int sysv_detach(int slot)
{
	if (shmdt(sysv_at[slot]))
		return -1;
	memmove(&sysv_at[slot], &sysv_at[slot + 1], (ATTACHED - 1 - slot) * sizeof(*sysv_at));
	return 0;
}

static const struct kind sysv = { shmget, sysv_attach, sysv_detach, shmctl };

#ifdef DEVICE
static struct tgshm_at our_at[ATTACHED];
static int drm;

static int our_get(key_t key, size_t size, int flags)
{
	return tgshm_get(drm, key, size, flags);
}

static int our_attach(int id, int slot)
{
	return tgshm_at(drm, id, 0, &our_at[slot]);
}

static int our_detach(int slot)
{
	if (tgshm_dt(&our_at[slot]))
		return -1;
	memmove(&our_at[slot], &our_at[slot + 1], (ATTACHED - 1 - slot) * sizeof(*our_at));
	return 0;
}

static const struct kind ours = { our_get, our_attach, our_detach, tgshm_ctl };
#endif

static void become(int uid, int gid)
{
	if (uid && (setgroups(0, NULL) || setgid(gid) || setuid(uid)))
		die("setuid");
}

/* The socket of a child comes with the order to fork. */
static int receive(int fd, struct order *o, int *passed)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { o, sizeof(*o) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;

	if (recvmsg(fd, &msg, MSG_CMSG_CLOEXEC) != sizeof(*o))
		return -1;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg)
		memcpy(passed, CMSG_DATA(cmsg), sizeof(int));
	return 0;
}

static void __attribute__((noreturn)) serve(int fd)
{
	struct reply reply;
	struct order o;
	int child = -1;

	while (!receive(fd, &o, &child)) {
		memset(&reply, 0, sizeof(reply));
		if (o.what == FORK) {
			reply.pid = fork();
			if (!reply.pid) {
				close(fd);
				fd = child;
				continue;
			}
			close(child);
		} else {
			obey(&sysv, &o, &reply.sysv);
#ifdef DEVICE
			obey(&ours, &o, &reply.ours);
#endif
		}
		if (write(fd, &reply, sizeof(reply)) != sizeof(reply))
			break;
	}
	_exit(0);
}

/* --- the conductor --- */

struct sequence {
	struct process p[PROCESSES];
	int nr, ids[IDS], nr_ids;
	char wrong[512];
#ifndef DEVICE
	bool forced;	/* all segments are TGSHM_VOLATILE */
	struct shm_books books;
	struct shm_space space;
#endif
};

static void __attribute__((format(printf, 2, 3))) wrong(struct sequence *s, const char *format, ...)
{
	va_list ap;

	if (*s->wrong)
		return;
	va_start(ap, format);
	vsnprintf(s->wrong, sizeof(s->wrong), format, ap);
	va_end(ap);
}

static void start(struct sequence *s, int user)
{
	struct process *p = &s->p[s->nr];
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		die("socketpair");
	p->pid = fork();
	if (p->pid < 0)
		die("fork");
	if (!p->pid) {
		int i;

		for (i = 0; i < s->nr; i++)
			close(s->p[i].fd);
		close(pair[0]);
		signal(SIGCHLD, SIG_IGN);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become(users[user].uid, users[user].gid);
		serve(pair[1]);
	}
	close(pair[1]);
	p->fd = pair[0];
	p->uid = users[user].uid;
	p->gid = users[user].gid;
	p->attached = 0;
	s->nr++;
}

#ifndef DEVICE
static bool member(const struct shm_who *who, u32 gid)
{
	return who->gid == gid;
}

static bool may(const struct shm_who *who, enum shm_right right)
{
	return !who->uid;
}

static struct shm_who who_is(const struct process *p)
{
	return (struct shm_who){
		.uid = p->uid, .gid = p->gid, .payer = p->uid, .pid = p->pid, .now = 1,
		.member = member, .may = may,
	};
}

static int books_get(struct sequence *s, const struct order *o, const struct shm_who *who)
{
	struct tgshm_get get = { .key = o->key, .flags = o->flags | (s->forced ? TGSHM_VOLATILE : 0), .size = o->size };
	int ret = shm_get(&s->books, &s->space, who, &get, NULL);
	struct shm_segment *new;

	if (ret != -ENODATA)
		return ret;
	new = calloc(1, sizeof(*new));
	ret = shm_get(&s->books, &s->space, who, &get, new);
	if (!new->space)
		free(new);
	return ret;
}

static int books_stat(struct sequence *s, const struct order *o, const struct shm_who *who,
		      struct seen *seen)
{
	struct tgshm_stat stat = { 0 };
	int ret = shm_stat(&s->space, who, o->id, &stat);

	*seen = (struct seen){
		.key = stat.key, .uid = stat.uid, .gid = stat.gid, .cuid = stat.cuid,
		.cgid = stat.cgid, .mode = stat.mode & ~TGSHM_VOLATILE, .cpid = stat.cpid, .lpid = stat.lpid,
		.atime = stat.atime, .dtime = stat.dtime, .size = stat.size, .nattch = stat.nattch,
	};
	return ret;
}

static void books_detach(struct sequence *s, struct process *p, int slot)
{
	struct shm_segment *segment = p->at[slot];
	struct shm_who who = who_is(p);

	if (shm_detach(&s->books, segment, &who))
		free(segment);
	memmove(p->at + slot, p->at + slot + 1, (ATTACHED - 1 - slot) * sizeof(p->at[0]));
}

/* Remove all; @maker: only what that process has made and nobody is attached to. */
static void books_empty(struct sequence *s, int maker)
{
	struct shm_segment *segment, *next;

	list_for_each_entry_safe(segment, next, &s->books.segments, all) {
		if (maker && (segment->stat.cpid != maker || segment->stat.nattch))
			continue;
		shm_forget(&s->books, segment);
		free(segment);
	}
}

/* What the device would do. */
static void ours_here(struct sequence *s, struct process *p, const struct order *o,
		      struct answer *answer)
{
	struct tgshm_stat set = { .id = o->id, .uid = o->uid, .gid = o->gid, .mode = o->flags };
	struct shm_who who = who_is(p);
	struct shm_segment *segment;
	int ret = 0;

	switch (o->what) {
	case GET:
		ret = books_get(s, o, &who);
		break;
	case AT:
		segment = shm_look(&s->space, &who, o->id, &ret);
		ret = segment ? 0 : ret;
		p->at[o->slot] = segment;
		if (segment)
			shm_attach(segment, &who);
		break;
	case DT:
		books_detach(s, p, o->slot);
		break;
	case STAT:
		ret = books_stat(s, o, &who, &answer->seen);
		break;
	case SET:
		ret = shm_set(&s->space, &who, &set);
		break;
	case RMID:
		ret = shm_remove(&s->books, &s->space, &who, o->id, &segment);
		free(segment);
		break;
	default:
		break;
	}
	answer->error = ret < 0 ? -ret : 0;
	answer->id = ret < 0 ? -1 : ret;
}
#endif

static bool same_seen(const struct seen *a, const struct seen *b)
{
	return a->key == b->key && a->uid == b->uid && a->gid == b->gid && a->cuid == b->cuid &&
	       a->cgid == b->cgid && a->mode == b->mode && a->cpid == b->cpid &&
	       a->lpid == b->lpid && a->atime == b->atime && a->dtime == b->dtime &&
	       a->size == b->size && a->nattch == b->nattch;
}

static void compare(struct sequence *s, const struct process *p, const struct order *o,
		    const struct reply *r)
{
	const struct seen *a = &r->sysv.seen, *b = &r->ours.seen;

	if (r->sysv.error != r->ours.error || r->sysv.id != r->ours.id)
		wrong(s, "%s of user %d, id %d, key %d, flags %o, size %zu: System V %d (%s), ours %d (%s)",
		      names[o->what], p->uid, o->id, o->key, o->flags, o->size, r->sysv.id,
		      strerror(r->sysv.error), r->ours.id, strerror(r->ours.error));
	else if (!r->sysv.error && !same_seen(a, b))
		wrong(s, "id %d: System V key %d uid %d gid %d %d %d mode %o pids %d %d times %d %d size %lu n %lu, "
		      "ours %d %d %d %d %d %o %d %d %d %d %lu %lu", o->id,
		      a->key, a->uid, a->gid, a->cuid, a->cgid, a->mode, a->cpid, a->lpid, a->atime,
		      a->dtime, a->size, a->nattch, b->key, b->uid, b->gid, b->cuid, b->cgid,
		      b->mode, b->cpid, b->lpid, b->atime, b->dtime, b->size, b->nattch);
}

static struct answer order(struct sequence *s, struct process *p, const struct order *o)
{
	struct reply reply;

	if (write(p->fd, o, sizeof(*o)) != sizeof(*o) ||
	    read(p->fd, &reply, sizeof(reply)) != sizeof(reply))
		die("a process does not answer");
#ifndef DEVICE
	ours_here(s, p, o, &reply.ours);
#endif
	compare(s, p, o, &reply);
	return reply.sysv;
}

static void do_fork(struct sequence *s, struct process *p)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct order o = { .what = FORK };
	struct iovec iov = { &o, sizeof(o) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct process *child = &s->p[s->nr];
	struct reply reply;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		die("socketpair");
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &pair[1], sizeof(int));
	if (sendmsg(p->fd, &msg, 0) != sizeof(o) ||
	    read(p->fd, &reply, sizeof(reply)) != sizeof(reply) || reply.pid < 0)
		die("fork of a process");
	close(pair[1]);
	*child = *p;
	child->fd = pair[0];
	child->pid = reply.pid;
	s->nr++;
#ifndef DEVICE
	struct shm_who who = who_is(p);
	int i;

	for (i = 0; i < p->attached; i++)
		shm_attach(p->at[i], &who);
#endif
}

/* Its socket ends when its memory has gone. */
static void do_kill(struct sequence *s, int nr)
{
	struct process *p = &s->p[nr];
	char byte;

	kill(p->pid, SIGKILL);
	while (read(p->fd, &byte, 1) > 0)
		;
	close(p->fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
#ifndef DEVICE
	for (; p->attached; p->attached--)
		books_detach(s, p, 0);
	if (s->forced)
		books_empty(s, p->pid);
#endif
	s->nr--;
	memmove(p, p + 1, (s->nr - nr) * sizeof(*p));
}

static void look(struct sequence *s, int id)
{
	struct order o = { .what = STAT, .id = id };

	order(s, &s->p[0], &o);
}

static int some_id(const struct sequence *s)
{
	const int id = s->nr_ids ? s->ids[below(s->nr_ids)] : 0;

	return below(16) ? id : below(2) ? id + 32768 : below(2) ? -1 : (int)below(100);
}

static void step(struct sequence *s)
{
	static const int modes[] = { 0600, 0660, 0666, 0644, 0606, 0 };
	static const size_t sizes[] = { 0, 1, 4096, 5000, 8192, 4096, 4096 };
	struct process *p = &s->p[below(s->nr)];
	const int what = below(WHATS + 3);	/* the last three: kill; get and at come often */
	struct order o = { .what = what, .id = some_id(s) };
	struct answer answer;

	o.flags = modes[below(6)];
	o.uid = below(8) ? users[below(4)].uid : -1;
	o.gid = below(8) ? users[below(4)].gid : -1;
	switch (what) {
	case FORK:
		if (s->nr < PROCESSES)
			do_fork(s, p);
		return;
	case WHATS:
		if (p != s->p)
			do_kill(s, p - s->p);
		if (s->nr < 3)
			start(s, below(4));
		return;
	case WHATS + 1:
	case GET:
		o.what = GET;
		o.key = below(KEYS + 1);
		o.size = sizes[below(7)];
		o.flags |= (below(4) ? IPC_CREAT : 0) | (below(6) ? 0 : IPC_EXCL);
		break;
	case WHATS + 2:
	case AT:
		o.what = AT;
		if (p->attached == ATTACHED)
			return;
		o.slot = p->attached;
		break;
	case DT:
		if (!p->attached)
			return;
		o.slot = below(p->attached);
		break;
	default:
		break;
	}
	answer = order(s, p, &o);
	if (!answer.error && o.what == GET && s->nr_ids < IDS)
		s->ids[s->nr_ids++] = answer.id;
	p->attached += !answer.error ? (o.what == AT) - (o.what == DT) : 0;
}

#ifndef DEVICE
static void force(void)
{
	int fd = open("/proc/sys/kernel/shm_rmid_forced", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		die("kernel.shm_rmid_forced");
	close(fd);
}

/* Segments that come and go, until ids begin anew; each fourth one stays. */
static void churn(struct sequence *s)
{
	struct order get = { .what = GET, .size = 1, .flags = 0600 }, rmid = { .what = RMID };
	int i;

	for (i = 0; i < 250 && !*s->wrong; i++) {
		rmid.id = order(s, &s->p[0], &get).id;
		if (i % 4)
			order(s, &s->p[0], &rmid);
		else
			s->ids[s->nr_ids++] = rmid.id;
	}
}
#endif

/* Everything goes, and nothing is left. */
static void finish(struct sequence *s)
{
	struct order o = { .what = RMID };
	int i;

	for (i = 0; i < s->nr_ids && !*s->wrong; i++)
		look(s, s->ids[i]);
	while (s->nr > 1)
		do_kill(s, s->nr - 1);
	for (i = 0; i < s->nr_ids && !*s->wrong; i++) {
		o.id = s->ids[i];
		order(s, &s->p[0], &o);
	}
	while (s->nr)
		do_kill(s, s->nr - 1);
#ifndef DEVICE
	if (!*s->wrong && (s->books.nr || s->space.used || !list_empty(&s->books.segments)))
		wrong(s, "%u segments are left", s->books.nr);
#endif
}

static int sequence(uint64_t number)
{
	struct sequence *s = calloc(1, sizeof(*s));
	int steps, i, bad;

	seed = number * 0x9e3779b97f4a7c15u;
	below(2);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (unshare(CLONE_NEWIPC))
		die("unshare");
	for (i = 0; i < 4; i++)
		start(s, i);
#ifndef DEVICE
	INIT_LIST_HEAD(&s->books.segments);
	shm_space_init(&s->space);
	s->forced = number % 3 == 0;
	if (s->forced)
		force();
	if (number % 8 == 0)
		churn(s);
#endif
	steps = 20 + below(60);
	for (i = 0; i < steps && !*s->wrong; i++) {
		step(s);
		look(s, some_id(s));
		look(s, some_id(s));
	}
	finish(s);
	bad = *s->wrong;
#ifndef DEVICE
	books_empty(s, 0);
#endif
	if (bad)
		printf("not ok sequence %llu: %s\n", (unsigned long long)number, s->wrong);
	fflush(stdout);
	free(s);
	return bad;
}

int main(int argc, char **argv)
{
	const long nr = argc > 1 ? atol(argv[1]) : 1000, first = argc > 2 ? atol(argv[2]) : 1;
	int failed = 0, status;
	long i;

	if (geteuid()) {
		printf("ok sequences # SKIP other users' processes are root's to make\n0 passed, 0 failed\n");
		return 0;
	}
#ifdef DEVICE
	drm = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);	/* all share it: opening takes long */
	if (drm < 0)
		die("/dev/dri/renderD128");
#endif
	for (i = first; i < first + nr && failed < 5; i++) {
		pid_t pid = fork();

		if (!pid)
			exit(sequence(i));
		if (pid < 0 || waitpid(pid, &status, 0) < 0)
			die("fork");
		failed += !!status;
	}
	if (!failed)
		printf("ok %ld sequences\n", nr);
	printf("%ld passed, %d failed\n", i - first - failed, failed);
	return !!failed;
}
