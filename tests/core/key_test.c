// SPDX-License-Identifier: GPL-2.0
/*
 * Keys for predictions: of hand-made and hostile push buffers, and of random ones against a naive
 * walker. predict_test.c tests what is predicted from them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tg/gpu.h>
#include "../lib/test.h"

/* NV50's headers, and GF100's; both have the method in bytes. */
#define M(subc, mthd, size)	((u32)(size) << 18 | (subc) << 13 | (mthd))
#define NI(subc, mthd, size)	(M(subc, mthd, size) | 1u << 30)
#define LONG(subc, mthd)	(0x00030000u | (subc) << 13 | (mthd))
#define F(kind, subc, mthd, n)	((u32)(kind) << 29 | (u32)(n) << 16 | (subc) << 13 | (mthd) >> 2)
enum { INC = 1, NON_INC = 3, IMMEDIATE = 4, ONCE = 5 };
#define FM(subc, mthd, size)	F(INC, subc, mthd, size)
#define IMM(subc, mthd, datum)	F(IMMEDIATE, subc, mthd, datum)
#define PAIR(subc, mthd, size, times) \
	((u64)(subc) << 56 | (u64)(mthd) << 40 | (u64)(size) << 16 | (times))

/* The words; no key where nr is -1, else the pairs. */
static const struct key_row {
	const char *name;
	u32 words[12], n;
	int nr;
	u64 pair[4];
} nv50_rows[] = {
	{ "nothing at all is a key of no pairs", { 0 }, 0, 0, { 0 } },
	{ "one method, one word of data", { M(3, 0x100, 1), 7 }, 2, 1, { PAIR(3, 0x100, 1, 1) } },
	{ "data is not looked at", { M(3, 0x100, 2), M(1, 0x200, 5), ~0u }, 3, 1,
	  { PAIR(3, 0x100, 2, 1) } },
	{ "several methods, in order", { M(3, 0x108, 1), 0, M(3, 0x100, 1), 0, M(2, 0x200, 1), 0 },
	  6, 3, { PAIR(2, 0x200, 1, 1), PAIR(3, 0x100, 1, 1), PAIR(3, 0x108, 1, 1) } },
	{ "sizes tell methods apart", { M(0, 0x100, 2), 0, 0, M(0, 0x100, 1), 0 }, 5, 2,
	  { PAIR(0, 0x100, 1, 1), PAIR(0, 0x100, 2, 1) } },
	{ "equal commands are counted", { M(0, 0x100, 1), 0, M(0, 0x104, 1), 0, M(0, 0x100, 1), 9 },
	  6, 2, { PAIR(0, 0x100, 1, 2), PAIR(0, 0x104, 1, 1) } },
	{ "increasing or not is the same", { M(7, 0x1ffc, 1), 0, NI(7, 0x1ffc, 1), 0 }, 4, 1,
	  { PAIR(7, 0x1ffc, 1, 2) } },
	{ "subchannel 0, method 0", { M(0, 0, 1), 0 }, 2, 1, { PAIR(0, 0, 1, 1) } },
	{ "commands without data count for nothing", { 0, M(1, 0x100, 0), 0, NI(1, 0x100, 0) },
	  4, 0, { 0 } },
	{ "a long method", { LONG(5, 0x860), 3, 1, 2, 3, M(0, 4, 1), 0 }, 7, 2,
	  { PAIR(0, 4, 1, 1), PAIR(5, 0x860, 3, 1) } },
	{ "a long method's size has 24 bits", { LONG(5, 0x860), 0xff000001, 1 }, 3, 1,
	  { PAIR(5, 0x860, 1, 1) } },
	{ "a long method without data", { LONG(0, 0), 0, M(0, 4, 1), 0 }, 4, 1,
	  { PAIR(0, 4, 1, 1) } },
	{ "a long and a short method of one size are the same", { LONG(0, 0), 1, 9, M(0, 0, 1), 0 },
	  5, 1, { PAIR(0, 0, 1, 2) } },
	{ "a long header with a low bit", { LONG(5, 0x860) | 1, 1, 0 }, 3, -1, { 0 } },
	{ "a long header with the other", { LONG(5, 0x860) | 2, 1, 0 }, 3, -1, { 0 } },
	{ "a long header with a size of its own", { LONG(5, 0x860) | 1u << 18, 1, 0 }, 3, -1,
	  { 0 } },
	{ "a method with bit 16", { M(3, 0x100, 1) | 1u << 16, 7 }, 2, -1, { 0 } },
	{ "a method with bit 17", { M(3, 0x100, 1) | 1u << 17, 7 }, 2, -1, { 0 } },
	{ "data that does not come", { M(3, 0x100, 2), 7 }, 2, -1, { 0 } },
	{ "the largest size, no data", { M(3, 0x100, 0x7ff) }, 1, -1, { 0 } },
	{ "a long method without its size", { M(0, 4, 1), 0, LONG(5, 0x860) }, 3, -1, { 0 } },
	{ "the largest long size, no data", { LONG(5, 0x860), ~0u }, 2, -1, { 0 } },
	{ "an old jump", { 0x20001000 }, 1, -1, { 0 } },
	{ "a jump", { M(0, 4, 1), 0, 0x1001 }, 3, -1, { 0 } },
	{ "a call", { 0x1002 }, 1, -1, { 0 } },
	{ "a return", { 0x00020000 }, 1, -1, { 0 } },
	{ "an SLI conditional", { 0x00010000 }, 1, -1, { 0 } },
	{ "bit 31", { 0x80000000 }, 1, -1, { 0 } },
	{ "all ones", { ~0u, ~0u }, 2, -1, { 0 } },
	{ "good words do not mend a bad one", { 3, M(0, 4, 1), 0 }, 3, -1, { 0 } },
	{ "GF100's methods", { FM(3, 0x100, 1), 7 }, 2, -1, { 0 } },
};

