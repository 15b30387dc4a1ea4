// SPDX-License-Identifier: GPL-2.0
/*
 * tgrund's limits: what the file says, which limit a request exceeds, and that whatever a stranger
 * sends, nothing beyond the limits comes of it: 100 000 random requests.
 */
#include <stdlib.h>
#include <string.h>

#include "../lib/test.h"
#include "tgrund/limits.h"

/* The user of all rows: alice, in the groups users and 44. */
static bool is_alice(bool group, const char *name, void *arg)
{
	return group ? !strcmp(name, "users") || !strcmp(name, "44") : !strcmp(name, "alice");
}

static const struct file {
	const char *name, *text;
	int found;
	struct limits limits;	/* found */
	const char *why;	/* not */
} files[] = {
	{ "file: empty", "", 0 },
	{ "file: comments", "# a\n\n  # b : c\n", 0 },
	{ "file: a user", "user alice:60:25%:512M:4", 1, { 1, 60, 25, 512ull << 20, 4, "" } },
	{ "file: blanks", "\t user  alice :60 : 25 % : 0 : 4 : a\tb  # c\n", 1, { 1, 60, 25, 0, 4, "a b " } },
	{ "file: line ends of DOS", "# a\r\n\r\nuser alice:60:25%:0:4:a b\r\n", 1, { 3, 60, 25, 0, 4, "a b " } },
	{ "file: line ends of DOS, no virtual GPU", "user alice:60:25%:0:4\r\n", 1, { 1, 60, 25, 0, 4, "" } },
	{ "file: another user", "user bob:60:25%:512M:4\n", 0 },
	{ "file: a group", "user bob:1:1%:1:1\ngroup users:2:2%:2K:2\n", 1, { 2, 2, 2, 2048, 2, "" } },
	{ "file: a group's number", "group 44:2:2%:1G:2\n", 1, { 1, 2, 2, 1u << 30, 2, "" } },
	{ "file: the first line", "group 44:2:0%:0:2\nuser alice:9:9%:9:9\n", 1, { 1, 2, 0, 0, 2, "" } },
	{ "file: the bounds", "user alice:99:100%:1024G:64", 1, { 1, 99, 100, TG_SPEC_MEM_MAX, 64, "" } },
	{ "file: no such word", "root:1:1%:1:1", -1, .why = ":1: neither user nor group" },
	{ "file: no name", "user : 1:1%:1:1", -1, .why = ":1: no name" },
	{ "file: words without a blank", "useralice : 1:1%:1:1", -1, .why = ":1: no name" },
	{ "file: two names", "user alice bob:1:1%:1:1", -1, .why = ":1: no name" },
	{ "file: too few fields", "user alice:1:1%:1", -1, .why = ":1: not so many" },
	{ "file: too many fields", "user alice:1:1%:1:1::", -1, .why = ":1: not so many" },
	{ "file: far too many fields", "user alice:1:1%:1:1:::::::::", -1, .why = ":1: not so many" },
	{ "file: a priority of 100", "user alice:100:1%:1:1", -1, .why = ":1: no priority" },
	{ "file: a negative priority", "user alice:-1:1%:1:1", -1, .why = ":1: no priority" },
	{ "file: a share of 101 percent", "user alice:1:101%:1:1", -1, .why = ":1: no share" },
	{ "file: a share without percent", "user alice:1:10:1:1", -1, .why = ":1: no share" },
	{ "file: an empty share", "user alice:1::1:1", -1, .why = ":1: no share" },
	{ "file: a size beyond 64 bits", "user alice:1:1%:18014398509481985K:1", -1, .why = ":1: no size" },
	{ "file: no size", "user alice:1:1%::1", -1, .why = ":1: no size" },
	{ "file: too many scopes", "user alice:1:1%:1:65", -1, .why = ":1: no number" },
	{ "file: too long a name", "user alice:1:1%:1:1:01234567890123456789012345678901", -1, .why = ":1: too long" },
	{ "file: a mistake behind the line", "user alice:1:1%:1:1\nuser bob", -1, .why = ":2: not so many" },
};

