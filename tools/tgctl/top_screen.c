// SPDX-License-Identifier: GPL-2.0
/*
 * The screen of tgctl top. From above: one line of what is shown, one for each engine with its load
 * and history, the heads of the columns, clients, and a line of keys or of what a key has done.
 *
 * top.c calls it. curses holds the terminal from top_screen_begin() on, and gives it back on SIGINT
 * and SIGTERM, too. Bytes of names come out of table.c, which leaves nothing that moves the cursor.
 */
#include "top_screen.h"

#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/number.h"
#include "lib/opt.h"
#include "table.h"
#include "top_act.h"

#define HISTORY		128	/* readings of an engine that are kept */
#define ENGINES		16	/* engines that are shown, at most */

enum pair { PAIR_BAR = 1, PAIR_WAITING, PAIR_THROTTLED, PAIR_LOST };

static const char keys[] =
	"q quit  s sort  r reverse  f filter  o columns  p prio  h hold  k kill  w why";

static struct {
	bool is_open, colour, utf8;
	u32 selected;		/* a client's number, 0: none */
	size_t first;		/* row at the top */
	char said[160];		/* what a key has done */
	u8 busy[ENGINES][HISTORY];	/* %, by the number of the reading */
	u64 readings;
} screen;

s64 top_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * TG_SEC + t.tv_nsec;
}

void top_screen_end(void)
{
	if (screen.is_open)
		endwin();
	screen.is_open = false;
}

bool top_screen_begin(void)
{
	const char *no_color = getenv("NO_COLOR");

	setlocale(LC_CTYPE, "");
	if (MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
	screen.utf8 = MB_CUR_MAX > 1;
	if (!newterm(NULL, stdout, stdin))
		return false;
	screen.is_open = true;
	atexit(top_screen_end);
	noecho();
	cbreak();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	screen.colour = !(no_color && *no_color) && has_colors() && start_color() == OK &&
			use_default_colors() == OK;
	if (screen.colour) {
		init_pair(PAIR_BAR, COLOR_GREEN, -1);
		init_pair(PAIR_WAITING, COLOR_CYAN, -1);
		init_pair(PAIR_THROTTLED, COLOR_YELLOW, -1);
		init_pair(PAIR_LOST, COLOR_RED, -1);
	}
	return true;
}

static attr_t colour(enum pair pair)
{
	return screen.colour ? COLOR_PAIR(pair) : A_NORMAL;
}

/* A line of text, cut to the screen. */
static void put(int y, const char *text)
{
	mvaddnstr(y, 0, text, table_fit(text, COLS));
}

/* ---- engines ---------------------------------------------------------------------------- */

void top_screen_add(const struct top_frame *frame)
{
	const size_t at = screen.readings++ % HISTORY;
	size_t i;

	for (i = 0; i < ENGINES; i++)
		screen.busy[i][at] = i < frame->nr_engines ?
			min(max(frame->engines[i].busy, 0.0), 100.0) : 0;
}

static void draw_history(size_t engine, int width)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", ".", ":", "-", "=", "+", "*", "#" };
	const char *const *shades = screen.utf8 ? blocks : ascii;
	u64 ago;

	for (ago = min(width, HISTORY); ago; ago--) {
		if (ago > screen.readings)
			addstr(" ");
		else
			addstr(shades[(screen.busy[engine][(screen.readings - ago) % HISTORY] * 8 + 50) / 100]);
	}
}

static void draw_engine(int y, size_t nr, const struct top_frame *frame)
{
	const struct top_engine *e = &frame->engines[nr];
	const int bar = COLS < 100 ? 20 : 30;
	const int full = min(max((int)(e->busy * bar / 100 + 0.5), 0), bar);
	char text[64];
	int i;

	snprintf(text, sizeof(text), "GPU %s engine %u [", snapshot_gpu(frame->now, e->e.gpu), e->e.engine);
	put(y, text);
	attron(colour(PAIR_BAR));
	for (i = 0; i < full; i++)
		addch('|');
	attroff(colour(PAIR_BAR));
	snprintf(text, sizeof(text), "%*s] %5.1f %%  %u wait  ", bar - full, "", e->busy, e->e.queued);
	addstr(text);
	attron(colour(PAIR_BAR));
	draw_history(nr, COLS - getcurx(stdscr) - 1);
	attroff(colour(PAIR_BAR));
}

/* Return: lines that it took. */
static int draw_engines(int y, const struct top_frame *frame)
{
	const size_t room = min(max(LINES / 4, 1), ENGINES);
	double sum = 0;
	char text[96];
	size_t i;

	if (LINES < 6 || COLS < 50)
		return 0;
	for (i = 0; i < frame->nr_engines && i < room; i++)
		draw_engine(y + i, i, frame);
	if (frame->nr_engines)
		return i;
	for (i = 0; i < frame->nr; i++)
		sum += frame->rows[i].share;
	snprintf(text, sizeof(text), "these clients use %.1f %%; the load of engines is root's to see", sum);
	put(y, text);
	return 1;
}

