// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl as its users meet it: each row runs the program in a folder of its own, where sys/
 * plays the module's directory, and compares exit status, both outputs and what was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tg/types.h>
#include <uapi/timegraph.h>
#include "version.h"

#ifndef TGCTL
#define TGCTL	"build/bin/tgctl"
#endif

#define NOT_LOADED	"tgctl: timegraph is not loaded: modprobe timegraph\n"
#define KNOWN_VERBS	"known: load, check, save, init, admit, policy, clients, top, totals, why, record, plot, metrics, prio, stats, knob, run, version, help\n"
#define SNAPSHOT	"tgctl: sys/snapshot "
#define OLD_STAYS	"; the old specification stays in force\n"
#define DIFFER		"the module and this tgctl (" TIMEGRAPH_VERSION ") differ in version\n"
#define BEYOND		": their clients cannot all have C of every T\n"
#define BAD_SPEC	"# ok\ngame:prt:xx:1:2:3\n"
#define BAD_PLACE	":2:10: unknown resv; resv: pe, ae, cbs or bg\n"
#define GOOD_SPEC	"# two\ngame:prt:pe:90:8000:16000\n\nbomb:ht:pe:1:2500:25000:reserve=b\n"

/* A snapshot: clients, and what about the head is not as it should be (0: nothing). */
struct snap {
	const struct tg_snap_client *clients;
	u32 nr;
	u32 magic, version, client_size;
	u32 claimed;	/* clients more than there are */
	u32 bytes;	/* cut after so many */
};

struct row {
	const char *name;
	const char *args[6];
	bool unloaded;			/* there is no sys/ */
	const char *file, *content;	/* written before, beside what every row has */
	const char *link, *target;	/* put in a file's place */
	const struct snap *snap;
	const char *in;
	int status;
	const char *out, *err;
	const char *after, *expect;	/* a file, and what it holds in the end */
};

static const struct tg_snap_client game = {
	.id = 3, .pid = 1234, .uid = 1000, .gpu = 0, .comm = "openarena", .sched = 0, .resv = 0,
	.prio = 90, .state = TG_STATE_RUNNING, .line = 2, .inflight = 1, .waiting = 2,
	.capacity = 8000000, .period = 16000000, .budget = -1500999, .gpu_time = 123456789012345,
	.wait_time = 999, .submitted = 18446744073709551615u, .completed = 41, .failed = 5,
	.lost = 6, .overlaps = 7,
	.wait_reserve = 1999, .wait_policy = 2000, .would_reserve = 3000, .would_policy = 4001,
	.modelled = 8, .predict_hits = 8, .predict_misses = 9, .predict_unreadable = 2,
	.predict_error = 123, .vgpu_name = "guest",
	.vram = 1ull << 33, .vram_peak = 10, .vram_set_aside = 11,
	.vram_waiting = 12, .vram_waited = 13, .vram_refused = 14, .vram_wait_time = 15999,
	.held_time = 16999,
	/* 98 that did not wait, and two from 96 to 112 units; the latencies are from 1 to 2 units */
	.waits = { [0] = 98, [22] = 2 }, .latencies = { [1] = 1 },
};

#define NO_HISTS \
	"\"waits_us\":{\"groups\":0,\"p50\":0,\"p99\":0,\"buckets\":[]}," \
	"\"latencies_us\":{\"groups\":0,\"p50\":0,\"p99\":0,\"buckets\":[]},"

#define GAME_JSON \
	"{\"id\":3,\"pid\":1234,\"comm\":\"openarena\",\"uid\":1000,\"gpu\":0," \
	"\"sched\":\"prt\",\"resv\":\"pe\",\"prio\":90,\"capacity_us\":8000," \
	"\"period_us\":16000,\"budget_us\":-1500,\"gpu_time_us\":123456789012," \
	"\"wait_us\":0,\"submitted\":18446744073709551615,\"completed\":41," \
	"\"state\":\"running\",\"reserve\":\"\",\"vgpu\":\"guest\"," \
	"\"waits_us\":{\"groups\":100,\"p50\":0,\"p99\":106,\"buckets\":[[0.000,98],[98.304,2]]}," \
	"\"latencies_us\":{\"groups\":1,\"p50\":2,\"p99\":2,\"buckets\":[[1.024,1]]}," \
	"\"line\":2,\"inflight\":1," \
	"\"waiting\":2,\"failed\":5,\"lost\":6,\"overlaps\":7," \
	"\"wait_reserve_us\":1,\"wait_policy_us\":2,\"would_reserve_us\":3," \
	"\"would_policy_us\":4,\"modelled\":8," \
	"\"predict_hits\":8,\"predict_misses\":9,\"predict_unreadable\":2,\"predict_error\":123," \
	"\"vram_waiting\":12,\"vram\":8589934592,\"vram_peak\":10,\"vram_set_aside\":11," \
	"\"vram_waited\":13,\"vram_refused\":14,\"vram_wait_us\":15,\"held_us\":16}"

#define ZERO_JSON(id, comm, words, reserve) \
	"{\"id\":" id ",\"pid\":0,\"comm\":\"" comm "\",\"uid\":0,\"gpu\":0," words \
	",\"reserve\":\"" reserve "\",\"vgpu\":\"\"," NO_HISTS \
	"\"line\":0,\"inflight\":0,\"waiting\":0," \
	"\"failed\":0,\"lost\":0,\"overlaps\":0,\"wait_reserve_us\":0,\"wait_policy_us\":0," \
	"\"would_reserve_us\":0,\"would_policy_us\":0,\"modelled\":0," \
	"\"predict_hits\":0,\"predict_misses\":0,\"predict_unreadable\":0,\"predict_error\":0," \
	"\"vram_waiting\":0,\"vram\":0,\"vram_peak\":0,\"vram_set_aside\":0," \
	"\"vram_waited\":0,\"vram_refused\":0,\"vram_wait_us\":0,\"held_us\":0}"

