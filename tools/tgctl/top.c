// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl top: what the clients do now, as the difference of two snapshots: a table once, JSON, or a
 * screen that is drawn anew until q. One function computes the rows that all three show.
 */
#include "top.h"

#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "lib/json.h"
#include "snapshot.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"

/*
 * A client now, and what it did since the last reading. Latency is waiting plus running; the time
 * for which a freed group queues on the GPU behind other groups is in neither.
 */
struct row {
	struct tg_snap_client c;
	double share;		/* of one GPU's time, % */
	double rate;		/* groups completed, 1/s */
	double latency, run;	/* of a group, ms; run: on the GPU */
	double reserve, policy;	/* waits of a group, ms */
	double would;		/* dry run: wait of a group that was modelled, ms */
};

enum key { BY_SHARE, BY_RATE, BY_LATENCY, BY_WAIT, BY_GPU_TIME, BY_PRIO, BY_PID, BY_COMM, KEYS };

static const char *const key_names[KEYS] = {
	"share", "rate", "latency", "wait", "gpu_time", "prio", "pid", "comm",
};

static struct {
	enum key sort;
	bool reverse;
	char filter[32];
	s64 every;		/* ns */
} view = { .every = TG_SEC };

static bool dry;		/* is a dry run on? */

/* ---- computing -------------------------------------------------------------------------- */

static const struct tg_snap_client *before(const struct snapshot *old, u32 id)
{
	const struct tg_snap_client *c;
	u32 i;

	for (i = 0; old->data && i < old->head.nr_clients; i++) {
		c = snapshot_client(old, i);
		if (c->id == id)
			return c;
	}
	return NULL;
}

static double per(u64 sum, u64 n)
{
	return n ? (double)sum / n / TG_MSEC : 0;
}

static void compute(struct row *row, const struct snapshot *old, const struct snapshot *now, u32 i)
{
	static const struct tg_snap_client none;
	const struct tg_snap_client *b;
	s64 span = now->head.now - old->head.now;
	u64 done, wait;

	row->c = *snapshot_client(now, i);
	b = before(old, row->c.id);
	if (!b)
		b = &none;
	done = row->c.completed - b->completed;
	wait = row->c.wait_time - b->wait_time;
	row->share = span > 0 ? 1e2 * (row->c.gpu_time - b->gpu_time) / span : 0;
	row->rate = span > 0 ? (double)done * TG_SEC / span : 0;
	row->run = per(row->c.gpu_time - b->gpu_time, done);
	row->latency = row->run + per(wait, done);
	row->reserve = per(row->c.wait_reserve - b->wait_reserve, done);
	row->policy = per(row->c.wait_policy - b->wait_policy, done);
	row->would = per(row->c.would_reserve + row->c.would_policy - b->would_reserve -
			 b->would_policy, row->c.modelled - b->modelled);
}

static bool is_wanted(const struct row *row)
{
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", row->c.uid);
	return !*view.filter || strstr(row->c.comm, view.filter) || !strcmp(uid, view.filter) ||
	       strstr(row->c.reserve_name, view.filter) || strstr(row->c.vgpu_name, view.filter);
}

static double sort_value(const struct row *row)
{
	switch (view.sort) {
	case BY_SHARE:
		return row->share;
	case BY_RATE:
		return row->rate;
	case BY_LATENCY:
		return row->latency;
	case BY_WAIT:
		return row->reserve + row->policy + row->would;
	case BY_GPU_TIME:
		return row->c.gpu_time;
	case BY_PRIO:
		return row->c.prio;
	default:
		return -(double)row->c.pid;
	}
}

/* The largest first; names and processes the other way round. Equals by their numbers. */
static int compare(const void *a, const void *b)
{
	const struct row *ra = a, *rb = b;
	double va = sort_value(ra), vb = sort_value(rb);
	int order = view.sort == BY_COMM ? strncmp(ra->c.comm, rb->c.comm, TG_COMM_LEN) :
		    (va < vb) - (va > vb);

	order = view.reverse ? -order : order;
	return order ? order : (ra->c.id > rb->c.id) - (ra->c.id < rb->c.id);
}

