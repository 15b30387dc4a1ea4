// SPDX-License-Identifier: GPL-2.0
/*
 * Writes mutated specifications and what the oracle says of them into a directory, for the VM
 * case that holds tgctl and the module against it:
 *
 *	DIR/0000.spec, DIR/0001.spec, ...
 *	DIR/expected	one line for each, in order: "ok", or LINE:COLUMN of its first error
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../lib/spec_mutate.h"
#include "../../lib/spec_oracle.h"

#define COUNT_MAX 10000		/* four digits */

static void die(const char *path)
{
	fprintf(stderr, "spec-mutants: %s: %s\n", path, strerror(errno));
	exit(1);
}

static FILE *open_in(const char *dir, const char *name, char *path, size_t room)
{
	FILE *f = NULL;

	if ((size_t)snprintf(path, room, "%s/%s", dir, name) < room)
		f = fopen(path, "w");
	else
		errno = ENAMETOOLONG;
	if (!f)
		die(path);
	return f;
}

/* Everything that was printed must have reached the file. */
static void close_or_die(FILE *f, const char *path)
{
	int bad = ferror(f);

	if (fclose(f) || bad)
		die(path);
}

int main(int argc, char **argv)
{
	static char text[SPEC_MUTANT_MAX];
	char path[4096], expected_path[4096], name[32], *end;
	unsigned long long count, seed, i;
	unsigned int line, column;
	FILE *expected, *f;
	size_t len;

	if (argc != 4)
		goto usage;
	count = strtoull(argv[1], &end, 10);
	if (!*argv[1] || *end || !count || count > COUNT_MAX)
		goto usage;
	seed = strtoull(argv[2], &end, 0);
	if (!*argv[2] || *end)
		goto usage;
	expected = open_in(argv[3], "expected", expected_path, sizeof(expected_path));
	for (i = 0; i < count; i++) {
		len = spec_mutate(seed, i, text);
		snprintf(name, sizeof(name), "%04llu.spec", i);
		f = open_in(argv[3], name, path, sizeof(path));
		fwrite(text, 1, len, f);
		close_or_die(f, path);
		if (oracle_check(text, len, &line, &column))
			fprintf(expected, "%u:%u\n", line, column);
		else
			fprintf(expected, "ok\n");
	}
	close_or_die(expected, expected_path);
	return 0;

usage:
	fprintf(stderr, "spec-mutants: want COUNT (1 to %d) SEED DIR\n", COUNT_MAX);
	return 2;
}