static const struct key_row gf100_rows[] = {
	{ "nothing at all is a key of no pairs", { 0 }, 0, 0, { 0 } },
	{ "increasing", { FM(3, 0x100, 2), 7, 7 }, 3, 1, { PAIR(3, 0x100, 2, 1) } },
	{ "not increasing", { F(NON_INC, 3, 0x100, 2), 7, 7 }, 3, 1, { PAIR(3, 0x100, 2, 1) } },
	{ "increasing once", { F(ONCE, 3, 0x100, 2), 7, 7 }, 3, 1, { PAIR(3, 0x100, 2, 1) } },
	{ "NV50's, increasing", { M(3, 0x100, 2), 7, 7 }, 3, 1, { PAIR(3, 0x100, 2, 1) } },
	{ "NV50's, not increasing", { NI(3, 0x100, 2), 7, 7 }, 3, 1, { PAIR(3, 0x100, 2, 1) } },
	{ "all five are the same",
	  { FM(1, 8, 1), ~0u, F(NON_INC, 1, 8, 1), 0, F(ONCE, 1, 8, 1), 0, M(1, 8, 1), 0,
	    NI(1, 8, 1), ~0u }, 10, 1, { PAIR(1, 8, 1, 5) } },
	{ "immediate: no data follows", { IMM(3, 0x100, 7), FM(3, 0x104, 1), 0 }, 3, 2,
	  { PAIR(3, 0x100, 0, 1), PAIR(3, 0x104, 1, 1) } },
	{ "an immediate datum is not looked at",
	  { IMM(3, 0x100, 0), IMM(3, 0x100, 1), IMM(3, 0x100, 0x1fff) }, 3, 1,
	  { PAIR(3, 0x100, 0, 3) } },
	{ "immediate, and with one word of data: told apart",
	  { FM(3, 0x100, 1), 7, IMM(3, 0x100, 7) }, 3, 2,
	  { PAIR(3, 0x100, 0, 1), PAIR(3, 0x100, 1, 1) } },
	{ "the last word is immediate", { FM(0, 4, 1), 0, IMM(0, 0, 1) }, 3, 2,
	  { PAIR(0, 0, 0, 1), PAIR(0, 4, 1, 1) } },
	{ "data is not looked at", { FM(3, 0x100, 3), IMM(0, 0, 0), FM(1, 0x200, 5), ~0u }, 4, 1,
	  { PAIR(3, 0x100, 3, 1) } },
	{ "several methods, in order",
	  { FM(3, 0x108, 1), 0, FM(3, 0x100, 1), 0, IMM(7, 0, 1), FM(2, 0x3ffc, 1), 0 }, 7, 4,
	  { PAIR(2, 0x3ffc, 1, 1), PAIR(3, 0x100, 1, 1), PAIR(3, 0x108, 1, 1),
	    PAIR(7, 0, 0, 1) } },
	{ "sizes tell methods apart", { FM(0, 0x100, 2), 0, 0, FM(0, 0x100, 1), 0 }, 5, 2,
	  { PAIR(0, 0x100, 1, 1), PAIR(0, 0x100, 2, 1) } },
	{ "the last subchannel and method", { FM(7, 0x3ffc, 1), 0 }, 2, 1,
	  { PAIR(7, 0x3ffc, 1, 1) } },
	{ "bit 12 means nothing", { FM(3, 0x100, 1) | 1u << 12, 7 }, 2, 1,
	  { PAIR(3, 0x100, 1, 1) } },
	{ "nor do bits 0 and 1 of NV50's", { M(3, 0x100, 1) | 1, 7, NI(3, 0x100, 1) | 2, 7 }, 4, 1,
	  { PAIR(3, 0x100, 1, 2) } },
	{ "commands without data count for nothing",
	  { 0, FM(1, 8, 0), F(NON_INC, 1, 8, 0), F(ONCE, 1, 8, 0), M(1, 8, 0), NI(1, 8, 0) },
	  6, 0, { 0 } },
	{ "what chooses boards counts for nothing",
	  { 0x00010ff0, 0x1ffeffff, 0x00030000, 0x0003e100, FM(0, 4, 1), 0 }, 6, 1,
	  { PAIR(0, 4, 1, 1) } },
	{ "NV50's not increasing, with bit 16", { NI(3, 0x100, 1) | 1u << 16, 7 }, 2, -1, { 0 } },
	{ "NV50's not increasing, with bit 17", { NI(3, 0x100, 1) | 1u << 17, 7 }, 2, -1, { 0 } },
	{ "kind 6", { F(6, 3, 0x100, 1), 7 }, 2, -1, { 0 } },
	{ "kind 7", { F(7, 3, 0x100, 1), 7 }, 2, -1, { 0 } },
	{ "all ones", { ~0u, ~0u }, 2, -1, { 0 } },
	{ "good words do not mend a bad one", { F(6, 0, 0, 0), FM(0, 4, 1), 0 }, 3, -1, { 0 } },
	{ "data that does not come", { FM(3, 0x100, 2), 7 }, 2, -1, { 0 } },
	{ "not increasing: data that does not come", { F(NON_INC, 3, 8, 1) }, 1, -1, { 0 } },
	{ "increasing once: data that does not come", { F(ONCE, 3, 8, 3), 7, 7 }, 3, -1, { 0 } },
	{ "NV50's: data that does not come", { M(3, 8, 2), 7 }, 2, -1, { 0 } },
	{ "the largest size, no data", { FM(3, 0x100, 0x1fff) }, 1, -1, { 0 } },
};

