// SPDX-License-Identifier: GPL-2.0
/*
 * Keys for predictions: of hand-made and hostile push buffers, and of random ones against a naive
 * walker. predict_test.c tests what is predicted from them.
 */
#include <stdlib.h>
#include <tg/gpu.h>
#include "../lib/test.h"

#define M(subc, mthd, size)	((u32)(size) << 18 | (subc) << 13 | (mthd))
#define NI(subc, mthd, size)	(M(subc, mthd, size) | 1u << 30)
#define LONG(subc, mthd)	(0x00030000u | (subc) << 13 | (mthd))
#define PAIR(subc, mthd, size, times) \
	((u64)(subc) << 56 | (u64)(mthd) << 40 | (u64)(size) << 16 | (times))

/* The words; no key where nr is -1, else the pairs. */
static const struct key_row {
	const char *name;
	u32 words[12], n;
	int nr;
	u64 pair[4];
} key_rows[] = {
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
};

static const struct tg_key *build(struct tg_key_builder *b, const u32 *words, u32 n, u32 step)
{
	u32 at, len;

	memset(b, 0xa5, sizeof(*b));
	tg_key_init(b);
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

static void key_row(const struct key_row *row)
{
	struct tg_key_builder *b = malloc(sizeof(*b));
	const char *wrong = NULL;
	u32 step, hash = 0;

	for (step = 1; step <= max(row->n, 1u) && !wrong; step++) {
		const struct tg_key *key = build(b, row->words, row->n, step);
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
	test_row(row->name, !wrong, "%s, in pieces of %u words", wrong, step - 1);
	free(b);
}

/* Words that are too many for a table. */
static void key_bounds(void)
{
	static u32 words[2 * 65536 + 2];
	struct tg_key_builder *b = malloc(sizeof(*b));
	const struct tg_key *key;
	u32 i;

	for (i = 0; i < TG_KEY_PAIRS; i++)
		words[2 * i] = M(i & 7, (TG_KEY_PAIRS - i) * 4, 1);
	key = build(b, words, 2 * TG_KEY_PAIRS, 64);
	test_row("512 pairs make a key", key && key->nr == TG_KEY_PAIRS, "none");
	for (i = 1; key && i < key->nr && key->pair[i - 1] < key->pair[i]; i++)
		;
	test_row("its pairs are in order", i == TG_KEY_PAIRS, "pair %u is not", i);

	words[2 * TG_KEY_PAIRS] = words[0];
	key = build(b, words, 2 * TG_KEY_PAIRS + 2, 64);
	test_row("a repeated one still fits", key && key->nr == TG_KEY_PAIRS, "not so");
	words[2 * TG_KEY_PAIRS] = M(0, 0x1f00, 1);
	test_row("one pair more makes none", !build(b, words, 2 * TG_KEY_PAIRS + 2, 64), "a key");

	for (i = 0; i <= 65535; i++)
		words[2 * i] = M(1, 0x40, 1);
	key = build(b, words, 2 * 65535, 4096);
	test_row("65535 times the same", key && key->pair[0] == PAIR(1, 0x40, 1, 65535), "not so");
	test_row("65536 times makes none", !build(b, words, 2 * 65536, 4096), "a key");

	tg_key_init(b);
	words[0] = 1;
	test_row("a bad word says that reading on is no use", !tg_key_build(b, words, 1) &&
		 !tg_key_build(b, words + 1, 1), "it does not");
	free(b);
}

static u64 seed = 1;

static u32 below(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/* The naive walker: one word at a time, a list without order. */
static int naive_key(const u32 *words, u32 n, u64 *pair)
{
	u32 i = 0, j, nr = 0;

	while (i < n) {
		u32 w = words[i++];
		u64 size = w >> 18 & 0x7ff, p;

		if ((w & 0xffff0003) == 0x30000) {
			if (i == n)
				return -1;
			size = words[i++] & 0xffffff;
		} else if (w >> 29 & 5 || w & 0x30003) {
			return -1;
		}
		if (size > n - i)
			return -1;
		i += size;
		p = PAIR(w >> 13 & 7, w & 0x1ffc, size, 0);
		for (j = 0; j < nr && pair[j] >> 16 != p >> 16; j++)
			;
		if (size && j == nr)
			pair[nr++] = p;
		if (size)
			pair[j]++;
	}
	return nr;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void key_model(void)
{
	struct tg_key_builder *b = malloc(sizeof(*b));
	u32 words[64], round, i, n, keys = 0;
	bool good = true;
	u64 pair[64];

	for (round = 0; round < 100000 && good; round++) {
		const struct tg_key *key;
		int nr;

		n = below(ARRAY_SIZE(words) + 1);
		for (i = 0; i < n; i++)
			switch (below(40)) {
			case 0:
				words[i] = seed >> 20;
				break;
			case 1:
				words[i] = LONG(below(2), below(2) * 4);
				break;
			case 2:
				words[i] = below(8);
				break;
			default:
				words[i] = (below(2) ? 1u << 30 : 0) | M(below(2), below(3) * 4,
									 below(4));
			}
		nr = naive_key(words, n, pair);
		key = build(b, words, n, 1 + below(9));
		good = !key == (nr < 0);
		if (!key || !good)
			continue;
		keys++;
		qsort(pair, nr, sizeof(*pair), by_value);
		good = key->nr == (u32)nr && !memcmp(pair, key->pair, nr * sizeof(*pair));
	}
	test_row("100000 random buffers, against a naive walker", good && keys > 10000,
		 "buffer %u differs (%u keys so far)", round, keys);
	free(b);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(key_rows); i++)
		key_row(&key_rows[i]);
	key_bounds();
	key_model();
	return test_end();
}