#define ZERO_WORDS(sched, resv, prio, state) \
	"\"sched\":\"" sched "\",\"resv\":\"" resv "\",\"prio\":" prio \
	",\"capacity_us\":0,\"period_us\":0,\"budget_us\":0,\"gpu_time_us\":0," \
	"\"wait_us\":0,\"submitted\":0,\"completed\":0,\"state\":\"" state "\""

#define FFFD_11 \
	"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd" \
	"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
#define TABLE_HEAD \
	"ID  PID  COMM  UID  GPU  SCHED  RESV  PRIO  CAPACITY_US  PERIOD_US  BUDGET_US  " \
	"GPU_TIME_US  WAIT_US  SUBMITTED  COMPLETED  STATE  RESERVE  VGPU  " \
	"WAITS_US  LATENCIES_US\n"
#define TABLE_GAME_HEAD \
	"ID   PID  COMM        UID  GPU  SCHED  RESV  PRIO  CAPACITY_US  PERIOD_US  " \
	"BUDGET_US   GPU_TIME_US  WAIT_US             SUBMITTED  COMPLETED  STATE    " \
	"RESERVE  VGPU   WAITS_US  LATENCIES_US\n"
#define TABLE_GAME \
	" 3  1234  openarena  1000    0  prt    pe      90         8000      16000      " \
	"-1500  123456789012        0  18446744073709551615         41  running  -        guest     " \
	"0/106           2/2\n"
#define TABLE_ODD_HEAD \
	"ID  PID  COMM                UID  GPU  SCHED  RESV  PRIO  CAPACITY_US  " \
	"PERIOD_US  BUDGET_US  GPU_TIME_US  WAIT_US  SUBMITTED  COMPLETED  STATE      " \
	"RESERVE     VGPU  WAITS_US  LATENCIES_US\n"
#define TABLE_ODD_1 \
	" 1    0  a\"b\\\\c\\x0a\\x1b\\x7f    0    0  ht     ae     255            0          " \
	"0          0            0        0          0          0  throttled  -           -            " \
	"-             -\n"
#define TABLE_ODD_2 \
	" 2    0  \xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xae\\xc2\\x9b          0    0  prt    " \
	"bg       0            0          0          0            0        0          0          " \
	"0  waiting    background  -            -             -\n"

static const struct tg_snap_client odd[] = {
	{ .id = 1, .comm = "a\"b\\c\n\x1b\x7f", .sched = 1, .resv = 1, .prio = 255,
	  .state = TG_STATE_THROTTLED },
	/* a good 2-, 3- and 4-byte character; a C1 control character */
	{ .id = 2, .comm = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xae\xc2\x9b", .resv = 2,
	  .state = TG_STATE_WAITING, .reserve_name = "background" },
	/* alone, overlong, surrogate, too large, cut by the end of the name, which has no NUL */
	{ .id = 3, .comm = { '\x80', '\xc0', '\xaf', '\xed', '\xa0', '\x80', '\xf4', '\x90',
			     '\x80', '\x80', '\xff', 'x', 'y', 'z', '\xe2', '\x82' },
	  .sched = 2, .resv = 4, .state = TG_STATE_LEFT + 1,
	  .reserve_name = "0123456789012345678901234567890\xc3" },
};

/* Reserves: 100 ms, 25 ms, none of its own, 25 ms (a shared one), unlimited. */
static const struct tg_snap_client rates[] = {
	{ .id = 1, .comm = "slow", .capacity = 5000000, .period = 100000000 },
	{ .id = 2, .comm = "fast", .resv = 1, .capacity = 15000000, .period = 25000000 },
	{ .id = 3, .comm = "other", .resv = 2, .capacity = 10000, .period = 20000,
	  .reserve_name = "background" },
	{ .id = 4, .comm = "fast", .capacity = 1000000, .period = 25000000, .reserve_name = "r" },
	{ .id = 5, .comm = "free", .capacity = 16000, .period = 16000 },
};

static const struct snap many = { rates, 5, 0, 0, 0, 0, 0 };
static const struct snap unlimited = { &rates[4], 1, 0, 0, 0, 0, 0 };
static const struct snap one = { &game, 1, 0, 0, 0, 0, 0 };
static const struct snap three = { odd, 3, 0, 0, 0, 0, 0 };
static const struct snap larger = { odd, 2, 0, 0, 1176, 0, 0 };
static const struct snap smaller = { &game, 1, 0, 0, 224, 0, 0 };
static const struct snap no_size = { NULL, 0, 0, 0, 1, 0, 0 };
static const struct snap wrong_magic = { &game, 1, 0x6e6f6e73, 0, 0, 0, 0 };
static const struct snap wrong_version = { &game, 1, 0, 2, 0, 0, 0 };
static const struct snap short_head = { &game, 1, 0, 0, 0, 0, 39 };
static const struct snap short_client = { &game, 1, 0, 0, 0, 0, 287 };
static const struct snap missing_client = { &game, 1, 0, 0, 0, 4294967294u, 0 };