static const struct tg_key *build(struct tg_key_builder *b, enum tg_methods methods,
				  const u32 *words, u32 n, u32 step)
{
	u32 at, len;

	memset(b, 0xa5, sizeof(*b));
	tg_key_init(b, methods);
	for (at = 0; at < n; at += len) {
		u32 *copy;

		len = min(step, n - at);
		if (step % 2) {
			u32 skipped = tg_key_skip(b, len);

			if (skipped) {
				len = skipped;
				continue;
			}
		}
		copy = malloc(len * sizeof(*copy));	/* so that a word too far is seen */
		memcpy(copy, words + at, len * sizeof(*copy));
		tg_key_build(b, copy, len);
		free(copy);
	}
	return tg_key_finish(b);
}

static const char * const form_names[] = {
	[TG_METHODS_NV50] = "NV50", [TG_METHODS_GF100] = "GF100",
};

static void key_row(const struct key_row *row, enum tg_methods methods)
{
	struct tg_key_builder *b = malloc(sizeof(*b));
	const char *wrong = NULL;
	u32 step, hash = 0;
	char name[100];

	for (step = 1; step <= max(row->n, 1u) && !wrong; step++) {
		const struct tg_key *key = build(b, methods, row->words, row->n, step);
		bool expected = row->nr >= 0;

		if (!key == expected)
			wrong = key ? "a key" : "no key";
		else if (key && (key->nr != (u32)row->nr ||
				 memcmp(key->pair, row->pair, key->nr * sizeof(u64))))
			wrong = "another key";
		else if (key && step > 1 && key->hash != hash)
			wrong = "another hash";
		if (key)
			hash = key->hash;
	}
	snprintf(name, sizeof(name), "%s: %s", form_names[methods], row->name);
	test_row(name, !wrong, "%s, in pieces of %u words", wrong, step - 1);
	free(b);
}

