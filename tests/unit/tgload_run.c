// SPDX-License-Identifier: GPL-2.0
/*
 * tgload's loop against a card that is played here: what is in flight when, what is counted, and
 * how a run ends. The played card completes groups at once, so only counts and order are checked.
 * tgl_run() is made to be called once, so every row runs in a process of its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/slow.h"
#include "gpu.h"
#include "run.h"
#include "tgload_test.h"
#include "units.h"

#define MS	TGL_NS_PER_MS

/* What the played card does wrong and what it saw. Threads write it only where they agree. */
static struct {
	int open_error;
	int channel_error;
	uint32_t refuse_from, refuse_to;	/* groups that are refused */
	int refusal;
	uint32_t fail_wait;			/* group whose wait fails, and how */
	int wait_error;
	int dead;				/* the channel, in the end */
	uint32_t spoil_every;			/* every so many groups find their work wrong */
	uint32_t signal_at;			/* this group's submission gets a SIGTERM */
	uint32_t signal_after;			/* this one's, of all channels, is soon followed by one */
	uint64_t done_ps;			/* what completed groups asked for */
	uint64_t least_ps, most_ps;		/* and one group; of a single channel */
	int frame_broken;			/* groups of a frame differ */
	unsigned int in_flight, most_in_flight;
	uint32_t last_seq;
	int order_broken;
	uint64_t mem, takes;			/* bytes a frame asks for; how often one did */
	uint64_t refuse_mem;			/* this request for memory is refused */
	int name_wrong;
} card;

static uint64_t channels, groups;	/* that the row asks for; groups: in a frame */

struct tgl_channel {
	int id;
	uint32_t seq[64];	/* group in flight in each slot, 0 for none */
	uint64_t ps[64];	/* what it asks for */
	uint64_t last_ps, most_ps;
	unsigned int in_flight;
	uint32_t last_seq, last_done;
	int has_mem;
};

int tgl_gpu_open(struct tgl_gpu **gpu, const char *device, int exec, char *why, size_t why_size)
{
	char name[TGL_NAME_MAX + 1];

	(void)device;
	(void)exec;
	prctl(PR_GET_NAME, name);
	card.name_wrong = strcmp(name, "tester");
	*gpu = NULL;
	snprintf(why, why_size, "no card to play with");
	return card.open_error;
}

const struct tgl_rates *tgl_gpu_rates(const struct tgl_gpu *gpu)
{
	(void)gpu;
	return &tgl_g92;
}

int tgl_channel_new(struct tgl_gpu *gpu, const struct tgl_work *work, unsigned int depth,
		    int verify, struct tgl_channel **chan, char *why, size_t why_size)
{
	static int ids;

	(void)gpu;
	(void)depth;
	(void)verify;
	snprintf(why, why_size, "no channel to play with");
	*chan = calloc(1, sizeof(**chan));
	(*chan)->id = ++ids;
	(*chan)->most_ps = work->ps;
	return card.channel_error;
}

int tgl_channel_id(const struct tgl_channel *chan)
{
	return chan->id;
}

int tgl_channel_dead(const struct tgl_channel *chan)
{
	(void)chan;
	return card.dead;
}

int tgl_channel_take(struct tgl_channel *chan, uint64_t bytes)
{
	if (chan->has_mem || chan->in_flight || bytes != card.mem)
		card.order_broken = 1;
	if (__atomic_add_fetch(&card.takes, 1, __ATOMIC_RELAXED) == card.refuse_mem)
		return -ENOMEM;
	chan->has_mem = 1;
	return 0;
}

void tgl_channel_give(struct tgl_channel *chan)
{
	if (!chan->has_mem || chan->in_flight)
		card.order_broken = 1;
	chan->has_mem = 0;
}

