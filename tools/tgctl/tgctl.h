/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl: what its files share: what a verb is given and returns, and the functions of
 * tgctl.c that all call. The program is single-threaded and ends after one verb, so nothing in it locks,
 * and memory that lives until the end is not given back.
 */
#ifndef TGCTL_H
#define TGCTL_H

#include <stdbool.h>
#include <stddef.h>

#include <tg/types.h>

/* Exit statuses, and what a verb returns. */
enum tgctl_status {
	TGCTL_OK,	/* done */
	TGCTL_FAILED,	/* not done, or not all; the reason was written */
	TGCTL_USAGE,	/* the command line is wrong, whatever the module says */
	TGCTL_NOT_RUN = 126,	/* run: COMMAND cannot be executed */
	TGCTL_NOT_THERE = 127,	/* run: no such COMMAND; both as env(1) and shells do */
};

#define TGCTL_OPTIONS	8	/* that a verb may have */

/**
 * struct tgctl_args - a verb's arguments, checked against its struct tgctl_verb
 * @names: what is no option, in order; NULL is behind the last
 * @nr: how many
 * @flag: the first of the verb's options was given
 * @option: for each of the verb's options: NULL: not given; its value; "" where it takes none
 */
struct tgctl_args {
	char **names;
	int nr;
	bool flag;
	const char *option[TGCTL_OPTIONS];
};

/**
 * tgctl_error() - write "tgctl: " and one line to stderr
 * @format: as printf's, without a line end; a control character becomes \xHH
 */
void tgctl_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** tgctl_flush() - write what stdout holds; false: it cannot be written, and the first call has said why */
bool tgctl_flush(void);

/** tgctl_process_state() - as ps(1) shows it: 'T' when SIGSTOP has stopped it; 0: not known */
char tgctl_process_state(u32 pid);

/** tgctl_said() - what tgctl_error() has written last, without what is around it */
const char *tgctl_said(void);

/**
 * tgctl_time() - read a time: 500ms, 1.5s
 * @text: a number and ns, us, ms or s; what is finer than a nanosecond is cut off
 * @ns: the time
 *
 * Return: false: it is none.
 */
bool tgctl_time(const char *text, s64 *ns);

/** tgctl_number() - read a whole number that fits; false: it is none */
bool tgctl_number(const char *text, u64 *n);

/**
 * tgctl_alloc() - memory, or the end of the program
 * @old: what to grow, or NULL
 * @size: bytes
 *
 * Return: never NULL.
 */
void *tgctl_alloc(void *old, size_t size);

#endif /* TGCTL_H */