/* Where priorities and reserves have no effect: a line that says why. Return: lines that it took. */
static int draw_no_effect(int y, const struct top_frame *frame)
{
	const char *why = top_no_effect(frame);

	if (!why || LINES < 6)
		return 0;
	attron(A_BOLD);
	put(y, why);
	attroff(A_BOLD);
	return 1;
}

/* ---- clients ---------------------------------------------------------------------------- */

static attr_t attr_of(const struct top_row *row)
{
	switch (row->c.state) {
	case TG_STATE_LOST:
		return colour(PAIR_LOST) | A_BOLD;
	case TG_STATE_THROTTLED:
		return colour(PAIR_THROTTLED);
	case TG_STATE_WAITING:
		return colour(PAIR_WAITING);
	case TG_STATE_LEFT:
		return A_DIM;
	default:
		return A_NORMAL;
	}
}

/* The row of the client that is selected; @frame->nr: none. */
static size_t selected(const struct top_frame *frame)
{
	size_t i;

	for (i = 0; i < frame->nr && frame->rows[i].c.id != screen.selected; i++)
		;
	return i;
}

/* Lines of clients: @lines[0] is that of the heads. */
static void draw_clients(int y, const struct top_frame *frame, char **lines, size_t nr)
{
	const size_t room = max(LINES - y - 2, 0), at = selected(frame);
	attr_t attr;
	size_t i;

	if (at < frame->nr && room) {
		if (at < screen.first)
			screen.first = at;
		else if (at >= screen.first + room)
			screen.first = at - room + 1;
	}
	if (screen.first + room > frame->nr)
		screen.first = frame->nr > room ? frame->nr - room : 0;
	attron(A_REVERSE);
	put(y, lines[0]);
	attroff(A_REVERSE);
	for (i = 0; i < room && screen.first + i + 1 < nr; i++) {
		attr = attr_of(&frame->rows[screen.first + i]);
		if (screen.first + i == at)
			attr |= A_REVERSE;
		attron(attr);
		put(y + 1 + i, lines[screen.first + i + 1]);
		attroff(attr);
	}
}

void top_screen_draw(const struct top_frame *frame)
{
	const struct tg_snap_head *head = &frame->now->head;
	char text[256];
	char **lines;
	size_t nr, i;
	int y = 1;

	lines = top_lines(frame, COLS, &nr);
	erase();
	snprintf(text, sizeof(text), "timegraph: policy %.15s%s, %u GPU%s, %zu client%s, by %s%s%s%s; times in ms",
		 head->policy, frame->dry ? " (dry run)" : "", head->gpus, head->gpus == 1 ? "" : "s",
		 frame->nr, frame->nr == 1 ? "" : "s", top_sort_name(top_view.sort),
		 top_view.reverse ? ", reversed" : "", *top_view.filter ? ", with " : "",
		 top_view.filter);
	attron(A_BOLD);
	put(0, text);
	attroff(A_BOLD);
	y += draw_no_effect(y, frame);
	y += draw_engines(y, frame);
	draw_clients(y, frame, lines, nr);
	put(LINES - 1, *screen.said ? screen.said : keys);
	refresh();
	for (i = 0; i < nr; i++)
		free(lines[i]);
	free(lines);
}

/* ---- keys ------------------------------------------------------------------------------- */

/* Ask for a line at the bottom. Return: false: nothing was entered. */
static bool ask(const char *what, char *answer, int size)
{
	bool good;

	timeout(-1);
	echo();
	curs_set(1);
	move(LINES - 1, 0);
	clrtoeol();
	put(LINES - 1, what);
	good = getnstr(answer, size - 1) == OK;
	noecho();
	curs_set(0);
	return good;
}

/* Ask before something is done that another user may feel. */
static bool confirm(const char *what)
{
	char text[160];

	snprintf(text, sizeof(text), "%s? y: yes, any other key: no", what);
	move(LINES - 1, 0);
	clrtoeol();
	put(LINES - 1, text);
	timeout(-1);
	if (getch() == 'y')
		return true;
	snprintf(screen.said, sizeof(screen.said), "nothing was done");
	return false;
}

/* A client as people call it; its name without what would move the cursor. */
static const char *name_of(const struct tg_snap_client *c)
{
	static char name[96];
	char *comm = table_text(c->comm, strlen(c->comm));

	snprintf(name, sizeof(name), "%s (client %u, process %u)", comm, c->id, c->pid);
	free(comm);
	return name;
}

static void ask_prio(const struct tg_snap_client *c)
{
	char what[160], answer[8] = "";
	uint64_t prio;

	snprintf(what, sizeof(what), "priority of %s, 0 to 99: ", name_of(c));
	if (!ask(what, answer, sizeof(answer)) || !*answer)
		return;
	if (!number_read(answer, TG_PRIO_MAX, &prio)) {
		snprintf(screen.said, sizeof(screen.said), "'%.7s' is no priority; 0 (lowest) to 99",
			 answer);
		return;
	}
	snprintf(what, sizeof(what), "set the priority of %s to %u", name_of(c), (unsigned int)prio);
	if (confirm(what))
		top_act_prio(c, prio, screen.said, sizeof(screen.said));
}

