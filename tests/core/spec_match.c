// SPDX-License-Identifier: GPL-2.0
/*
 * Which line of a specification a client gets, by a table. The rows with many stars are of a
 * size at which a matcher that tries every combination would not come back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tg/spec.h>

#define REST ":ht:pe:1:1:1\n"
#define OWN ":prt:bg:0:0:0\n"
#define HERE "0000:01:00.0"
#define A50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A250 "" A50 A50 A50 A50 A50
#define A1000 "" A250 A250 A250 A250
#define A4000 "" A1000 A1000 A1000 A1000
#define STARS "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a"

static const struct row {
	const char *name;
	const char *spec;
	const char *comm;
	u32 uid;
	const char *exe, *cgroup;
	u32 line;		/* 0: no line matches */
} rows[] = {
	{ "empty spec", "", "a", 0, "/a", "/", 0 },
	{ "plain name", "a" REST "b" REST, "b", 0, NULL, NULL, 2 },
	{ "name is no prefix", "a" REST, "ab", 0, NULL, NULL, 0 },
	{ "name is not shorter", "ab" REST, "a", 0, NULL, NULL, 0 },
	{ "name is exact in case", "A" REST, "a", 0, NULL, NULL, 0 },
	{ "empty comm", "a" REST, "", 0, NULL, NULL, 0 },
	{ "quoted name", "\"a b\"" REST, "a b", 0, NULL, NULL, 1 },
	{ "15 bytes", "123456789012345" REST, "123456789012345", 0, NULL, NULL, 1 },
	{ "16 bytes are cut", "1234567890123456" REST, "123456789012345", 0, NULL, NULL, 1 },
	{ "cut name against a shorter comm", "1234567890123456" REST, "12345678901234", 0, NULL,
	  NULL, 0 },
	{ "UTF-8 cut within a character", "12345678901234\xc3\xa4" REST, "12345678901234\xc3", 0,
	  NULL, NULL, 1 },
	{ "first match wins", "b" REST "uid=7" REST "a" REST, "a", 7, NULL, NULL, 2 },
	{ "line numbers count comments", "# c\n\na" REST, "a", 0, NULL, NULL, 3 },

	{ "exe", "exe=/usr/bin/a" REST, "x", 0, "/usr/bin/a", NULL, 1 },
	{ "exe is the whole path", "exe=/usr/bin/a" REST, "x", 0, "/usr/bin/ab", NULL, 0 },
	{ "exe by star at the end", "exe=/usr/bin/*" REST, "x", 0, "/usr/bin/a", NULL, 1 },
	{ "star passes over /", "exe=/usr/*a" REST, "x", 0, "/usr/bin/x/a", NULL, 1 },
	{ "star may be nothing", "exe=/a*b*" REST, "x", 0, "/ab", NULL, 1 },
	{ "star in front", "exe=*/a" REST, "x", 0, "/opt/a", NULL, 1 },
	{ "several stars in a row", "exe=***/a**" REST, "x", 0, "/a", NULL, 1 },
	{ "star tries again", "exe=/*ab" REST, "x", 0, "/aab", NULL, 1 },
	{ "star takes the last", "exe=/*.bin" REST, "x", 0, "/a.bin.bin", NULL, 1 },
	{ "question mark", "exe=/?" REST, "x", 0, "/a", NULL, 1 },
	{ "question mark is not nothing", "exe=/a?" REST, "x", 0, "/a", NULL, 0 },
	{ "question mark is /", "exe=/a?b" REST, "x", 0, "/a/b", NULL, 1 },
	{ "question mark after star", "exe=/*?b" REST, "x", 0, "/b", NULL, 0 },
	{ "brackets are bytes", "exe=/[ab]" REST, "x", 0, "/a", NULL, 0 },
	{ "backslash is a byte", "exe=/\\a" REST, "x", 0, "/\\a", NULL, 1 },
	{ "no exe", "exe=*" REST, "x", 0, NULL, "/", 0 },
	{ "empty exe", "exe=*" REST, "x", 0, "", NULL, 1 },
	{ "empty exe, question mark", "exe=?*" REST, "x", 0, "", NULL, 0 },
	{ "exe is not comm", "exe=/a" REST "\"/a\"" REST, "/a", 0, NULL, NULL, 2 },

	{ "uid", "uid=1000" REST, "x", 1000, NULL, NULL, 1 },
	{ "uid 0", "uid=0" REST, "x", 0, NULL, NULL, 1 },
	{ "largest uid", "uid=4294967295" REST, "x", U32_MAX, NULL, NULL, 1 },
	{ "uid is the whole number", "uid=100" REST, "x", 1000, NULL, NULL, 0 },
	{ "uid by glob", "uid=1??0" REST, "x", 1990, NULL, NULL, 1 },

	{ "cgroup", "cgroup=/user.slice/*" REST, "x", 0, NULL, "/user.slice/a/b", 1 },
	{ "root cgroup", "cgroup=/" REST, "x", 0, NULL, "/", 1 },
	{ "no cgroup", "cgroup=*" REST, "x", 0, "/a", NULL, 0 },

	{ "uid and exe", "uid=7 exe=/a" REST, "x", 7, "/a", NULL, 1 },
	{ "uid and exe, another user", "uid=7 exe=/a" REST, "x", 8, "/a", NULL, 0 },
	{ "uid and exe, another program", "uid=7 exe=/a" REST, "x", 7, "/b", NULL, 0 },
	{ "uid and exe, no program", "exe=* uid=7" REST, "x", 7, NULL, NULL, 0 },
	{ "name and uid", "game uid=7" REST, "game", 7, NULL, NULL, 1 },
	{ "name of another user", "game uid=7" REST "uid=8" REST, "game", 8, NULL, NULL, 2 },
	{ "all of a client", "cgroup=/c uid=1? exe=*b a" REST, "a", 10, "/b", "/c", 1 },
	{ "all but the cgroup", "cgroup=/c uid=1? exe=*b a" REST, "a", 10, "/b", "/d", 0 },
	{ "the narrower line first", "a uid=7" REST "a" REST, "a", 7, NULL, NULL, 1 },

	{ "no process is it, by its name", "kernel=nouveau" OWN, "nouveau", 0, "/nouveau", "/nouveau", 0 },
	{ "nor if it looks so", "kernel=nouveau" OWN "\"kernel=nouveau\"" REST, "kernel=nouveau", 0,
	  "kernel=nouveau", "kernel=nouveau", 2 },

	{ "many stars, no match", "exe=*a*a*a*b" REST, "x", 0, "/" A4000, NULL, 0 },
	{ "many stars, match", "exe=*a*a*a*b" REST, "x", 0, "/" A4000 "b", NULL, 1 },
	{ "120 stars, no match", "exe=" STARS STARS STARS "b" REST, "x", 0, "/" A4000, NULL, 0 },
	{ "120 stars, match", "exe=" STARS STARS STARS "b" REST, "x", 0, "/" A4000 "b", NULL, 1 },
};