int tgl_slot_submit(struct tgl_channel *chan, unsigned int slot, const struct tgl_work *work,
		    uint32_t seq)
{
	static uint64_t sent;

	if (seq != chan->last_seq + 1 || chan->seq[slot] || work->ps > chan->most_ps ||
	    chan->has_mem != !!card.mem)
		card.order_broken = 1;
	if ((seq - 1) % groups && work->ps != chan->last_ps)
		card.frame_broken = 1;
	chan->last_seq = seq;
	chan->last_ps = work->ps;
	if (!card.least_ps || work->ps < card.least_ps)
		card.least_ps = work->ps;
	if (work->ps > card.most_ps)
		card.most_ps = work->ps;
	if (seq == card.signal_at)
		raise(SIGTERM);
	if (seq == card.signal_after &&
	    __atomic_add_fetch(&sent, 1, __ATOMIC_RELAXED) == channels && !fork()) {
		usleep(50000);
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	if (seq >= card.refuse_from && seq < card.refuse_to)
		return card.refusal;
	chan->seq[slot] = seq;
	chan->ps[slot] = work->ps;
	if (++chan->in_flight > card.most_in_flight)
		card.most_in_flight = chan->in_flight;
	return 0;
}

int tgl_slot_wait(struct tgl_channel *chan, unsigned int slot)
{
	uint32_t seq = chan->seq[slot];

	if (!seq || seq <= chan->last_done)
		card.order_broken = 1;
	if (seq == card.fail_wait)
		return card.wait_error;
	chan->last_done = seq;
	__atomic_add_fetch(&card.done_ps, chan->ps[slot], __ATOMIC_RELAXED);
	chan->seq[slot] = 0;
	chan->in_flight--;
	return 0;
}

uint64_t tgl_slot_check(const struct tgl_channel *chan, unsigned int slot, uint32_t seq)
{
	(void)slot;
	if (seq != chan->last_done)
		card.order_broken = 1;
	return card.spoil_every && !(seq % card.spoil_every);
}

#define BASE	.name = "tester", .cost_ns = MS, .depth = 1, .channels = 1, .groups = 1

static struct {
	const char *name;
	struct tgl_opts opts;
	__typeof__(card) card;
	int ret;
	/* what must come out; frame samples are frames less one for each channel */
	uint64_t submitted, groups, frames, errors;
	unsigned int most_in_flight;
} rows[] = {
	{ "one at a time", { BASE, .count = 10 }, { 0 },
	  0, 10, 10, 10, 0, 1 },
	{ "two in flight, back to back",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 1, .depth = 2, .count = 10 },
	  { 0 }, 0, 10, 10, 10, 0, 2 },
	{ "fewer groups than depth",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 1, .depth = 8, .count = 5 },
	  { 0 }, 0, 5, 5, 5, 0, 5 },
	{ "a stream does not drain between frames",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 2, .depth = 5, .count = 20 },
	  { 0 }, 0, 20, 20, 10, 0, 5 },
	{ "paced frames do",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 2, .depth = 5, .count = 20,
	    .every_ns = 1000 }, { 0 }, 0, 20, 20, 10, 0, 2 },
	{ "ticks pace too",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 3, .depth = 2, .count = 9,
	    .vsync_ns = 1000 }, { 0 }, 0, 9, 9, 3, 0, 2 },
	{ "thinking changes no count",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 3, .depth = 1, .count = 9,
	    .think_ns = 1000, .every_ns = 1000 }, { 0 }, 0, 9, 9, 3, 0, 1 },
	{ "prepared frames are waited for",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 2, .depth = 5, .count = 20,
	    .prepare_ns = 1000 }, { 0 }, 0, 20, 20, 10, 0, 2 },
	{ "each frame has memory of its own",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 3, .depth = 2, .count = 12,
	    .mem = 5 }, { .mem = 5 << 20 }, 0, 12, 12, 4, 0, 2 },
	{ "so has each on two channels, and the next is prepared without",
	  { .name = "tester", .cost_ns = MS, .channels = 2, .groups = 1, .depth = 1, .count = 6,
	    .mem = 1, .prepare_ns = 1000, .think_ns = 1000 }, { .mem = 1 << 20 },
	  0, 12, 12, 12, 0, 1 },
	{ "memory that is refused ends the run",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 2, .depth = 2, .count = 12,
	    .mem = 5 }, { .mem = 5 << 20, .refuse_mem = 3 }, 0, 4, 4, 2, 1, 2 },
	{ "frames that differ",
	  { BASE, .vary = 50, .count = 200 }, { 0 }, 0, 200, 200, 200, 0, 1 },
	{ "frames that differ, of several groups, some refused",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 4, .depth = 3, .count = 200,
	    .vary = 32, .seed = 5 }, { .refuse_from = 6, .refuse_to = 9, .refusal = -EFAULT },
	  0, 197, 197, 49, 3, 3 },
	{ "frames that differ, on two channels",
	  { .name = "tester", .cost_ns = MS, .channels = 2, .groups = 2, .depth = 2, .count = 100,
	    .vary = 100 }, { 0 }, 0, 200, 200, 100, 0, 2 },
	{ "a cut frame does not count",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 4, .depth = 1, .count = 10 },
	  { 0 }, 0, 10, 10, 2, 0, 1 },
	{ "channels add up",
	  { .name = "tester", .cost_ns = MS, .channels = 3, .groups = 1, .depth = 1, .count = 50 },
	  { 0 }, 0, 150, 150, 150, 0, 1 },
	{ "a refused group is an error, the rest go on",
	  { BASE, .count = 10 }, { .refuse_from = 4, .refuse_to = 6, .refusal = -EFAULT },
	  0, 8, 8, 8, 2, 1 },
	{ "a frame with a refused group does not count",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 2, .depth = 1, .count = 10 },
	  { .refuse_from = 3, .refuse_to = 4, .refusal = -EFAULT }, 0, 9, 9, 4, 1, 1 },
	{ "refusals that never stop end the run",
	  { BASE }, { .refuse_from = 3, .refuse_to = UINT32_MAX, .refusal = -EINVAL },
	  0, 2, 2, 2, 16, 1 },
	{ "a card that is gone ends it at once",
	  { BASE }, { .refuse_from = 3, .refuse_to = UINT32_MAX, .refusal = -ENODEV },
	  0, 2, 2, 2, 1, 1 },
	{ "a group that never completes ends it",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 1, .depth = 3 },
	  { .fail_wait = 5, .wait_error = -EBUSY }, 0, 7, 4, 4, 1, 3 },
	{ "a channel that died is an error, though all completed",
	  { BASE, .count = 3 }, { .dead = 1 }, 0, 3, 3, 3, 1, 1 },
	{ "wrong work is counted",
	  { BASE, .count = 12, .verify = 1 }, { .spoil_every = 4 }, 0, 12, 12, 12, 3, 1 },
	{ "and not looked for unless asked",
	  { BASE, .count = 12 }, { .spoil_every = 4 }, 0, 12, 12, 12, 0, 1 },
	{ "a signal ends it when all is complete",
	  { .name = "tester", .cost_ns = MS, .channels = 1, .groups = 1, .depth = 4 },
	  { .signal_at = 9 }, 0, 9, 9, 9, 0, 4 },
	{ "a signal wakes one that waits for its next frame",
	  { BASE, .every_ns = 3600 * TGL_NS_PER_SEC }, { .signal_after = 1 }, 0, 1, 1, 1, 0, 1 },
	{ "a signal wakes one that thinks",
	  { BASE, .think_ns = 3600 * TGL_NS_PER_SEC }, { .signal_after = 1 }, 0, 1, 1, 1, 0, 1 },
	{ "after a signal no frame asks for memory",
	  { BASE, .every_ns = 1, .prepare_ns = 30 * MS, .mem = 1 },
	  { .mem = 1 << 20, .signal_at = 1 }, 0, 1, 1, 1, 0, 1 },
	{ "a signal wakes all channels",
	  { .name = "tester", .cost_ns = MS, .channels = 3, .groups = 1, .depth = 1,
	    .every_ns = 3600 * TGL_NS_PER_SEC }, { .signal_after = 1 }, 0, 3, 3, 3, 0, 1 },
	{ "time over before the first group",
	  { BASE, .for_ns = 1 }, { 0 }, 0, 0, 0, 0, 0, 0 },
	{ "time over while waiting for the next frame",
	  { BASE, .every_ns = 3600 * TGL_NS_PER_SEC, .for_ns = 20 * MS }, { 0 },
	  0, 1, 1, 1, 0, 1 },
	{ "no card", { BASE }, { .open_error = -ENODEV }, -ENODEV, 0, 0, 0, 0, 0 },
	{ "no channel", { BASE }, { .channel_error = -EINVAL }, -EINVAL, 0, 0, 0, 0, 0 },
};