static void test_files(void)
{
	const struct file *f;
	struct limits l;
	char why[256];

	for (f = files; f < files + ARRAY_SIZE(files); f++) {
		int found;

		memset(&l, 0, sizeof(l));
		strcpy(why, "nothing");
		found = limits_find(f->text, strlen(f->text), is_alice, NULL, &l, why);
		if (found != f->found)
			test_row(f->name, false, "%d, not %d: %s", found, f->found, why);
		else if (found < 0)
			test_row(f->name, strstr(why, f->why), "%s", why);
		else
			test_row(f->name, l.line == f->limits.line && l.prio == f->limits.prio &&
				 l.percent == f->limits.percent && l.mem == f->limits.mem &&
				 l.scopes == f->limits.scopes && !strcmp(l.vgpus, f->limits.vgpus),
				 "line %u, %d, %u %%, %llu, %u, '%s'", l.line, l.prio, l.percent,
				 (unsigned long long)l.mem, l.scopes, l.vgpus);
	}
	memset(why, 0, sizeof(why));
	test_row("file: a NUL", limits_find("user bob\0:1", 11, is_alice, NULL, &l, why) == -1 &&
		 strstr(why, "NUL"), "%s", why);
	char *longest = malloc(2000);

	memset(longest, '#', 2000);
	test_row("file: a line of 2000 bytes", limits_find(longest, 2000, is_alice, NULL, &l, why) == -1 &&
		 strstr(why, "too long"), "%s", why);
	free(longest);
}

#define MS	TG_MSEC

static const struct limits root = { 0 };
static const struct limits alice = { 3, 60, 25, 512 << 20, 2, "guest other " };
static const struct limits lowly = { 4, 20, 0, 0, 1, "" };

static const struct request {
	const char *name;
	const struct limits *limits;
	struct run_line line;
	struct run_line others[2];
	int nr;
	const char *why;	/* NULL: it may be */
	int prio;		/* then */
	u32 slot;
} requests[] = {
	{ "request: nothing named", &alice, { .prio = -1 }, .prio = 50, .slot = 1 },
	{ "request: nothing named, below a low limit", &lowly, { .prio = -1 }, .prio = 20, .slot = 1 },
	{ "request: a reserve", &alice, { .prio = 60, .capacity = 25 * MS / 10, .period = 25 * MS }, .prio = 60, .slot = 1 },
	{ "request: beside others", &alice, { .prio = 1, .capacity = MS, .period = 10 * MS },
	  { { .slot = 1, .capacity = 15 * MS, .period = 100 * MS } }, 1, .prio = 1, .slot = 2 },
	{ "request: the slot that is free", &alice, { .prio = 1 }, { { .slot = 2 } }, 1, .prio = 1, .slot = 1 },
	{ "request: exactly the limit", &alice, { .prio = 60, .capacity = 25 * MS, .period = 100 * MS, .mem = 512 << 20,
	  .vgpu = "other" }, .prio = 60, .slot = 1 },
	{ "request: too high a priority", &alice, { .prio = 61 }, .why = "priority 61; your limit is 60 (/etc/timegraph.limits:3)" },
	{ "request: too large a reserve", &alice, { .prio = 1, .capacity = 26 * MS, .period = 100 * MS },
	  .why = "reserve: 26.00 % of the GPU with your other scopes; your limit is 25 % (/etc/timegraph.limits:3)" },
	{ "request: a little more than the limit", &alice, { .prio = 1, .capacity = 2500001000, .period = 10 * TG_SEC },
	  .why = "reserve: " },
	{ "request: too large beside others", &alice, { .prio = 1, .capacity = 11 * MS, .period = 100 * MS },
	  { { .slot = 1, .capacity = 15 * MS, .period = 100 * MS } }, 1, .why = "reserve: 26.00 %" },
	{ "request: a reserve where none is allowed", &lowly, { .prio = 1, .capacity = 1000, .period = 10 * TG_SEC },
	  .why = "reserve: 0.00 % of the GPU with your other scopes; your limit is 0 %" },
	{ "request: too much memory", &alice, { .prio = 1, .mem = (512 << 20) + 1 }, .why = "mem: 536870913 bytes; your limit is" },
	{ "request: another virtual GPU", &alice, { .prio = 1, .vgpu = "gues" }, .why = "vgpu: not one of yours; your limit is guest" },
	{ "request: two virtual GPUs", &alice, { .prio = 1, .vgpu = "guest other" }, .why = "vgpu: not one of yours" },
	{ "request: too many scopes", &alice, { .prio = 1 }, { { .slot = 1 }, { .slot = 2 } }, 2, .why = "scopes: 2 run already" },
	{ "request: priority 100", &root, { .prio = 100 }, .why = "priority: 0" },
	{ "request: priority -2", &root, { .prio = -2 }, .why = "priority: 0" },
	{ "request: C without T", &root, { .prio = 1, .capacity = MS }, .why = "reserve: C of" },
	{ "request: T without C", &root, { .prio = 1, .period = MS }, .why = "reserve: C of" },
	{ "request: C above T", &root, { .prio = 1, .capacity = 2 * MS, .period = MS }, .why = "reserve: C of" },
	{ "request: T above 10 s", &root, { .prio = 1, .capacity = MS, .period = 10 * TG_SEC + 1000 }, .why = "reserve: C of" },
	{ "request: 2^62", &root, { .prio = 1, .capacity = 1ll << 62, .period = 1ll << 62 }, .why = "reserve: C of" },
	{ "request: a negative C", &root, { .prio = 1, .capacity = -1000, .period = MS }, .why = "reserve: C of" },
	{ "request: 2^62 bytes", &root, { .prio = 1, .mem = 1ull << 62 }, .why = "mem: 1024G" },
	{ "request: a line end in a name", &root, { .prio = 1, .vgpu = "a\nuid=*:prt:bg:99:0:0" }, .why = "vgpu: a quote" },
	{ "request: a quote in a name", &root, { .prio = 1, .vgpu = "a\", mem=1" }, .why = "vgpu: a quote" },
	{ "request: root", &root, { .prio = 99, .capacity = MS, .period = MS, .mem = TG_SPEC_MEM_MAX, .vgpu = "any" },
	  { { .slot = 1, .capacity = MS, .period = MS } }, 1, .prio = 99, .slot = 2 },
};

