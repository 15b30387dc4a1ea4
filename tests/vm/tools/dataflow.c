// SPDX-License-Identifier: GPL-2.0
/*
 * dataflow - Figure 11 of the Gdev paper: programs that hand data on, each with a channel of its own.
 *
 *	dataflow modular|shm tree|rectangle SIDE
 *
 * A node has two inputs of SIDE * SIDE words and one output of as many. The tree has 32 leaves and
 * 6 levels, the rectangle 10 rows of 6 nodes, each of which gets its own column's output and its
 * neighbour's. Nodes of the first row, and leaves, have inputs in main memory; the outputs of the
 * last ones go there.
 *
 * modular: an output is copied out to main memory, and from there into the next node's VRAM. shm: it
 * is a segment of VRAM, which the next node attaches by key.
 *
 * A node's work is passes over both inputs: the first half of its output is the first input's, the
 * second half the second one's. So the result can be checked. There are as many passes as take 7/8
 * of a transfer between host and device, which is what the paper's figures leave for madd.
 *
 * Prints `flow HOW SHAPE SIDE MS WRONG`: the time from the moment at which all have their channels
 * to the last output, and how many words are wrong. The GPU is a G92.
 */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "m2mf.h"

#include <timegraph/shm.h>

#define NODES_MAX	64
#define KEY		0x7de0		/* of node 0's output */

/* What all processes see. @host: of a node's output, in main memory */
static struct shared {
	sem_t ready, go, over;
	unsigned int passes;
	struct node {
		sem_t made;
		int in[2];		/* nodes whose outputs it has; -1: from main memory */
		atomic_int uses;	/* nodes that have yet to use its output; 0 from the start: a result */
		uint32_t *host;
	} node[NODES_MAX];
} *all;

static int nodes;
static uint32_t bytes;
static bool modular;

static struct nouveau_bo *memory(uint32_t flags)
{
	struct nouveau_bo *bo = NULL;

	need("memory", nouveau_bo_new(dev, flags, 0, bytes, NULL, &bo));
	if (flags & NOUVEAU_BO_MAP)
		need("map", nouveau_bo_map(bo, NOUVEAU_BO_RDWR, client));
	return bo;
}

static void upload(struct nouveau_bo *stage, struct nouveau_bo *to, const uint32_t *words)
{
	memcpy(stage->map, words, bytes);
	copy(stage, 0, to, 0, bytes, 1);
	await(to);
}

static void download(struct nouveau_bo *stage, struct nouveau_bo *from, uint32_t *words)
{
	copy(from, 0, stage, 0, bytes, 1);
	await(stage);
	memcpy(words, stage->map, bytes);
}

static void compute(struct nouveau_bo *in[2], struct nouveau_bo *out, unsigned int passes)
{
	copy(in[0], 0, out, 0, bytes / 2, passes);
	copy(in[1], bytes / 2, out, bytes / 2, bytes / 2, passes);
	await(out);
}

static struct nouveau_bo *segment(int node, int flags, struct tgshm_at *at)
{
	struct nouveau_bo *bo = NULL;
	int id = tgshm_get(fd, KEY + node, bytes, flags);

	if (id < 0)
		die("tgshm_get");
	if (tgshm_at(fd, id, 0, at))
		die("tgshm_at");
	need("wrap", nouveau_bo_wrap(dev, at->handle, &bo));
	return bo;
}

/* The output of @node has been used once more. */
static void used(int node, struct nouveau_bo *bo, struct tgshm_at *at)
{
	nouveau_bo_ref(NULL, &bo);
	if (modular)
		return;
	tgshm_dt(at);
	if (atomic_fetch_sub(&all->node[node].uses, 1) == 1)
		tgshm_ctl(tgshm_get(-1, KEY + node, 0, 0), IPC_RMID, NULL);
}

