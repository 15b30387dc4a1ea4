// SPDX-License-Identifier: GPL-2.0
/*
 * The parser against the oracle on 100 000 mutated specifications: they must agree on whether
 * a text is good, and if not, on line and column. Each text lies in memory of its own length.
 *
 * An argument is another seed; a disagreement prints seed and index, which make the text again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tg/spec.h>
#include "../lib/spec_mutate.h"
#include "../lib/spec_oracle.h"

#define MUTANTS	100000
#define KINDS	55	/* different words for what is wrong; see docs/spec-format.md */

static const char *kinds[KINDS];	/* the words of all refusals that were met */
static unsigned int nr_kinds;

static void note_kind(const char *what)
{
	unsigned int i;

	for (i = 0; i < nr_kinds && i < KINDS; i++) {
		if (!strcmp(kinds[i], what))
			return;
	}
	if (nr_kinds < KINDS)
		kinds[nr_kinds] = what;
	nr_kinds++;
}

static bool names_are_good(const struct tg_spec_entry *e, u32 len)
{
	const struct tg_str *patterns = e->pattern;
	bool any = e->gpu;
	u32 i;

	for (i = 0; i < TG_MATCHES; i++) {
		any |= patterns[i].len > 0;
		if (patterns[i].len > TG_SPEC_PATTERN_MAX || patterns[i].off + patterns[i].len > len)
			return false;
	}
	return any;
}

static bool is_in_order(const struct tg_spec *spec, u32 len)
{
	u32 line = 0, i;

	for (i = 0; i < spec->nr; i++) {
		const struct tg_spec_entry *e = &spec->entries[i];

		if (!names_are_good(e, len) || e->line <= line ||
		    e->reserve.off + e->reserve.len > len || e->reserve.len >= TG_NAME_LEN ||
		    e->vgpu.off + e->vgpu.len > len || e->vgpu.len >= TG_NAME_LEN ||
		    e->prio > TG_PRIO_MAX || (e->agpa && e->nice) || e->capacity > e->period ||
		    e->period > TG_SPEC_PERIOD_MAX || !e->weight || e->depth > TG_DEPTH_MAX)
			return false;
		line = e->line;
	}
	for (i = 0, line = 0; i < spec->nr_vgpus; i++) {
		const struct tg_spec_vgpu *v = &spec->vgpus[i];

		if (v->line <= line || !v->name.len || v->name.len >= TG_NAME_LEN ||
		    v->name.off + v->name.len > len || !v->share[TG_COMPUTE] ||
		    !v->share[TG_COPY] || !v->share[TG_MEMORY])
			return false;
		line = v->line;
	}
	for (i = 0, line = 0; i < spec->nr_knobs; i++) {
		if (spec->knobs[i].at.line <= line)
			return false;
		line = spec->knobs[i].at.line;
	}
	return spec->nr_vgpus <= TG_VGPUS_MAX && spec->nr_knobs <= TG_SPEC_KNOBS_MAX;
}

static bool agree(u64 seed, u64 index, const char *mutant, size_t len, bool *good)
{
	char *text = malloc(len ? len : 1);
	struct tg_spec spec = { .text = text };
	unsigned int line = 0, column = 0;
	struct tg_spec_error err = { 0 };
	bool same;
	int ret;

	memcpy(text, mutant, len);
	spec.entries = malloc(tg_spec_room(text, len) * sizeof(*spec.entries));
	ret = tg_spec_parse(&spec, len, &err);
	*good = oracle_check(text, len, &line, &column) == 0;
	if (*good)
		same = ret == 0 && is_in_order(&spec, len);
	else
		same = ret == -EINVAL && err.line == line && err.column == column;
	if (ret)
		note_kind(err.what);
	if (!same)
		printf("# seed %llu, mutant %llu: parser %d at %u:%u (%s), oracle %s at %u:%u\n",
		       (unsigned long long)seed, (unsigned long long)index, ret, err.line,
		       err.column, ret ? err.what : "good", *good ? "good" : "bad", line, column);
	free(spec.entries);
	free(text);
	return same;
}

static unsigned int passed, failed;

static void report(const char *name, bool ok, const char *why, unsigned long n)
{
	if (ok) {
		printf("ok %s\n", name);
		passed++;
	} else {
		printf("not ok %s: %s: %lu\n", name, why, n);
		failed++;
	}
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	static char mutant[SPEC_MUTANT_MAX];
	unsigned long differ = 0, goods = 0;
	u64 i;
	bool good;

	for (i = 0; i < MUTANTS && differ < 10; i++) {
		if (!agree(seed, i, mutant, spec_mutate(seed, i, mutant), &good))
			differ++;
		goods += good;
	}
	report("parser and oracle agree", !differ, "mutants on which they do not", differ);
	report("a third is good", goods >= MUTANTS / 3, "good mutants", goods);
	report("a third is bad", goods <= MUTANTS - MUTANTS / 3, "good mutants", goods);
	report("all kinds of refusal", nr_kinds == KINDS, "kinds", nr_kinds);
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
