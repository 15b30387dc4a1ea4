// SPDX-License-Identifier: GPL-2.0
/*
 * tgd under attack by chance: messages, records and pages at random, and sessions that nearly make sense, under each
 * policy. After each an honest client is served. tests/user/hostile.c has attacks by example, crowd.c those by numbers.
 *
 *	noise [TGD [SECONDS [SEED]]]	starts TGD, one built with sanitizers, on a socket of its own
 *					SECONDS: goes on for so long
 */
#include "guest.h"

static unsigned long long seed = 1;

static unsigned int any(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static void noise(void)
{
	unsigned int i, k, len;
	unsigned char buf[2048];
	int fd;

	for (i = 0; i < 300; i++) {
		fd = dial();
		for (k = 0; k < 3; k++) {
			for (len = 0; len < sizeof(buf); len++)
				buf[len] = any(256);
			if (any(2))
				memcpy(buf, (__u32[]){ TGD_MAGIC, any(12) }, 8);
			send(fd, buf, any(sizeof(buf)), MSG_NOSIGNAL | MSG_DONTWAIT);
		}
		close(fd);
	}
}

static void wrong_records(void)
{
	struct guest g;
	int i;

	if (!arrive(&g))
		return;
	for (i = 0; i < 3000; i++) {
		struct tgd_record r = { .kind = any(14), .slot = any(300), .channel = any(4),
					.at = any(3) ? any(1000) : -(long long)any(1000),
					.arg = any(4) ? any(1 << 20) : ~0ULL >> any(64) };

		while (tgd_push(g.page, &r) == TGD_FULL) {
			ring_bell(&g);
			usleep(100);
		}
		if (!any(20))
			ring_bell(&g);
		if (!any(100))
			usleep(200);
	}
	ring_bell(&g);
	usleep(2000);
	depart(&g);
}

static void wrong_page(void)
{
	struct guest g;
	unsigned int i, k;

	for (i = 0; i < 60; i++) {
		if (!arrive(&g))
			return;
		for (k = 0; k < sizeof(*g.page); k += 1 + any(64))
			((unsigned char *)g.page)[k] = any(256);
		if (any(2))
			g.page->word = tgd_word(any(4), any(256), any(TGD_RING));
		ring_bell(&g);
		usleep(500);
		ring_bell(&g);
		depart(&g);
	}
}

/* A client that says LEASE itself */
static void stolen_lease(void)
{
	struct guest g;
	unsigned int i;

	if (!arrive(&g))
		return;
	for (i = 0; i < 200; i++) {
		g.page->word = tgd_word(TGD_LEASE, 255, tgd_head_of(g.page->word));
		publish(&g, TGD_REC_BYPASSED, i % TGD_SLOTS, 0);
	}
	usleep(2000);
	depart(&g);
}

/* Those that tgd has */
static const char *const policies[] = { "none", "fifo", "timegraph", "tick", "dfq", "timeslice", "dtimeslice", "fcfs",
					"band", "credit", "vfifo" };
#define POLICIES	(sizeof(policies) / sizeof(*policies))

static void odd_record(const struct guest *g)
{
	static const unsigned char likely[] = { TGD_REC_SUBMIT, TGD_REC_STARTED, TGD_REC_DONE };
	struct tgd_record r = { .kind = any(3) ? likely[any(3)] : any(TGD_REC_KINDS + 2), .slot = any(6),
				.channel = any(10) ? 1 + any(2) : any(4), .arg = any(3) ? any(4) : ~0ULL >> any(64),
				.at = any(8) ? 0 : any(2) ? any(1000000) : ~0ULL >> (1 + any(63)) };

	if (tgd_push(g->page, &r) != TGD_FULL && !any(3))
		ring_bell(g);
}

/* Several at a time, two devices, each policy: what is published is in order often enough to come far. */
static void odd_sessions(void)
{
	static unsigned int next;
	struct guest g[4];
	bool there[4];
	int i, k;

	policy(policies[next++ % POLICIES]);
	for (i = 0; i < 4; i++) {
		struct tgd_hello h = good_hello();

		strcpy(h.key, own_device(any(2) ? "odd" : "even"));
		h.engines = 1 + any(2);
		h.yields = any(2);
		h.memory = any(3) ? any(1 << 20) : 1ULL << any(41);
		h.held = any(2) ? 0 : any(1 << 20);
		g[i].fd = dial();
		send(g[i].fd, &h, sizeof(h), MSG_NOSIGNAL);
		there[i] = welcome(&g[i]);
	}
	for (k = 0; k < 4000; k++) {
		i = any(4);
		if (there[i])
			odd_record(&g[i]);
		if (!any(100))
			usleep(200);
	}
	for (i = 0; i < 4; i++)
		if (there[i])
			depart(&g[i]);
		else
			close(g[i].fd);
}

static void all_odd_sessions(void)
{
	unsigned int i;

	for (i = 0; i < POLICIES; i++)
		odd_sessions();
	policy("none");
}

static const struct attack attacks[] = {
	{ "served at all", NULL },
	{ "served after noise", noise },
	{ "served after records that make no sense", wrong_records },
	{ "served after pages written over", wrong_page },
	{ "served after a lease that nobody gave", stolen_lease },
	{ "served after odd sessions under each policy", all_odd_sessions },
};

static void more(void)
{
	noise();
	wrong_records();
	wrong_page();
	stolen_lease();
	odd_sessions();
}

int main(int argc, char **argv)
{
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0);
	printf("# seed %llu\n", seed);
	return run_attacks(argv, attacks, sizeof(attacks) / sizeof(*attacks), more);
}