static void test_requests(void)
{
	const struct request *r;
	struct run_line line;
	char why[256];
	bool good;

	for (r = requests; r < requests + ARRAY_SIZE(requests); r++) {
		line = r->line;
		*why = '\0';
		good = limits_check(r->limits, &line, r->others, r->nr, why);
		if (r->why)
			test_row(r->name, !good && !strncmp(why, r->why, strlen(r->why)), "%d: %s", good, why);
		else
			test_row(r->name, good && line.prio == r->prio && line.slot == r->slot, "%s; %d, slot %u",
				 why, line.prio, line.slot);
	}
}

/* A number as an attacker chooses it. */
static u64 odd(void)
{
	static const u64 liked[] = { 0, 1, 999, 1000, 1001, 60, 61, 99, 100, MS, 25 * MS / 10, 25 * MS, 10 * TG_SEC,
				     10 * TG_SEC + 1000, 512 << 20, 1ull << 31, 1ull << 32, 1ull << 40, 1ull << 62,
				     1ull << 63, ~0ull, ~0ull - 999 };
	const u64 n = liked[rand() % ARRAY_SIZE(liked)];

	return rand() % 4 ? n : n + rand() % 2000 - 1000;
}

static struct run_line random_line(void)
{
	struct run_line line = { .prio = (int)odd(), .capacity = odd(), .period = odd(), .mem = odd() };
	int i, len = rand() % 4 ? 0 : rand() % TG_NAME_LEN;

	if (rand() % 2)
		line.prio = rand() % 103 - 2;
	if (rand() % 2) {
		line.period = rand() % 2 ? 25 * MS : rand() % 1000 * TG_USEC;
		line.capacity = rand() % 2 ? rand() % 6 * MS : 0;
		line.period = line.capacity ? line.period : 0;
	}
	if (rand() % 2)
		line.mem = 0;
	for (i = 0; i < len; i++)
		line.vgpu[i] = rand() % 255 + 1;
	if (!(rand() % 8))
		strcpy(line.vgpu, "guest");
	return line;
}

/* What has been accepted runs on, or ends at some time: never is there more than the limit. */
static void test_random(void)
{
	struct run_line runs[2], line;
	unsigned int i, taken = 0;
	int nr = 0, k;
	char why[256];
	double sum;

	srand(27);
	for (i = 0; i < 100000; i++) {
		line = random_line();
		*why = '\0';
		if (!limits_check(&alice, &line, runs, nr, why)) {
			if (!*why)
				break;
			nr -= nr && !(rand() % 8);
			continue;
		}
		taken++;
		sum = line.capacity ? (double)line.capacity / line.period : 0;
		for (k = 0; k < nr; k++) {
			sum += runs[k].capacity ? (double)runs[k].capacity / runs[k].period : 0;
			if (runs[k].slot == line.slot)
				break;
		}
		if (k < nr || nr == 2 || line.prio < 0 || line.prio > 60 || sum > 0.25 || line.mem > 512 << 20 ||
		    (*line.vgpu && strcmp(line.vgpu, "guest") && strcmp(line.vgpu, "other")) || line.slot > 2)
			break;
		runs[nr++] = line;
	}
	test_row("random requests: nothing beyond the limits", i == 100000 && taken > 1000,
		 "request %u: prio %d, C %lld, T %lld, mem %llu, vgpu '%s', %d others; %u were taken: %s", i, line.prio,
		 (long long)line.capacity, (long long)line.period, (unsigned long long)line.mem, line.vgpu, nr, taken, why);
	for (i = 0; i < 100000; i++) {
		static const struct limits none = { 1, 0, 0, 0, 0, "" };

		line = random_line();
		if (limits_check(&none, &line, NULL, 0, why))
			break;
	}
	test_row("random requests: nothing where nothing is allowed", i == 100000, "request %u", i);
}

int main(void)
{
	test_files();
	test_requests();
	test_random();
	return test_end();
}