/* The same for a driver's own work. */
static const struct row drivers[] = {
	{ "a driver's own work", "uid=*" REST "kernel=a" OWN "kernel=nouveau" OWN, "kernel=nouveau", 0, NULL,
	  NULL, 3 },
	{ "another driver's", "kernel=nouvea" OWN "kernel=nouveau2" OWN, "kernel=nouveau", 0, NULL, NULL, 0 },
	{ "it is no user, program or group", "uid=0" REST "uid=*" REST "exe=*" REST "cgroup=*" REST,
	  "kernel=nouveau", 0, "/a", "/a", 0 },
	{ "nor a process of a name", "\"kernel=nouveau\"" REST "nouveau" REST, "kernel=nouveau", 0, NULL, NULL, 0 },
	{ "a driver without a name", "kernel=nouveau" OWN, "", 0, NULL, NULL, 0 },
};

/* The same on a GPU with a name. */
static const struct gpu_row {
	const char *gpu;
	bool kernel;
	struct row row;
} gpu_rows[] = {
	{ HERE, false, { "a GPU", "gpu=0000:01:00.0" REST, "x", 0, NULL, NULL, 1 } },
	{ HERE, false, { "without its domain", "gpu=01:00.0" REST, "x", 0, NULL, NULL, 1 } },
	{ HERE, false, { "with a long domain",
	  "gpu=00000000:01:00.0" REST, "x", 0, NULL, NULL, 1 } },
	{ HERE, false, { "another function", "gpu=01:00.1" REST, "x", 0, NULL, NULL, 0 } },
	{ HERE, false, { "another device", "gpu=01:01.0" REST, "x", 0, NULL, NULL, 0 } },
	{ HERE, false, { "another bus", "gpu=02:00.0" REST, "x", 0, NULL, NULL, 0 } },
	{ HERE, false, { "another domain",
	  "gpu=0001:01:00.0" REST "gpu=00010000:01:00.0" REST, "x", 0, NULL, NULL, 0 } },
	{ "10101:01:00.0", false, { "a GPU of a large domain",
	  "gpu=01:00.0" REST "gpu=10101:01:00.0" REST, "x", 0, NULL, NULL, 2 } },
	{ "0000:ab:1f.7", false, { "a GPU in upper case",
	  "gpu=0000:AB:1F.7" REST, "x", 0, NULL, NULL, 1 } },
	{ "0000:AB:1F.7", false, { "a GPU with letters, written large",
	  "gpu=ab:1f.7" REST, "x", 0, NULL, NULL, 1 } },
	{ "uuid:0000:01:00.0", false, { "a GPU without an address",
	  "gpu=01:00.0" REST "a" REST, "a", 0, NULL, NULL, 2 } },
	{ "0000:01:00.0.1", false, { "a GPU whose name begins like one",
	  "gpu=01:00.0" REST "a" REST, "a", 0, NULL, NULL, 2 } },
	{ "", false, { "a GPU without a name",
	  "gpu=01:00.0" REST "a" REST, "a", 0, NULL, NULL, 2 } },
	{ HERE, false, { "name and GPU",
	  "a gpu=02:00.0" REST "b gpu=01:00.0" REST "a gpu=01:00.0" REST "a" REST, "a", 0, NULL, NULL, 3 } },
	{ "0000:02:00.0", false, { "name on another GPU",
	  "a gpu=01:00.0" REST "gpu=01:00.0" REST "a" REST, "a", 0, NULL, NULL, 3 } },
	{ HERE, false, { "all of a client and its GPU",
	  "cgroup=/c gpu=01:00.0 uid=1? exe=*b a" REST, "a", 10, "/b", "/c", 1 } },
	{ HERE, true, { "a driver's own work on a GPU",
	  "gpu=01:00.0" REST "kernel=a gpu=02:00.0" OWN "gpu=01:00.0 kernel=a" OWN, "kernel=a", 0, NULL, NULL, 3 } },
	{ "0000:02:00.0", true, { "on another",
	  "gpu=01:00.0" REST "kernel=a gpu=01:00.0" OWN "kernel=a" OWN, "kernel=a", 0, NULL, NULL, 3 } },
};