static struct row *make_rows(const struct snapshot *old, const struct snapshot *now, size_t *nr)
{
	struct row *rows = tgctl_alloc(NULL, (now->head.nr_clients + 1) * sizeof(*rows));
	u32 i;

	*nr = 0;
	for (i = 0; i < now->head.nr_clients; i++) {
		compute(&rows[*nr], old, now, i);
		rows[*nr].c.comm[TG_COMM_LEN - 1] = '\0';
		rows[*nr].c.reserve_name[TG_NAME_LEN - 1] = '\0';
		rows[*nr].c.vgpu_name[TG_NAME_LEN - 1] = '\0';
		*nr += is_wanted(&rows[*nr]);
	}
	qsort(rows, *nr, sizeof(*rows), compare);
	return rows;
}

/* ---- table and JSON --------------------------------------------------------------------- */

static void cell(struct table *t, const char *format, double value)
{
	char text[32];
	int n = snprintf(text, sizeof(text), format, value);

	table_add(t, text, n);
}

/* Budget and capacity of a reserve, ms; unlimited ones have neither. */
static void cells_of_reserve(struct table *t, const struct tg_snap_client *c)
{
	if (c->capacity >= c->period) {
		table_add(t, "", 0);
		table_add(t, "", 0);
		return;
	}
	cell(t, "%.1f", c->budget / 1e6);
	cell(t, "%.1f%%", 1e2 * c->capacity / c->period);
}

static char **make_lines(const struct row *rows, size_t n, size_t *nr)
{
	static const char *const heads[] = {
		"ID", "PID", "COMM", "UID", "SCHED", "RESV", "PRIO", "SHARE%", "GROUPS/S", "LATENCY",
		"RESERVE", "POLICY", "WOULD", "BUDGET", "C/T", "MEM", "STATE", "RESERVE OF",
		"VGPU",
	};
	struct table t = { .align = "rrlrllrrrrrrrrrrlll" };
	const char *word;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++)
		table_add(&t, heads[i], strlen(heads[i]));
	for (i = 0; i < n; i++) {
		const struct tg_snap_client *c = &rows[i].c;

		cell(&t, "%.0f", c->id);
		cell(&t, "%.0f", c->pid);
		table_add(&t, c->comm, strlen(c->comm));
		cell(&t, "%.0f", c->uid);
		word = snapshot_word(snapshot_scheds, c->sched);
		table_add(&t, word, strlen(word));
		word = snapshot_word(snapshot_resvs, c->resv);
		table_add(&t, word, strlen(word));
		cell(&t, "%.0f", c->prio);
		cell(&t, "%.1f", rows[i].share);
		cell(&t, "%.1f", rows[i].rate);
		cell(&t, "%.2f", rows[i].latency);
		cell(&t, "%.2f", rows[i].reserve);
		cell(&t, "%.2f", rows[i].policy);
		if (dry)
			cell(&t, "%.2f", rows[i].would);
		else
			table_add(&t, "", 0);
		cells_of_reserve(&t, c);
		cell(&t, "%.1f", c->vram / 1048576.0);
		word = snapshot_word(snapshot_states, c->state);
		table_add(&t, word, strlen(word));
		table_add(&t, c->reserve_name, strlen(c->reserve_name));
		table_add(&t, c->vgpu_name, strlen(c->vgpu_name));
	}
	return table_lines(&t, nr);
}