static void ask_signal(const struct tg_snap_client *c, int signal)
{
	char what[160];

	snprintf(what, sizeof(what), "%s %s", signal == SIGTERM ? "end" : signal == SIGKILL ? "kill" :
		 signal == SIGSTOP ? "hold" : "let go on", name_of(c));
	if (confirm(what))
		top_act_signal(c, signal, screen.said, sizeof(screen.said));
}

/* Between these two, what is printed stands below the shell's lines, until Enter. */
static void leave_screen(void)
{
	def_prog_mode();
	endwin();
}

static void come_back(void)
{
	int key;

	printf("\nEnter: back to top\n");
	fflush(stdout);
	while ((key = getchar()) != '\n' && key != EOF)
		;
	reset_prog_mode();
	clearok(stdscr, TRUE);
}

static void show_why(const struct tg_snap_client *c)
{
	leave_screen();
	top_act_why(c);
	come_back();
}

static void show_columns(void)
{
	char *known = top_columns_known();

	leave_screen();
	opt_wrap(stdout, known, 0, 0);
	putchar('\n');
	come_back();
	free(known);
}

static void ask_columns(void)
{
	char answer[256] = "", *wrong, *name;

	if (!ask("columns, with commas (nothing: the default ones; ?: names): ", answer, sizeof(answer)))
		return;
	if (!strcmp(answer, "?")) {
		show_columns();
		return;
	}
	wrong = top_columns_choose(answer);
	if (!wrong)
		return;
	name = table_text(wrong, strlen(wrong));
	snprintf(screen.said, sizeof(screen.said), "no column '%.100s'; ?: names", name);
	free(wrong);
	free(name);
}

/* Keys that do something to the client that is selected. Return: false: not such a key. */
static bool act_on_client(int key, const struct top_frame *frame)
{
	const size_t at = selected(frame);
	const struct tg_snap_client *c = at < frame->nr ? &frame->rows[at].c : NULL;

	if (!strchr("phkKw", key) || !key)
		return false;
	if (!c)
		snprintf(screen.said, sizeof(screen.said), "select a client first: up and down");
	else if (key == 'p')
		ask_prio(c);
	else if (key == 'h')
		ask_signal(c, tgctl_process_state(c->pid) == 'T' ? SIGCONT : SIGSTOP);
	else if (key == 'w')
		show_why(c);
	else
		ask_signal(c, key == 'k' ? SIGTERM : SIGKILL);
	return true;
}

/* Move the selection by @by rows. */
static void move_by(const struct top_frame *frame, long by)
{
	long at = selected(frame);

	if (!frame->nr)
		return;
	if (at == (long)frame->nr)
		at = by > 0 ? (long)screen.first : (long)frame->nr - 1;
	else
		at = min(max(at + by, 0L), (long)frame->nr - 1);
	screen.selected = frame->rows[at].c.id;
}

/* Act on a key. Return: false: end. */
static bool act(int key, const struct top_frame *frame)
{
	switch (key) {
	case 'q':
	case 27:
		return false;
	case 's':
		top_view.sort++;
		if (!top_sort_name(top_view.sort))
			top_view.sort = 0;
		break;
	case 'r':
		top_view.reverse = !top_view.reverse;
		break;
	case 'f':
		if (!ask("name, user or reserve (nothing: all): ", top_view.filter,
			 sizeof(top_view.filter)))
			*top_view.filter = '\0';
		break;
	case 'o':
		ask_columns();
		break;
	case '+':
		top_view.every = max(top_view.every / 2, TOP_EVERY_MIN);
		break;
	case '-':
		top_view.every = min(top_view.every * 2, TOP_EVERY_MAX);
		break;
	case KEY_DOWN:
	case KEY_UP:
		move_by(frame, key == KEY_DOWN ? 1 : -1);
		break;
	case KEY_NPAGE:
	case KEY_PPAGE:
		move_by(frame, key == KEY_NPAGE ? LINES / 2 : -LINES / 2);
		break;
	case KEY_HOME:
	case KEY_END:
		move_by(frame, key == KEY_END ? (long)frame->nr : -(long)frame->nr);
		break;
	default:
		if (key < 128)
			act_on_client(key, frame);
	}
	return true;
}

enum top_next top_screen_wait(const struct top_frame *frame, s64 due)
{
	s64 left;
	int key;

	left = due - top_clock();
	if (left <= 0)
		return TOP_TIME;
	timeout(left / TG_MSEC + 1);
	key = getch();
	/* Where SIGHUP is ignored, a terminal that has gone is seen here only: each read fails at once. */
	if (key == ERR)
		return isatty(STDIN_FILENO) ? TOP_TIME : TOP_END;
	*screen.said = '\0';
	return act(key, frame) ? TOP_AGAIN : TOP_END;
}