static void run_node(int nr, uint32_t *words, struct nouveau_bo *stage)
{
	struct node *n = &all->node[nr];
	struct nouveau_bo *in[2], *out;
	struct tgshm_at at[2], own;
	const int uses = n->uses;
	int i, k;

	for (i = 0; i < 2; i++) {
		while (n->in[i] >= 0 && sem_wait(&all->node[n->in[i]].made))
			;
		if (n->in[i] >= 0 && !modular) {
			in[i] = segment(n->in[i], 0, &at[i]);
			continue;
		}
		in[i] = memory(NOUVEAU_BO_VRAM);
		for (k = 0; n->in[i] < 0 && k < (int)(bytes / 4); k++)
			words[k] = pattern(2 * nr + i, k);
		upload(stage, in[i], n->in[i] < 0 ? words : all->node[n->in[i]].host);
	}
	out = modular || !uses ? memory(NOUVEAU_BO_VRAM) : segment(nr, IPC_CREAT | 0600, &own);
	compute(in, out, all->passes);
	if (modular || !uses)
		download(stage, out, n->host);
	nouveau_bo_ref(NULL, &out);
	for (k = 0; k < uses; k++)
		sem_post(&n->made);
	if (!uses)
		sem_post(&all->over);
	for (i = 0; i < 2; i++)
		if (n->in[i] >= 0)
			used(n->in[i], in[i], &at[i]);
		else
			nouveau_bo_ref(NULL, &in[i]);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* How many passes take 7/8 of the time of a transfer? In a process of its own, by the middle of five. */
static void calibrate(uint32_t *words)
{
	struct nouveau_bo *in[2], *out, *stage;
	double t[3], transfer[5], pass[5], x;
	int i, k;

	open_channel();
	stage = memory(NOUVEAU_BO_GART | NOUVEAU_BO_MAP);
	in[0] = memory(NOUVEAU_BO_VRAM);
	in[1] = memory(NOUVEAU_BO_VRAM);
	out = memory(NOUVEAU_BO_VRAM);
	for (i = 0; i < 5; i++) {
		t[0] = now_ms();
		upload(stage, in[0], words);
		t[1] = now_ms();
		compute(in, out, 100);
		t[2] = now_ms();
		transfer[i] = t[1] - t[0];
		pass[i] = (t[2] - t[1]) / 100;
		for (k = i; k > 0 && transfer[k] < transfer[k - 1]; k--) {
			x = transfer[k]; transfer[k] = transfer[k - 1]; transfer[k - 1] = x;
		}
		for (k = i; k > 0 && pass[k] < pass[k - 1]; k--) {
			x = pass[k]; pass[k] = pass[k - 1]; pass[k - 1] = x;
		}
	}
	x = transfer[2] * 7 / 8 / pass[2];
	all->passes = x < 1 ? 1 : x > 400 ? 400 : x;
	printf("dataflow: a transfer of %u KiB takes %.2f ms, %u passes %.2f\n", bytes / 1024,
		transfer[2], all->passes, all->passes * pass[2]);
}

/* Each node: which nodes' outputs it has. Return: how many nodes. */
static int shape(bool tree)
{
	int nr = tree ? 63 : 60, i, k;

	for (i = 0; i < nr; i++) {
		struct node *n = &all->node[i];

		/* The tree's leaves are 0 to 31, its root is 62; rows of the rectangle are 6 each. */
		n->in[0] = tree ? (i < 32 ? -1 : 2 * (i - 32)) : (i < 6 ? -1 : i - 6);
		n->in[1] = tree ? (i < 32 ? -1 : 2 * (i - 32) + 1) :
				  (i < 6 ? -1 : i / 6 * 6 - 6 + (i + 1) % 6);
		if (sem_init(&n->made, 1, 0))
			die("sem_init");
	}
	for (i = 0; i < nr; i++)
		for (k = 0; k < 2; k++)
			if (all->node[i].in[k] >= 0)
				all->node[all->node[i].in[k]].uses++;
	return nr;
}

static int start(int nr, uint32_t *words)
{
	struct nouveau_bo *stage;
	int pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (nr < 0) {
		calibrate(words);
		exit(0);
	}
	open_channel();
	stage = memory(NOUVEAU_BO_GART | NOUVEAU_BO_MAP);
	sem_post(&all->ready);
	while (sem_wait(&all->go))
		;
	run_node(nr, words, stage);
	exit(0);
}

/* Words of the results that are not what the leaves at the ends of their ways had. */
static uint32_t check(bool tree)
{
	uint32_t wrong = 0, k, seed, i;

	for (i = tree ? 62 : 54; i < (uint32_t)nodes; i++)
		for (k = 0; k < bytes / 4; k++) {
			if (k < bytes / 8)
				seed = tree ? 0 : 2 * (i - 54);
			else
				seed = tree ? 2 * 31 + 1 : 2 * ((i - 54 + 9) % 6) + 1;
			wrong += all->node[i].host[k] != pattern(seed, k);
		}
	return wrong;
}

static void *both_see(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

int main(int argc, char **argv)
{
	const bool tree = argc > 2 && !strcmp(argv[2], "tree");
	const int side = argc > 3 ? atoi(argv[3]) : 0;
	int i, status, ret = 0;
	uint32_t *words;
	double begun;

	modular = argc > 1 && !strcmp(argv[1], "modular");
	if (argc != 4 || side < 64 || side > 1024 || (!modular && strcmp(argv[1], "shm")) ||
	    (!tree && strcmp(argv[2], "rectangle"))) {
		fprintf(stderr, "usage: dataflow modular|shm tree|rectangle SIDE (64 to 1024)\n");
		return 2;
	}
	bytes = side * side * 4;
	all = both_see(sizeof(*all));
	words = malloc(bytes);
	if (!words || sem_init(&all->ready, 1, 0) || sem_init(&all->go, 1, 0) || sem_init(&all->over, 1, 0))
		die("memory");
	memset(words, 1, bytes);
	nodes = shape(tree);
	for (i = 0; i < nodes; i++)
		all->node[i].host = both_see(bytes);
	start(-1, words);
	if (wait(&status) < 0 || status)
		return 1;
	for (i = 0; i < nodes; i++)
		start(i, words);
	for (i = 0; i < nodes; i++)
		while (sem_wait(&all->ready))
			;
	begun = now_ms();
	for (i = 0; i < nodes; i++)
		sem_post(&all->go);
	for (i = tree ? 62 : 54; i < nodes; i++)
		while (sem_wait(&all->over))
			;
	printf("flow %s %s %d %.1f %u\n", argv[1], argv[2], side, now_ms() - begun, check(tree));
	while (wait(&status) > 0)
		ret |= status;
	return !!ret;
}