/* Beside the snapshot of no client; what a row gives comes later and wins. */
static const struct {
	const char *file, *content;
} module_files[] = {
	{ "sys/version", "0.1\n" },
	{ "sys/policy", "timegraph\n" },
	{ "sys/policies", "none\nfifo\ntimegraph\n" },
	{ "sys/spec", "" },
	{ "sys/spec_commit", "" },
	{ "sys/spec_result", "ok 4\n" },
	{ "sys/stats/submitted", "12\n" },
	{ "sys/stats/completed", "7\n" },
	{ "sys/stats/gpu0/graphics_busy_us", "123456\n" },
	{ "sys/stats/gpu0/chip", "0x92 \"g92\"\n" },
	{ "sys/clients/1/prio", "0\n" },
	{ "sys/clients/2/prio", "0\n" },
	{ "sys/clients/3/prio", "0\n" },
	{ "sys/clients/4/prio", "0\n" },
	{ "sys/clients/5/prio", "0\n" },
	{ "sys/knobs/starved_us", "1000000\n" },
	{ "sys/knobs/starved_us_min", "1000\n" },
	{ "sys/knobs/starved_us_max", "60000000\n" },
	{ "sys/knobs/starved_us_default", "1000000\n" },
	{ "sys/knobs/bias", "-5\n" },
	{ "sys/knobs/bias_min", "-10\n" },
	{ "sys/knobs/bias_max", "10\n" },
	{ "sys/knobs/bias_default", "0\n" },
};