static void bound(enum tg_methods methods, const char *what, bool good)
{
	char name[100];

	snprintf(name, sizeof(name), "%s: %s", form_names[methods], what);
	test_row(name, good, "not so");
}

/* One word of data for a method, in this form. */
static u32 one(enum tg_methods methods, u32 subc, u32 mthd)
{
	return methods == TG_METHODS_GF100 ? FM(subc, mthd, 1) : M(subc, mthd, 1);
}

/* Words that are too many for a table. */
static void key_bounds(enum tg_methods m)
{
	static u32 words[2 * 65536 + 2];
	struct tg_key_builder *b = malloc(sizeof(*b));
	const struct tg_key *key;
	u32 i;

	for (i = 0; i < TG_KEY_PAIRS; i++) {
		words[2 * i] = one(m, i & 7, (TG_KEY_PAIRS - i) * 4);
		words[2 * i + 1] = 0;
	}
	key = build(b, m, words, 2 * TG_KEY_PAIRS, 64);
	bound(m, "512 pairs make a key", key && key->nr == TG_KEY_PAIRS);
	for (i = 1; key && i < key->nr && key->pair[i - 1] < key->pair[i]; i++)
		;
	bound(m, "its pairs are in order", i == TG_KEY_PAIRS);

	words[2 * TG_KEY_PAIRS] = words[0];
	key = build(b, m, words, 2 * TG_KEY_PAIRS + 2, 64);
	bound(m, "a repeated one still fits", key && key->nr == TG_KEY_PAIRS);
	words[2 * TG_KEY_PAIRS] = one(m, 0, 0x1f00);
	bound(m, "one pair more makes none", !build(b, m, words, 2 * TG_KEY_PAIRS + 2, 64));

	for (i = 0; i <= 65535; i++)
		words[2 * i] = one(m, 1, 0x40);
	key = build(b, m, words, 2 * 65535, 4096);
	bound(m, "65535 times the same", key && key->pair[0] == PAIR(1, 0x40, 1, 65535));
	bound(m, "65536 times makes none", !build(b, m, words, 2 * 65536, 4096));

	/* Pieces are pages at most. The words that end one here are headers. */
	words[0] = m == TG_METHODS_GF100 ? IMM(1, 0, 5) : 0;
	for (i = 0; i < 2048; i++)
		words[2 * i + 1] = one(m, 1, 0x40);
	key = build(b, m, words, 4096 + 1, 1024);
	bound(m, "a header ends each of four pages",
	      key && key->pair[key->nr - 1] == PAIR(1, 0x40, 1, 2048));
	bound(m, "the last one's data does not come", !build(b, m, words, 4096, 1024));

	tg_key_init(b, m);
	words[0] = 0xc0000001;
	words[1] = 0;
	bound(m, "a bad word says that reading on is no use",
	      !tg_key_build(b, words, 1) && !tg_key_build(b, words + 1, 1));
	free(b);
}

/* What NV50's headers cannot say */
static void gf100_bounds(void)
{
	static u32 words[65536];
	struct tg_key_builder *b = malloc(sizeof(*b));
	const struct tg_key *key;
	u32 i;

	words[0] = FM(0, 4, 0x1fff);
	for (i = 1; i <= 0x1fff; i++)
		words[i] = 0xc0000000;
	key = build(b, TG_METHODS_GF100, words, 0x2000, 1024);
	test_row("a size has 13 bits", key && key->nr == 1 && key->pair[0] == PAIR(0, 4, 0x1fff, 1),
		 "not so");
	test_row("one word less makes none", !build(b, TG_METHODS_GF100, words, 0x1fff, 1024),
		 "a key");

	for (i = 0; i <= TG_KEY_PAIRS; i++)
		words[i] = IMM(i & 7, i * 4, i);
	key = build(b, TG_METHODS_GF100, words, TG_KEY_PAIRS, 64);
	test_row("512 immediate ones make a key", key && key->nr == TG_KEY_PAIRS, "not so");
	test_row("513 make none", !build(b, TG_METHODS_GF100, words, TG_KEY_PAIRS + 1, 64),
		 "a key");

	for (i = 0; i < 65536; i++)
		words[i] = IMM(7, 0x3ffc, i & 0x1fff);
	key = build(b, TG_METHODS_GF100, words, 65535, 4096);
	test_row("65535 times the same immediate one",
		 key && key->nr == 1 && key->pair[0] == PAIR(7, 0x3ffc, 0, 65535), "not so");
	test_row("65536 times makes none", !build(b, TG_METHODS_GF100, words, 65536, 4096),
		 "a key");
	free(b);
}

