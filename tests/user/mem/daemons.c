// SPDX-License-Identifier: GPL-2.0
/*
 * The life of tgd: it ends, is stopped, is started anew, is not there at all.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mem.h"

static long clients(void)
{
	return tgd_counter("stats/clients");
}

static void ends(void)
{
	struct program a, b;
	double at, waits, next;
	int ret, then, i;

	for (i = 0; ; i++) {		/* up to three times: others may take the CPU meanwhile */
		a = program("a", 0);
		b = program("b", 0);
		alloc(&a, 60 MIB, 0);
		order_alloc(&b, 60 MIB, -1);
		usleep(50000);
		tgd_stop(SIGKILL);
		at = seconds();
		ret = said(&b, 5000);
		waits = seconds() - at;
		at = seconds();
		then = alloc(&a, 20 MIB, -1);
		next = seconds() - at;
		if (ret || then || (waits < 0.1 && next < 0.1) || i == 2)
			break;
		printf("# %.0f and %.0f ms: measured again\n", waits * 1e3, next * 1e3);
		tgd_start(NULL);
		finish(&a);
		finish(&b);
		probe(SIZE, 0, 0);
	}
	row("killed: one that waits goes on within 100 ms", !ret && waits < 0.1, "%d after %.0f ms", ret, waits * 1e3);
	row("and nobody waits", !then && next < 0.1, "%d after %.0f ms", then, next * 1e3);
	row("another one", tgd_start(NULL) && comes(clients() == 2), "%ld clients", clients());
	/* 80 and 60 of 100 are held: what the programs have, they have. */
	/* A client may have come, and not yet have told what it has. */
	row("knows what both hold", probe(1, 0, -EAGAIN), "it gives more");
	release(&a, 80 MIB);
	row_is("and what has gone back since", alloc(&b, 40 MIB, 1000), 0);
	finish(&a);
	finish(&b);
}

static void stopped(void)
{
	struct program a = program("a", 0);
	double at, took;
	int ret;

	alloc(&a, 1, 0);
	kill(tgd_pid(), SIGSTOP);
	at = seconds();
	ret = alloc(&a, 10 MIB, 0);
	took = seconds() - at;
	row("stopped: no wait ends within 2 s", ret == -EAGAIN && took < patient(2), "%d after %.3f s", ret, took);
	kill(tgd_pid(), SIGCONT);
	row("and goes on: what was given up meanwhile is not granted", probe(SIZE - 1, 0, 0), "it is");
	finish(&a);
}

/* A program alone, without any tgd; the test's TGD_DAEMON is none */
static int alone(void)
{
	double at = seconds();

	if (tg_mem_init(0) || tg_mem_pre_alloc(card, SIZE, 0) || seconds() - at > patient(2))
		return 1;
	if (tg_mem_pre_alloc(card, 1ULL << 62, 0) != -ENOMEM || tg_mem_pre_alloc(card, SIZE, 0))
		return 2;
	if (tg_mem_post_free(card, 2 * SIZE + 1) != -EINVAL || tg_mem_post_free(card, 2 * SIZE))
		return 3;
	return tg_mem_fini() ? 4 : 0;
}

static int starts_one(void)
{
	setenv("TGD_DAEMON", "build/bin/tgd", 1);
	if (tg_mem_init(0) || tg_mem_pre_alloc(card, SIZE, 0) || clients() != 1)
		return 1;
	return !probe(1, 0, -EAGAIN);
}

void daemons(void)
{
	if (!tgd_pid())
		return;
	ends();
	stopped();
	tgd_stop(SIGTERM);
	row_is("none at all: programs go on, and what cannot be is refused", run(alone), 0);
	row_is("the first program starts one", run(starts_one), 0);
	row("which goes with the last", comes(access(getenv("TGD_SOCKET"), F_OK)), "it is there");
	tgd_start(NULL);
}