static const struct row rows[] = {
	/* the command line */
	{ .name = "no verb", .status = 2, .err = "tgctl: no verb; see tgctl --help\n" },
	{ .name = "unknown verb", .args = { "laod" }, .status = 2,
	  .err = "tgctl: unknown verb 'laod'; " KNOWN_VERBS },
	{ .name = "verb cut short", .args = { "client" }, .status = 2,
	  .err = "tgctl: unknown verb 'client'; " KNOWN_VERBS },
	{ .name = "option before the verb", .args = { "--json", "clients" }, .status = 2,
	  .err = "tgctl: unknown option '--json'; the verb comes first, see tgctl --help\n" },
	{ .name = "an unknown host", .args = { "--host", "gpu", "stats" }, .status = 2,
	  .err = "tgctl: --host: 'gpu' is no host; user or kernel\n" },
	{ .name = "no host", .args = { "--host" }, .status = 2,
	  .err = "tgctl: --host: '' is no host; user or kernel\n" },
	{ .name = "the kernel's host", .args = { "--host", "kernel", "policy" }, .unloaded = true,
	  .status = 1, .err = NOT_LOADED },
	{ .name = "the user's host, and no tgd", .args = { "--host=user", "policy" }, .status = 1,
	  .err = "tgctl: no tgd runs: it comes with the first program (tgctl run --host user)\n" },
	{ .name = "run without a program", .args = { "run", "--host", "user" }, .status = 2,
	  .err = "tgctl: run: no COMMAND; usage: tgctl run [--host WHERE] -- COMMAND...\n" },
	{ .name = "run of nothing", .args = { "run", "--", "/nonexistent", "--x" }, .status = 1,
	  .err = "tgctl: run: cannot execute /nonexistent: No such file or directory\n" },
	{ .name = "run", .args = { "run", "--host", "kernel", "--", "echo", "--host" },
	  .out = "--host\n" },
	{ .name = "something behind --help", .args = { "--help", "load" }, .status = 2,
	  .err = "tgctl: --help stands alone; `tgctl help VERB` tells of one verb\n" },
	{ .name = "help of an unknown verb", .args = { "help", "x" }, .status = 2,
	  .err = "tgctl: unknown verb 'x'; " KNOWN_VERBS },
	{ .name = "help of a verb", .args = { "help", "version" }, .unloaded = true,
	  .out = "usage: tgctl version\nPrint the versions of tgctl and of the module.\n" },
	{ .name = "-h behind a verb", .args = { "version", "-h" }, .unloaded = true,
	  .out = "usage: tgctl version\nPrint the versions of tgctl and of the module.\n" },
	{ .name = "--version", .args = { "--version" }, .unloaded = true,
	  .out = "tgctl " TIMEGRAPH_VERSION "\n" },
	{ .name = "-V behind a verb", .args = { "top", "-V" }, .unloaded = true,
	  .out = "tgctl " TIMEGRAPH_VERSION "\n" },
	{ .name = "--help behind a verb", .args = { "version", "--help" }, .unloaded = true,
	  .out = "usage: tgctl version\nPrint the versions of tgctl and of the module.\n" },
	{ .name = "unknown option", .args = { "clients", "--jso" }, .status = 2,
	  .err = "tgctl: clients: unknown option '--jso'; usage: tgctl clients [--json]\n" },
	{ .name = "another verb's option", .args = { "load", "f", "--json" }, .status = 2,
	  .err = "tgctl: load: unknown option '--json'; usage: tgctl load FILE [--new-only]\n" },
	{ .name = "option to a verb without", .args = { "version", "-v" }, .status = 2,
	  .err = "tgctl: version: unknown option '-v'; usage: tgctl version\n" },
	{ .name = "repeated option", .args = { "stats", "--json", "--json" }, .status = 2,
	  .err = "tgctl: stats: repeated option '--json'; usage: tgctl stats [--json]\n" },
	{ .name = "too many names", .args = { "policy", "fifo", "none" }, .status = 2,
	  .err = "tgctl: policy: one argument too many: 'none'; usage: tgctl policy [POLICY]\n" },
	{ .name = "names to a verb without", .args = { "clients", "3" }, .status = 2,
	  .err = "tgctl: clients: one argument too many: '3'; usage: tgctl clients [--json]\n" },
	{ .name = "load without a file", .args = { "load", "--new-only" }, .status = 2,
	  .err = "tgctl: load: no FILE; usage: tgctl load FILE [--new-only]\n" },
	{ .name = "check without a file", .args = { "check" }, .status = 2,
	  .err = "tgctl: check: no FILE; usage: tgctl check FILE...\n" },
	{ .name = "empty name", .args = { "policy", "" }, .status = 2,
	  .err = "tgctl: policy: empty argument; usage: tgctl policy [POLICY]\n" },

	/* no module */
	{ .name = "load, not loaded", .args = { "load", "-" }, .in = GOOD_SPEC, .unloaded = true,
	  .status = 1, .err = NOT_LOADED },
	{ .name = "policy, not loaded", .args = { "policy" }, .unloaded = true, .status = 1,
	  .err = NOT_LOADED },
	{ .name = "policy NAME, not loaded", .args = { "policy", "fifo" }, .unloaded = true,
	  .status = 1, .err = NOT_LOADED },
	{ .name = "clients, not loaded", .args = { "clients", "--json" }, .unloaded = true,
	  .status = 1, .err = NOT_LOADED },
	{ .name = "stats, not loaded", .args = { "stats" }, .unloaded = true, .status = 1,
	  .err = NOT_LOADED },
	{ .name = "knob, not loaded", .args = { "knob", "x", "1" }, .unloaded = true,
	  .status = 1, .err = NOT_LOADED },
	{ .name = "version, not loaded", .args = { "version" }, .unloaded = true,
	  .out = "tgctl " TIMEGRAPH_VERSION "\ntimegraph not loaded\n" },
	{ .name = "check needs no module", .args = { "check", "f" }, .unloaded = true,
	  .file = "f", .content = GOOD_SPEC, .out = "f: ok, 2 entries\n" },

	/* prio */
#define RATES	"ID  COMM  PERIOD_US  PRIO\n"	\
		" 2  fast      25000    99\n"	\
		" 4  fast      25000    99\n"	\
		" 1  slow     100000    98\n"
	{ .name = "prio by number", .args = { "prio", "4", "7" }, .snap = &many,
	  .after = "sys/clients/4/prio", .expect = "7\n" },
	{ .name = "prio of that number alone", .args = { "prio", "4", "7" }, .snap = &many,
	  .after = "sys/clients/2/prio", .expect = "0\n" },
	{ .name = "prio by name", .args = { "prio", "slow", "99" }, .snap = &many,
	  .after = "sys/clients/1/prio", .expect = "99\n" },
	{ .name = "prio by name, the first of it", .args = { "prio", "fast", "0040" },
	  .snap = &many, .after = "sys/clients/2/prio", .expect = "40\n" },
	{ .name = "prio by name, the second of it", .args = { "prio", "fast", "40" },
	  .snap = &many, .after = "sys/clients/4/prio", .expect = "40\n" },
	{ .name = "prio of no such number", .args = { "prio", "9", "7" }, .snap = &many,
	  .status = 1, .err = "tgctl: no client of number '9'; see tgctl clients\n" },
	{ .name = "prio of no such name", .args = { "prio", "fas", "7" }, .snap = &many,
	  .status = 1, .err = "tgctl: no client named 'fas'; see tgctl clients\n" },
	{ .name = "prio too high", .args = { "prio", "4", "100" }, .snap = &many, .status = 2,
	  .err = "tgctl: prio: '100' is no priority; 0 (lowest) to 99\n",
	  .after = "sys/clients/4/prio", .expect = "0\n" },
	{ .name = "prio too low", .args = { "prio", "4", "--", "-1" }, .status = 2,
	  .err = "tgctl: prio: '-1' is no priority; 0 (lowest) to 99\n" },
	{ .name = "prio of nobody", .args = { "prio" }, .status = 2, .err = "tgctl: prio: CLIENT "
	  "and PRIO wanted, or --rate-monotonic alone\n" },
	{ .name = "prio without a priority", .args = { "prio", "4" }, .status = 2,
	  .err = "tgctl: prio: CLIENT and PRIO wanted, or --rate-monotonic alone\n" },
	{ .name = "prio of somebody by rate", .args = { "prio", "4", "--rate-monotonic" },
	  .status = 2,
	  .err = "tgctl: prio: CLIENT and PRIO wanted, or --rate-monotonic alone\n" },
	{ .name = "prio of a client that goes", .args = { "prio", "3", "5" }, .snap = &one,
	  .link = "sys/clients/3/prio", .target = "gone", .status = 1,
	  .err = "tgctl: client 3 has gone\n" },
	{ .name = "prio, rate-monotonic", .args = { "prio", "--rate-monotonic" }, .snap = &many,
	  .out = RATES, .after = "sys/clients/2/prio", .expect = "99\n" },
	{ .name = "prio, equal periods", .args = { "prio", "--rate-monotonic" }, .snap = &many,
	  .out = RATES, .after = "sys/clients/4/prio", .expect = "99\n" },
	{ .name = "prio, longer period", .args = { "prio", "--rate-monotonic" }, .snap = &many,
	  .out = RATES, .after = "sys/clients/1/prio", .expect = "98\n" },
	{ .name = "prio, Background keeps its own", .args = { "prio", "--rate-monotonic" },
	  .snap = &many, .out = RATES, .after = "sys/clients/3/prio", .expect = "0\n" },
	{ .name = "prio, unlimited keeps its own", .args = { "prio", "--rate-monotonic" },
	  .snap = &many, .out = RATES, .after = "sys/clients/5/prio", .expect = "0\n" },
	{ .name = "prio, no reserve at all", .args = { "prio", "--rate-monotonic" },
	  .snap = &unlimited, .status = 1,
	  .err = "tgctl: prio: no client has a reserve smaller than its period\n" },
	{ .name = "prio, not loaded", .args = { "prio", "1", "1" }, .unloaded = true, .status = 1,
	  .err = NOT_LOADED },

	/* check */
	{ .name = "check standard input", .args = { "check", "-" }, .in = GOOD_SPEC,
	  .out = "-: ok, 2 entries\n" },
	{ .name = "check guarantees", .args = { "check", "-" },
	  .in = "a:prt:cbs:1:12500:25000\nb:prt:pe:1:1:2\n"
		"c:ht:cbs:9:2000:10000:reserve=r\nd:ht:cbs:1:2000:10000:reserve=r\n",
	  .out = "-: ok, 4 entries\n-: guaranteed: 12500/25000 us (line 1) "
	  "+ 2000/10000 us (line 3) "
		 "= 70.00 %; whole while no group is longer than 3000 us (max_group_us)\n",
	  .err = "-: warning: all reserves together are 120.00 % of the GPU" BEYOND },
	{ .name = "check too many guarantees", .args = { "check", "-" },
	  .in = "a:prt:cbs:1:12500:25000\nc:ht:cbs:9:20000:25000\n",
	  .out = "-: ok, 2 entries\n-: guaranteed: 12500/25000 us (line 1) "
	  "+ 20000/25000 us (line 2) "
		 "= 130.00 %, more than 100 %: not all of them are admitted at once\n",
	  .err = "-: warning: all reserves together are 130.00 % of the GPU" BEYOND },
	{ .name = "check guarantees of the whole GPU", .args = { "check", "-" },
	  .in = "a:prt:cbs:1:12500:25000\nc:ht:cbs:9:5000:10000\n",
	  .out = "-: ok, 2 entries\n-: guaranteed: 12500/25000 us (line 1) "
	  "+ 5000/10000 us (line 2) = 100.00 %, which leaves no time for a group: "
		 "not all of them are admitted at once\n" },
	{ .name = "check an empty text", .args = { "check", "-" }, .out = "-: ok, 0 entries\n" },
	{ .name = "check a bad text", .args = { "check", "-" }, .in = BAD_SPEC,
	  .status = 1, .err = "-" BAD_PLACE },
	{ .name = "check goes on behind a bad text", .args = { "check", "f", "-", "no", "f" },
	  .file = "f", .content = "a:prt:bg:0:0:0", .in = BAD_SPEC, .status = 1,
	  .out = "f: ok, 1 entry\nf: ok, 1 entry\n",
	  .err = "-" BAD_PLACE "tgctl: cannot read no: No such file or directory\n" },
	{ .name = "check standard input twice", .args = { "check", "-", "-" }, .in = GOOD_SPEC,
	  .status = 2,
	  .err = "tgctl: check: - is given twice; standard input is read once\n" },
	{ .name = "check a folder", .args = { "check", "sys" }, .status = 1,
	  .err = "tgctl: cannot read sys: Is a directory\n" },
	{ .name = "check an endless text", .args = { "check", "/dev/zero" }, .status = 1,
	  .err = "/dev/zero:1:65537: text too long; at most 65536 bytes\n" },
	{ .name = "check a file called --json", .args = { "check", "--", "--json" },
	  .file = "--json", .content = "", .out = "--json: ok, 0 entries\n" },

	/* load */
	{ .name = "load sends the text", .args = { "load", "f" }, .file = "f",
	  .content = GOOD_SPEC, .out = "f: in force, 2 entries\n", .after = "sys/spec",
	  .expect = GOOD_SPEC },
	{ .name = "load forgets, then commits", .args = { "load", "-" }, .in = GOOD_SPEC,
	  .out = "-: in force, 2 entries\n", .after = "sys/spec_commit", .expect = "0\n1\n" },
	{ .name = "load --new-only does not rematch", .args = { "load", "--new-only", "f" }, .file = "f",
	  .content = "", .out = "f: in force, 0 entries\n", .after = "sys/spec_commit",
	  .expect = "0\nnew-only\n" },
	{ .name = "load into fifo says that it has no effect", .args = { "load", "-" }, .in = GOOD_SPEC,
	  .file = "sys/policy", .content = "fifo\n", .out = "-: in force, 2 entries\n", .err = "tgctl: policy fifo delays nothing: priorities "
	  "and reserves have no effect; tgctl policy timegraph\n" },
	{ .name = "load in a dry run says so", .args = { "load", "-" }, .in = GOOD_SPEC,
	  .file = "sys/knobs/dry_run", .content = "1\n", .out = "-: in force, 2 entries\n",
	  .err = "tgctl: a dry run: nothing is delayed; tgctl knob dry_run 0 ends it\n" },
	{ .name = "load of a bad text sends nothing", .args = { "load", "f" }, .file = "f",
	  .content = BAD_SPEC, .status = 1, .err = "f" BAD_PLACE,
	  .after = "sys/spec_commit", .expect = "" },
	{ .name = "load names the place before the module", .args = { "load", "f" },
	  .unloaded = true, .file = "f", .content = BAD_SPEC, .status = 1,
	  .err = "f" BAD_PLACE },
	{ .name = "load of no file", .args = { "load", "f" }, .status = 1,
	  .err = "tgctl: cannot read f: No such file or directory\n",
	  .after = "sys/spec_commit", .expect = "" },
	{ .name = "load that the module refuses at a place", .args = { "load", "f" },
	  .file = "f", .content = GOOD_SPEC, .link = "sys/spec_result", .target = "../result",
	  .status = 1, .err = "f:2:3: what; want\n" },
	{ .name = "load that the module refuses", .args = { "load", "-" }, .in = GOOD_SPEC,
	  .file = "sys/spec_result", .content = "the policy wants weights\n", .status = 1,
	  .err = "-: the policy wants weights\n" },
	{ .name = "load into a full module", .args = { "load", "-" }, .in = GOOD_SPEC,
	  .link = "sys/spec", .target = "/dev/full", .status = 1,
	  .err = "tgctl: -: cannot write sys/spec: No space left on device" OLD_STAYS },
	{ .name = "load without a commit", .args = { "load", "-" }, .in = GOOD_SPEC,
	  .link = "sys/spec_commit", .target = "/dev/full", .status = 1,
	  .err = "tgctl: -: cannot write sys/spec_commit: No space left on device" OLD_STAYS,
	  .after = "sys/spec", .expect = "" },

	/* policy */
	{ .name = "policy prints", .args = { "policy" }, .out = "timegraph\n" },
	{ .name = "policy sets", .args = { "policy", "fifo" }, .after = "sys/policy",
	  .expect = "fifo\n" },
	{ .name = "unknown policy", .args = { "policy", "fif" }, .status = 1,
	  .err = "tgctl: unknown policy 'fif'; known: none, fifo, timegraph\n",
	  .after = "sys/policy", .expect = "timegraph\n" },
	{ .name = "policy that cannot be set", .args = { "policy", "none" }, .status = 1,
	  .link = "sys/policy", .target = "/dev/full",
	  .err = "tgctl: cannot write sys/policy: No space left on device\n" },
	{ .name = "a module without policies", .args = { "policy", "none" }, .status = 1,
	  .link = "sys/policies", .target = "nowhere",
	  .err = "tgctl: sys/policies is missing: " DIFFER },

	/* admit */
	{ .name = "admit", .args = { "admit", "-" }, .in = "# at most\n\t80 # percent\r\n\n",
	  .file = "sys/knobs/admission_percent", .content = "100000000\n",
	  .out = "-: reserves may add up to 80 % of the GPU\n",
	  .after = "sys/knobs/admission_percent", .expect = "80\n" },
	{ .name = "admit, a number and no more", .args = { "admit", "-" }, .in = "0",
	  .file = "sys/knobs/admission_percent", .content = "1\n",
	  .out = "-: reserves may add up to 0 % of the GPU\n",
	  .after = "sys/knobs/admission_percent", .expect = "0\n" },
	{ .name = "admit, too much", .args = { "admit", "-" }, .in = "\n101\n", .status = 1,
	  .err = "-:2:4: not a number from 0 to 100; percent of the GPU, such as 80\n" },
	{ .name = "admit, no number", .args = { "admit", "-" }, .in = " 5x\n", .status = 1,
	  .err = "-:1:3: not a number from 0 to 100; percent of the GPU, such as 80\n" },
	{ .name = "admit, two numbers", .args = { "admit", "-" }, .in = "5 6\n", .status = 1,
	  .err = "-:1:3: one thing too many; percent of the GPU, such as 80\n" },
	{ .name = "admit, nothing", .args = { "admit", "-" }, .in = "# 50\n", .status = 1,
	  .err = "-:2:1: the number is missing; percent of the GPU, such as 80\n" },

	/* clients */
	{ .name = "no clients", .args = { "clients", "--json" }, .out = "[]\n" },
	{ .name = "no clients, table", .args = { "clients" },
	  .out = TABLE_HEAD },
	{ .name = "one client", .args = { "clients", "--json" }, .snap = &one,
	  .out = "[\n" GAME_JSON "\n]\n" },
	{ .name = "one client, table", .args = { "clients" }, .snap = &one,
	  .out = TABLE_GAME_HEAD
		 TABLE_GAME },
	{ .name = "names of any bytes", .args = { "clients", "--json" }, .snap = &three,
	  .out = "[\n"
		 ZERO_JSON("1", "a\\\"b\\\\c\\u000a\\u001b\\u007f",
			   ZERO_WORDS("ht", "ae", "255", "throttled"), "") ",\n"
		 ZERO_JSON("2", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xae\\u009b",
			   ZERO_WORDS("prt", "bg", "0", "waiting"), "background") ",\n"
		 ZERO_JSON("3", FFFD_11 "xyz\\ufffd\\ufffd",
			   ZERO_WORDS("unknown", "unknown", "0", "unknown"),
			   "0123456789012345678901234567890\\ufffd") "\n]\n" },
	{ .name = "names of any bytes, table", .args = { "clients" }, .snap = &larger,
	  .out = TABLE_ODD_HEAD
		 TABLE_ODD_1
		 TABLE_ODD_2 },
	{ .name = "a larger struct", .args = { "clients", "--json" }, .snap = &larger,
	  .out = "[\n"
		 ZERO_JSON("1", "a\\\"b\\\\c\\u000a\\u001b\\u007f",
			   ZERO_WORDS("ht", "ae", "255", "throttled"), "") ",\n"
		 ZERO_JSON("2", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xae\\u009b",
			   ZERO_WORDS("prt", "bg", "0", "waiting"), "background") "\n]\n" },
	{ .name = "a smaller struct", .args = { "clients" }, .snap = &smaller, .status = 1,
	  .err = SNAPSHOT "has 224 bytes for a client, not 1168 or more\n" },
	{ .name = "a struct of one byte and no client", .args = { "clients" }, .snap = &no_size,
	  .status = 1, .err = SNAPSHOT "has 1 bytes for a client, not 1168 or more\n" },
	{ .name = "wrong magic", .args = { "clients" }, .snap = &wrong_magic, .status = 1,
	  .err = SNAPSHOT "is no snapshot: it starts with 0x6e6f6e73, not 0x31504e53\n" },
	{ .name = "wrong version", .args = { "clients" }, .snap = &wrong_version, .status = 1,
	  .err = SNAPSHOT "has version 2, this tgctl reads 1; take the module's own tgctl\n" },
	{ .name = "empty snapshot", .args = { "clients" }, .file = "sys/snapshot", .content = "",
	  .status = 1, .err = SNAPSHOT "ends after 0 bytes, within its head\n" },
	{ .name = "snapshot cut in its head", .args = { "clients" }, .snap = &short_head,
	  .status = 1, .err = SNAPSHOT "ends after 39 bytes, within its head\n" },
	{ .name = "snapshot cut in a client", .args = { "clients" }, .snap = &short_client,
	  .status = 1,
	  .err = SNAPSHOT "ends after 287 bytes, before the last of its 1 clients\n" },
	{ .name = "more clients than fit into memory", .args = { "clients" },
	  .snap = &missing_client, .status = 1,
	  .err = SNAPSHOT "ends after 1208 bytes, before the last of its 4294967295 clients\n" },
	{ .name = "snapshot is a folder", .args = { "clients" }, .link = "sys/snapshot",
	  .target = "stats", .status = 1,
	  .err = "tgctl: cannot read sys/snapshot: Is a directory\n" },

	/* stats */
	{ .name = "stats, table", .args = { "stats" },
	  .out = "completed                       7\n"
		 "gpu0/chip              0x92 \"g92\"\n"
		 "gpu0/graphics_busy_us      123456\n"
		 "submitted                      12\n" },
	{ .name = "stats", .args = { "stats", "--json" },
	  .out = "{\n\"completed\":7,\n\"gpu0/chip\":\"0x92 \\\"g92\\\"\",\n"
		 "\"gpu0/graphics_busy_us\":123456,\n\"submitted\":12\n}\n" },
	{ .name = "a value that only looks like a number", .args = { "stats", "--json" },
	  .file = "sys/stats/submitted", .content = "007\n",
	  .out = "{\n\"completed\":7,\n\"gpu0/chip\":\"0x92 \\\"g92\\\"\",\n"
		 "\"gpu0/graphics_busy_us\":123456,\n\"submitted\":\"007\"\n}\n" },
	{ .name = "a counter that cannot be read", .args = { "stats" },
	  .link = "sys/stats/submitted", .target = "nowhere", .status = 1,
	  .err = "tgctl: sys/stats/submitted is missing: " DIFFER },

	/* knob */
	{ .name = "knobs", .args = { "knob" },
	  .out = "NAME          VALUE   MIN       MAX  DEFAULT\n"
		 "bias             -5   -10        10        0\n"
		 "starved_us  1000000  1000  60000000  1000000\n" },
	{ .name = "knob prints", .args = { "knob", "starved_us" }, .out = "1000000\n" },
	{ .name = "knob sets", .args = { "knob", "starved_us", "0002000" },
	  .after = "sys/knobs/starved_us", .expect = "2000\n" },
	{ .name = "knob sets below zero", .args = { "knob", "--", "bias", "-10" },
	  .after = "sys/knobs/bias", .expect = "-10\n" },
	{ .name = "unknown knob", .args = { "knob", "starved" }, .status = 1,
	  .err = "tgctl: unknown knob 'starved'; known: bias, starved_us\n" },
	{ .name = "a file beside a knob is none", .args = { "knob", "bias_max", "5" }, .status = 1,
	  .err = "tgctl: unknown knob 'bias_max'; known: bias, starved_us\n",
	  .after = "sys/knobs/bias_max", .expect = "10\n" },
	{ .name = "a path is no knob", .args = { "knob", "../policy" }, .status = 1,
	  .err = "tgctl: unknown knob '../policy'; known: bias, starved_us\n" },
	{ .name = "knob above its range", .args = { "knob", "bias", "11" }, .status = 1,
	  .err = "tgctl: bias: 11 is out of range; -10 to 10\n",
	  .after = "sys/knobs/bias", .expect = "-5\n" },
	{ .name = "knob below its range", .args = { "knob", "starved_us", "999" }, .status = 1,
	  .err = "tgctl: starved_us: 999 is out of range; 1000 to 60000000\n" },
	{ .name = "knob with a unit", .args = { "knob", "starved_us", "10ns" }, .status = 2,
	  .err = "tgctl: knob: '10ns' is no time; 2500, 2500us and 2.5ms are the same\n" },
	{ .name = "knob sets a time", .args = { "knob", "starved_us", "2.5ms" },
	  .after = "sys/knobs/starved_us", .expect = "2500\n" },
	{ .name = "knob without a time takes none", .args = { "knob", "bias", "1us" }, .status = 2,
	  .err = "tgctl: knob: '1us' is no value; a whole number is one\n" },
	{ .name = "knob with a plus", .args = { "knob", "bias", "+1" }, .status = 2,
	  .err = "tgctl: knob: '+1' is no value; a whole number is one\n" },
	{ .name = "knob beyond 64 bits", .args = { "knob", "bias", "9223372036854775808" },
	  .status = 2,
	  .err = "tgctl: knob: '9223372036854775808' is no value; a whole number is one\n" },
	{ .name = "knob whose bound is no number", .args = { "knob", "bias", "1" }, .status = 1,
	  .file = "sys/knobs/bias_max", .content = "ten\n",
	  .err = "tgctl: sys/knobs/bias_max holds 'ten', which is no number\n" },

	/* version */
	{ .name = "version", .args = { "version" }, .file = "sys/version", .content = "9.9\n",
	  .out = "tgctl " TIMEGRAPH_VERSION "\ntimegraph 9.9\n" },
};