/* Did groups ask for what the options say? With --vary, frames reach near to both bounds. */
static int costs_right(const struct tgl_opts *opts, uint64_t done)
{
	uint64_t one = tgl_work_size(&tgl_g92, TGL_COMPUTE, MS).ps, span = MS * 1000 * opts->vary / 100;

	if (!opts->vary)
		return card.done_ps == done * one;
	return opts->channels > 1 || (card.least_ps < MS * 1000 - span * 9 / 10 &&
				      card.most_ps > MS * 1000 + span * 9 / 10);
}

/* Runs in a process of its own: 0 if the row holds, else it has printed why. */
static int check(size_t i)
{
	struct tgl_result r;
	char why[128] = "";
	int ret;

	card = rows[i].card;
	channels = rows[i].opts.channels;
	groups = rows[i].opts.groups;
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	ret = tgl_run(&rows[i].opts, &r, why, sizeof(why));
	if (ret || rows[i].ret) {
		printf("returned %d, %s", ret, why);
		return ret != rows[i].ret || !why[0];
	}
	printf("submitted %" PRIu64 ", groups %" PRIu64 ", frames %" PRIu64 ", errors %" PRIu64
	       ", most in flight %u, samples %zu and %zu, order %s, frames %s, name %s"
	       ", %" PRIu64 " to %" PRIu64 " ps, %" PRIu64 " of %" PRIu64 ", asked for memory %" PRIu64
	       " times",
	       r.submitted, r.groups, r.frames, r.errors, card.most_in_flight, r.latency.n,
	       r.frame.n, card.order_broken ? "broken" : "kept",
	       card.frame_broken ? "broken" : "whole", card.name_wrong ? "wrong" : "set",
	       card.least_ps, card.most_ps, r.asked_ps, card.done_ps, card.takes);
	return r.submitted != rows[i].submitted || r.groups != rows[i].groups ||
	       r.frames != rows[i].frames || r.errors != rows[i].errors ||
	       card.most_in_flight != rows[i].most_in_flight ||
	       card.takes != (rows[i].opts.mem ? r.frames + r.errors : 0) || r.latency.n != r.groups ||
	       r.frame.n != (r.frames ? r.frames - channels : 0) ||
	       r.asked_ps != card.done_ps || !costs_right(&rows[i].opts, r.groups) ||
	       card.order_broken || card.frame_broken || card.name_wrong;
}

/* Runs a row in a child and reads what it printed. */
static int in_child(size_t i, char *said, size_t size)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return -1;
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid) {
		int bad;

		alarm(patient(20));
		dup2(fds[1], 1);
		bad = check(i);
		fflush(stdout);
		_exit(bad);
	}
	close(fds[1]);
	n = read(fds[0], said, size - 1);
	said[n > 0 ? n : 0] = 0;
	close(fds[0]);
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

int main(void)
{
	char said[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		int status = in_child(i, said, sizeof(said));

		test_row(rows[i].name, !status, "status %#x: %s", status, said);
	}
	return test_end();
}