/* The line that says the weight of a client's user or cgroup. */
static const struct sharer_row {
	const char *name, *spec;
	enum tg_share_by by;
	u32 payer;
	const char *cgroup;
	u16 undelegated;
	u32 line;
} sharer_rows[] = {
	{ "a user's line", "uid=7" REST, TG_BY_USER, 7, NULL, 0, 1 },
	{ "another user's", "uid=7" REST, TG_BY_USER, 8, NULL, 0, 0 },
	{ "of all users", "uid=*" REST, TG_BY_USER, 8, NULL, 0, 1 },
	{ "the first of a user's", "uid=8" REST "uid=7" REST "uid=*" REST, TG_BY_USER, 7, NULL, 0, 2 },
	{ "a line that names more is no user's", "uid=7 a" REST "uid=7 exe=*" REST "uid=7 cgroup=*" REST
	  "uid=*" REST, TG_BY_USER, 7, "/a", 0, 4 },
	{ "nor is one that names less", "a" REST, TG_BY_USER, 7, NULL, 0, 0 },
	{ "nor a cgroup's", "cgroup=*" REST, TG_BY_USER, 7, "/a", 0, 0 },
	{ "a cgroup's line", "cgroup=/a" REST, TG_BY_CGROUP, 7, "/a", 0, 1 },
	{ "of one above it", "cgroup=/a" REST, TG_BY_CGROUP, 7, "/a/b", 0, 0 },
	{ "of one above it that is not delegated", "cgroup=/a/b" REST "cgroup=/a" REST, TG_BY_CGROUP, 7,
	  "/a/b", 2, 2 },
	{ "a delegated name says nothing", "cgroup=*b" REST, TG_BY_CGROUP, 7, "/a/b", 2, 0 },
	{ "the root", "cgroup=/" REST, TG_BY_CGROUP, 7, "/a/b", 1, 1 },
	{ "no cgroup", "cgroup=*" REST, TG_BY_CGROUP, 7, NULL, 0, 0 },
	{ "more is said to be undelegated than there is", "cgroup=/a" REST, TG_BY_CGROUP, 7, "/a", 9, 1 },
	{ "a user's line on a GPU", "uid=7 gpu=02:00.0" REST "uid=7 gpu=01:00.0" REST "uid=7" REST, TG_BY_USER, 7,
	  NULL, 0, 2 },
	{ "on another", "uid=7 gpu=02:00.0" REST "uid=7" REST, TG_BY_USER, 7, NULL, 0, 2 },
	{ "a cgroup's on a GPU", "gpu=02:00.0 cgroup=*" REST "gpu=01:00.0 cgroup=*" REST, TG_BY_CGROUP, 7, "/a",
	  0, 2 },
	{ "a GPU's line is nobody's", "gpu=01:00.0" REST, TG_BY_USER, 7, NULL, 0, 0 },
	{ "a user's line is no cgroup's", "uid=7" REST, TG_BY_CGROUP, 7, "/a", 0, 0 },
};