static unsigned int passed, failed;
static const char *program;

static void die(const char *what)
{
	fprintf(stderr, "tgctl_cli: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_bytes(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
		die(path);
}

static void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

/* A file's bytes with a NUL behind; the caller frees them. */
static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 17);

	if (!f || !text)
		die(path);
	if (fread(text, 1, (1 << 17) - 1, f) == 0 && ferror(f))
		die(path);
	fclose(f);
	return text;
}

static void write_snapshot(const struct snap *s)
{
	size_t size = s->client_size ? s->client_size : sizeof(struct tg_snap_client);
	struct tg_snap_head head = {
		.magic = s->magic ? s->magic : TG_SNAP_MAGIC,
		.version = s->version ? s->version : TG_SNAP_VERSION,
		.client_size = size, .nr_clients = s->nr + s->claimed, .gpus = 1, .now = 1,
		.policy = "timegraph",
	};
	size_t len = sizeof(head) + s->nr * size;
	char *bytes = malloc(len);
	u32 i;

	memset(bytes, 0xee, len);
	memcpy(bytes, &head, sizeof(head));
	for (i = 0; i < s->nr; i++)
		memcpy(bytes + sizeof(head) + i * size, &s->clients[i],
		       min(size, sizeof(s->clients[i])));
	write_bytes("sys/snapshot", bytes, s->bytes ? s->bytes : len);
	free(bytes);
}

