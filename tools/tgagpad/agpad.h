/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of tgagpad share: a source tells which process has the focus, main.c tells the
 * module. One thread; a source keeps its state in its own file.
 */
#ifndef TGAGPAD_AGPAD_H
#define TGAGPAD_AGPAD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * enum state - what a source says of itself
 * @GOING: it follows the focus
 * @GONE: it has ended; a line has said so
 * @UNABLE: it cannot tell the focus; a line has said why
 */
enum state { GOING, GONE, UNABLE };

/**
 * struct source - a way to learn of the focus
 * @variable: the environment variable that names its server
 * @open: connects; false: a line has said why not
 * @fd: what poll() waits on for read()
 * @read: takes what has come and never waits; sets *@changed when foreground() may have another
 *	answer
 * @foreground: process with the focus; 0: none, or it cannot be told
 * @waits: the server owes an answer
 * @close: disconnects
 */
struct source {
	const char *variable;
	bool (*open)(void);
	int (*fd)(void);
	enum state (*read)(bool *changed);
	unsigned int (*foreground)(void);
	bool (*waits)(void);
	void (*close)(void);
};

extern const struct source source_sway, source_wlr, source_x11;

/** say() - a line on standard error */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * match_app() - process of an application
 * @app_id: as its window says
 * @uid: user of the session; other users' processes are not looked at
 *
 * Return: its pid; 0: there is none, or more than one fit.
 */
unsigned int match_app(const char *app_id, uid_t uid);

#endif