static u64 seed = 1;

static u32 below(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/*
 * Naive: what one header says. Return: data words, in this one or in the next (*@longer); -1: no
 * command. *@pair is 0 if it counts for nothing.
 */
static s64 nv50_says(u32 w, u64 *pair, bool *longer)
{
	*longer = (w & 0xffff0003) == 0x30000;
	if (!*longer && (w >> 29 & 5 || w & 0x30003))
		return -1;
	*pair = PAIR(w >> 13 & 7, w & 0x1ffc, 0, 1);
	return *longer ? 0 : w >> 18 & 0x7ff;
}

static s64 gf100_says(u32 w, u64 *pair, bool *longer)
{
	u32 subc = w >> 13 & 7, kind = w >> 29;
	s64 size = w >> 16 & 0x1fff;

	*pair = 0;
	if (kind > ONCE || (kind == 2 && w & 0x30000))
		return -1;
	if (!kind && w & 0x30000)
		return 0;
	*pair = kind & 5 ? PAIR(subc, (w & 0xfff) * 4, 0, 1) : PAIR(subc, w & 0x1ffc, 0, 1);
	if (kind == IMMEDIATE)
		return 0;
	size = kind & 5 ? size : size / 4;
	if (!size)
		*pair = 0;
	return size;
}

/* The naive walker: one word at a time, a list without order. */
static int naive_key(enum tg_methods methods, const u32 *words, u32 n, u64 *pair)
{
	u32 i = 0, j, nr = 0;

	while (i < n) {
		bool longer = false;
		u64 p;
		s64 size = methods == TG_METHODS_GF100 ? gf100_says(words[i++], &p, &longer) :
							 nv50_says(words[i++], &p, &longer);

		if (size < 0 || (longer && i == n))
			return -1;
		if (longer)
			size = words[i++] & 0xffffff;
		if (size > n - i)
			return -1;
		i += size;
		if (!p || (methods == TG_METHODS_NV50 && !size))
			continue;
		p += (u64)size << 16;
		for (j = 0; j < nr && pair[j] >> 16 != p >> 16; j++)
			;
		if (j == nr)
			pair[nr++] = p;
		else
			pair[j]++;
	}
	return nr;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* A word of a random buffer: most often a short command */
static u32 random_word(enum tg_methods methods)
{
	switch (below(40)) {
	case 0:
		return seed >> 20;
	case 1:
		return LONG(below(2), below(2) * 4);
	case 2:
		return below(8);
	}
	if (methods == TG_METHODS_GF100 && below(4))
		return F(1 + below(5), below(2), below(3) * 4, below(4));
	return (below(2) ? 1u << 30 : 0) | M(below(2), below(3) * 4, below(4));
}

static void key_model(enum tg_methods methods)
{
	struct tg_key_builder *b = malloc(sizeof(*b));
	u32 words[64], round, i, n, keys = 0;
	bool good = true;
	u64 pair[64];
	char name[100];

	for (round = 0; round < 100000 && good; round++) {
		const struct tg_key *key;
		int nr;

		n = below(ARRAY_SIZE(words) + 1);
		for (i = 0; i < n; i++)
			words[i] = random_word(methods);
		nr = naive_key(methods, words, n, pair);
		key = build(b, methods, words, n, 1 + below(9));
		good = !key == (nr < 0);
		if (!key || !good)
			continue;
		keys++;
		qsort(pair, nr, sizeof(*pair), by_value);
		good = key->nr == (u32)nr && !memcmp(pair, key->pair, nr * sizeof(*pair));
	}
	snprintf(name, sizeof(name), "%s: 100000 random buffers, against a naive walker",
		 form_names[methods]);
	test_row(name, good && keys > 10000, "buffer %u differs (%u keys so far)", round, keys);
	free(b);
}

int main(void)
{
	enum tg_methods m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nv50_rows); i++)
		key_row(&nv50_rows[i], TG_METHODS_NV50);
	for (i = 0; i < ARRAY_SIZE(gf100_rows); i++)
		key_row(&gf100_rows[i], TG_METHODS_GF100);
	for (m = TG_METHODS_NV50; m <= TG_METHODS_GF100; m++) {
		key_bounds(m);
		key_model(m);
	}
	gf100_bounds();
	return test_end();
}