static void prepare(const struct row *row)
{
	static const struct snap none;
	size_t i;

	write_text("in", row->in ? row->in : "");
	write_text("result", "2:3: what; want\n");
	if (!row->unloaded) {
		static const char *const folders[] = {
			"sys", "sys/stats", "sys/stats/gpu0", "sys/knobs", "sys/clients",
			"sys/clients/1", "sys/clients/2", "sys/clients/3", "sys/clients/4",
			"sys/clients/5",
		};
		size_t f;

		for (f = 0; f < ARRAY_SIZE(folders) && !mkdir(folders[f], 0755); f++)
			;
		if (f < ARRAY_SIZE(folders))
			die("sys");
		for (i = 0; i < ARRAY_SIZE(module_files); i++)
			write_text(module_files[i].file, module_files[i].content);
		write_snapshot(row->snap ? row->snap : &none);
	}
	if (row->file)
		write_text(row->file, row->content);
	if (row->link && (unlink(row->link) || symlink(row->target, row->link)))
		die(row->link);
}

static int run(const struct row *row)
{
	char *argv[ARRAY_SIZE(row->args) + 2] = { (char *)"tgctl" };
	pid_t pid;
	int status;

	memcpy(argv + 1, row->args, sizeof(row->args));
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (!freopen("in", "r", stdin) || !freopen("out", "w", stdout) ||
		    !freopen("err", "w", stderr))
			_exit(126);
		execv(program, argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* One line per difference is enough: the first. */
static bool differs(const char *path, const char *want)
{
	char *got = read_text(path);
	bool differ = strcmp(got, want ? want : "");
	char *end = got + strlen(got);

	if (differ) {
		while (end > got && end[-1] == '\n')
			*--end = '\0';
		printf(" %s has \"%s\"", path, got);
	}
	free(got);
	return differ;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void test(const struct row *row)
{
	char dir[] = "/tmp/tgctl_cli.XXXXXX";
	bool bad = false;
	char *said;
	size_t size;
	FILE *console = stdout;
	int status;

	if (!mkdtemp(dir) || chdir(dir))
		die(dir);
	prepare(row);
	fflush(stdout);
	status = run(row);
	stdout = open_memstream(&said, &size);
	if (!stdout)
		die("memory");
	if (status != row->status) {
		printf(" exit status %d", status);
		bad = true;
	}
	bad |= differs("out", row->out);
	bad |= differs("err", row->err);
	if (row->after)
		bad |= differs(row->after, row->expect);
	fclose(stdout);
	stdout = console;
	if (bad)
		printf("not ok %s:%s\n", row->name, said);
	else
		printf("ok %s\n", row->name);
	passed += !bad;
	failed += bad;
	free(said);
	if (chdir("/") || nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		die(dir);
}

int main(void)
{
	size_t i;

	program = getenv("TGCTL") ? getenv("TGCTL") : TGCTL;
	program = realpath(program, NULL);
	if (!program)
		die(TGCTL);
	if (setenv("TG_SYSFS", "sys", 1))
		die("TG_SYSFS");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		test(&rows[i]);
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