/* Return: did it pass? */
static bool sharer(const struct sharer_row *row)
{
	const struct tg_identity id = {
		.uid = 99, .payer = row->payer, .cgroup = row->cgroup,
		.undelegated = row->undelegated, .gpu = HERE,
	};
	struct tg_spec spec = { .text = row->spec };
	u32 len = strlen(row->spec), got = U32_MAX;
	const struct tg_spec_entry *e;
	struct tg_spec_error err;

	spec.entries = malloc(tg_spec_room(row->spec, len) * sizeof(*spec.entries));
	if (!tg_spec_parse(&spec, len, &err)) {
		e = tg_spec_sharer(&spec, &id, row->by);
		got = e ? e->line : 0;
	}
	free(spec.entries);
	printf("%s %s", got == row->line ? "ok" : "not ok", row->name);
	printf(got == row->line ? "\n" : ": got line %u\n", got);
	return got == row->line;
}

/* Return: did it pass? */
static bool match(const struct row *row, bool kernel, const char *gpu)
{
	const u32 len = strlen(row->spec);
	struct tg_identity id = {
		.pid = !kernel, .kernel = kernel, .uid = row->uid, .exe = row->exe,
		.cgroup = row->cgroup, .gpu = gpu,
	};
	struct tg_spec spec = { .text = row->spec };
	const struct tg_spec_entry *e;
	struct tg_spec_error err;
	bool ok = false;

	memcpy(id.comm, row->comm, strlen(row->comm) + 1);
	spec.entries = malloc(tg_spec_room(row->spec, len) * sizeof(*spec.entries));
	if (tg_spec_parse(&spec, len, &err)) {
		printf("not ok %s: %u:%u: %s\n", row->name, err.line, err.column, err.what);
	} else {
		e = tg_spec_match(&spec, &id);
		ok = (e ? e->line : 0) == row->line;
		printf("%s %s", ok ? "ok" : "not ok", row->name);
		printf(ok ? "\n" : ": got line %u\n", e ? e->line : 0);
	}
	free(spec.entries);
	return ok;
}

int main(void)
{
	unsigned int passed = 0, failed = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		match(&rows[i], false, NULL) ? passed++ : failed++;
	for (i = 0; i < ARRAY_SIZE(drivers); i++)
		match(&drivers[i], true, NULL) ? passed++ : failed++;
	for (i = 0; i < ARRAY_SIZE(gpu_rows); i++)
		match(&gpu_rows[i].row, gpu_rows[i].kernel, gpu_rows[i].gpu) ? passed++ : failed++;
	for (i = 0; i < ARRAY_SIZE(sharer_rows); i++)
		sharer(&sharer_rows[i]) ? passed++ : failed++;
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