static void print_row(struct json *j, const struct row *r)
{
	json_line(j);
	json_open(j, NULL, '{');
	json_u64(j, "id", r->c.id);
	json_u64(j, "pid", r->c.pid);
	json_u64(j, "uid", r->c.uid);
	json_u64(j, "gpu", r->c.gpu);
	json_string(j, "comm", r->c.comm);
	json_u64(j, "prio", r->c.prio);
	json_fixed(j, "share_percent", r->share, 3);
	json_fixed(j, "rate_hz", r->rate, 3);
	json_fixed(j, "latency_us", r->latency * 1e3, 3);
	json_fixed(j, "run_us", r->run * 1e3, 3);
	json_open(j, "wait_us", '{');
	json_fixed(j, "reserve", r->reserve * 1e3, 3);
	json_fixed(j, "policy", r->policy * 1e3, 3);
	json_close(j, '}');
	json_fixed(j, "would_wait_us", r->would * 1e3, 3);
	json_fixed(j, "budget_us", r->c.budget / 1e3, 3);
	json_fixed(j, "capacity_us", r->c.capacity / 1e3, 3);
	json_fixed(j, "period_us", r->c.period / 1e3, 3);
	json_u64(j, "vram", r->c.vram);
	json_string(j, "state", snapshot_word(snapshot_states, r->c.state));
	json_string(j, "reserve", r->c.reserve_name);
	json_string(j, "vgpu", r->c.vgpu_name);
	json_close(j, '}');
}

