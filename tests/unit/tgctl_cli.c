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
#define KNOWN_VERBS	"known: load, check, save, init, admit, policy, clients, top, totals, shm, why, record, plot, metrics, prio, stats, knob, run, version, help\n"
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
	u32 bytes;	/* so long, with zeros behind what there is; 0: as it is */
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
static const struct snap short_part = { &game, 1, 0, 0, 0, 0, 1217 };
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

#include "tgctl_rows.h"

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
	char *bytes = calloc(1, len > s->bytes ? len : s->bytes);
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
	/* Memory that nobody has written is not zero by luck. */
	if (setenv("MALLOC_PERTURB_", "85", 1))
		die("MALLOC_PERTURB_");
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		test(&rows[i]);
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