static void print_json(const struct snapshot *now, const struct row *rows, size_t nr)
{
	struct json j = { .to = stdout };
	size_t i;

	json_open(&j, NULL, '{');
	json_s64(&j, "now_us", now->head.now / TG_USEC);
	json_text(&j, "policy", now->head.policy,
		  strnlen(now->head.policy, sizeof(now->head.policy)));
	json_s64(&j, "dry_run", dry);
	json_u64(&j, "gpus", now->head.gpus);
	json_open(&j, "clients", '[');
	for (i = 0; i < nr; i++)
		print_row(&j, &rows[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	putchar('\n');
	fflush(stdout);
}

static void print_table(const struct row *rows, size_t n)
{
	size_t nr, i;
	char **lines = make_lines(rows, n, &nr);

	for (i = 0; i < nr; i++) {
		puts(lines[i]);
		free(lines[i]);
	}
	free(lines);
}

/* ---- screen ----------------------------------------------------------------------------- */

static void draw(const struct snapshot *now, const struct row *rows, size_t n, size_t first)
{
	double busy = 0;
	char **lines;
	size_t nr, i;

	for (i = 0; i < n; i++)
		busy += rows[i].share;
	lines = make_lines(rows, n, &nr);
	erase();
	mvprintw(0, 0, "timegraph: policy %.15s%s, %u GPU%s, %zu client%s, %.1f %% busy; by %s%s%s%s",
		 now->head.policy, dry ? " (dry run)" : "", now->head.gpus,
		 now->head.gpus == 1 ? "" : "s", n, n == 1 ? "" : "s", busy, key_names[view.sort],
		 view.reverse ? ", reversed" : "", *view.filter ? ", with " : "", view.filter);
	attron(A_REVERSE);
	mvaddnstr(1, 0, lines[0], COLS);
	attroff(A_REVERSE);
	for (i = 1; i < nr; i++)
		if (i > first && (int)(i - first) < LINES - 2)
			mvaddnstr(1 + i - first, 0, lines[i], COLS);
	mvaddnstr(LINES - 1, 0, "q quit  s sort  r reverse  f filter  +/- faster, slower  up/down scroll; "
		  "times in ms, waits by cause", COLS);
	refresh();
	for (i = 0; i < nr; i++)
		free(lines[i]);
	free(lines);
}

static void ask_filter(void)
{
	timeout(-1);
	echo();
	mvprintw(LINES - 1, 0, "name, user or reserve (nothing: all): ");
	clrtoeol();
	if (getnstr(view.filter, sizeof(view.filter) - 1) == ERR)
		*view.filter = '\0';
	noecho();
}

/* Act on a key. Return: false: end. */
static bool act(int key, size_t *first)
{
	switch (key) {
	case 'q':
	case 27:
		return false;
	case 's':
		view.sort = (view.sort + 1) % KEYS;
		break;
	case 'r':
		view.reverse = !view.reverse;
		break;
	case 'f':
		ask_filter();
		break;
	case '+':
		view.every = max(view.every / 2, 100 * TG_MSEC);
		break;
	case '-':
		view.every = min(view.every * 2, 60 * TG_SEC);
		break;
	case KEY_DOWN:
		++*first;
		break;
	case KEY_UP:
		*first -= *first > 0;
		break;
	}
	return true;
}

static s64 clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * TG_SEC + t.tv_nsec;
}

/* Wait until @due; keys are acted on at once. Return: false: end. */
static bool wait_keys(const struct snapshot *old, const struct snapshot *now, s64 due,
		      size_t *first)
{
	struct row *rows;
	size_t nr;
	s64 left;
	int key;

	while ((left = due - clock_now()) > 0) {
		timeout(left / TG_MSEC + 1);
		key = getch();
		if (key == ERR)
			continue;
		if (!act(key, first))
			return false;
		rows = make_rows(old, now, &nr);
		draw(now, rows, nr, *first);
		free(rows);
	}
	return true;
}

/* ---- the verb --------------------------------------------------------------------------- */

static bool read_now(struct snapshot *snap)
{
	char *value;

	if (!snapshot_read(snap))
		return false;
	value = sysfs_read_value("knobs/dry_run");
	dry = value && !strcmp(value, "1");
	free(value);
	return value;
}

static void nap(s64 ns)
{
	struct timespec t = { ns / TG_SEC, ns % TG_SEC };

	nanosleep(&t, NULL);
}

static bool is_screen;

static void end_screen(void)
{
	if (is_screen)
		endwin();
	is_screen = false;
}

static enum tgctl_status watch(bool json, bool once)
{
	struct snapshot old = { }, now;
	struct row *rows;
	size_t nr, first = 0;
	bool go_on = true;

	if (!read_now(&old))
		return TGCTL_FAILED;
	if (!json && !once) {
		setlocale(LC_CTYPE, "");
		if (!initscr())
			return TGCTL_FAILED;
		is_screen = true;
		atexit(end_screen);
		noecho();
		cbreak();
		keypad(stdscr, TRUE);
		curs_set(0);
	}
	nap(is_screen ? 100 * TG_MSEC : view.every);
	while (go_on) {
		if (!read_now(&now)) {
			end_screen();
			return TGCTL_FAILED;
		}
		rows = make_rows(&old, &now, &nr);
		if (is_screen)
			draw(&now, rows, nr, first);
		else if (json)
			print_json(&now, rows, nr);
		else
			print_table(rows, nr);
		free(rows);
		if (once)
			go_on = false;
		else if (is_screen)
			go_on = wait_keys(&old, &now, clock_now() + view.every, &first);
		else
			nap(view.every);
		free(old.data);
		old = now;
	}
	free(old.data);
	return TGCTL_OK;
}

enum tgctl_status tgctl_top(const struct tgctl_args *args)
{
	const char *every = args->option[TOP_EVERY], *sort = args->option[TOP_SORT];
	const char *filter = args->option[TOP_FILTER];
	int i;

	if (every && (!tgctl_time(every, &view.every) || view.every < 100 * TG_MSEC ||
		      view.every > 60 * TG_SEC)) {
		tgctl_error("top: '%s' is no time from 100ms to 60s", every);
		return TGCTL_USAGE;
	}
	for (i = 0; sort && i < KEYS && strcmp(sort, key_names[i]); i++)
		;
	if (sort && i == KEYS) {
		tgctl_error("top: cannot sort by '%s'; share, rate, latency, wait, gpu_time, prio, "
			    "pid or comm", sort);
		return TGCTL_USAGE;
	}
	view.sort = sort ? i : BY_SHARE;
	if (filter)
		snprintf(view.filter, sizeof(view.filter), "%s", filter);
	return watch(args->option[TOP_JSON], args->option[TOP_ONCE]);
}
